"""Structured blocks: Walsh-Hadamard transforms around small orthogonal cells."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from types import ModuleType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mehler import _arrays, _random
from mehler._arrays import Array
from mehler.features.projections._base import Orthogonal, OrthogonalPairs, Projection, haar

# Entries b of a cell. Its excess variance is 2/b, its cost is negligible beside the transforms',
# its weights are b numbers a unit.
CELL = 32


class Hadamard(Projection):
    r"""Vectors in blocks of D, d rounded up to a power of 2, at O(log D) operations each.

    .. math:: W = \operatorname{diag}(r_l/S)\,(H_{D/b} \otimes I_b)\,
              \operatorname{diag}(s_c Q_c)\, \tfrac1{\sqrt D} H B \Pi, \quad
              r_l \sim \chi_D,\ s_c \sim \chi_b,\ Q_c \sim \text{Haar}(O(b)),\
              S^2 = \sum_c s_c^2

    with H Walsh-Hadamard matrices, B random signs and :math:`\Pi` a random order of the inputs.
    Whatever B and :math:`\Pi`, a row before its length is :math:`N(0, I_D)`, because :math:`s_c`
    times a row of :math:`Q_c` is :math:`N(0, I_b)`; its direction is uniform and its new length
    :math:`r_l` is that of a Gaussian vector again. So the expected kernel is exact. Rows of a
    block are orthogonal up to what varies in :math:`s_c^2`: for functions of one direction they
    vary by at most 2/b of the variance more than orthogonal ones, b = 32.

    A product costs about 4 (sqrt(D) + b) operations a unit and row, and D a row to begin with.
    Weights are b numbers a unit.

    References
    ----------
    The form H G Pi H B is from Le, Sarlos, Smola (2013), Fastfood, which is b = 1 here. Cells,
    bounds and proofs: :doc:`/theorems/projections`.

    Examples
    --------
    >>> import numpy as np
    >>> from mehler.features.projections import Hadamard
    >>> projection = Hadamard()
    >>> weights = projection.draw(0, 1, 100, 500, "float64")
    >>> [one] = projection.pieces(np, np.ones((2, 100)), *weights)
    >>> one.shape
    (2, 500)
    """

    name: ClassVar[str] = "hadamard"
    dense: ClassVar[bool] = False

    def n_weights(self, n_pieces: int, n_inputs: int, n_units: int) -> int:
        """Return b numbers a unit, for whole blocks."""
        size = padded(n_inputs)
        blocks = -(-n_units // size)
        return n_pieces * blocks * size * cell(size) + 2 * size

    def _draw(
        self, seed: int, n_pieces: int, n_inputs: int, n_units: int, dtype: str, stream: int
    ) -> tuple[Any, ...]:
        """Draw positions, signs, transforms, cells (q, blocks, D/b, b, b) and lengths (q, m, 1)."""
        size = padded(n_inputs)
        b = cell(size)
        purpose = _random.HADAMARD + stream
        # The same rotation for all blocks and pieces: given it, vectors are N(0, I) and
        # independent, so it does not correlate blocks.
        rng = _random.generator(seed, purpose, 0)
        # places[i] is the input at position i, or n_inputs if there is none.
        places = np.minimum(rng.permutation(size), n_inputs).astype(np.int32)
        signs = rng.choice([-1.0, 1.0], size=(size, 1)) / np.sqrt(size)

        n_blocks = -(-n_units // size)
        cells = np.empty((n_pieces, n_blocks, size // b, b, b), dtype=dtype)
        lengths = np.empty((n_pieces, n_units, 1), dtype=dtype)
        for block, units in enumerate(_arrays.slices(n_units, size)):
            rng = _random.generator(seed, purpose, block + 1)
            turns = haar(rng, n_pieces * (size // b), b).reshape(n_pieces, size // b, b, b)
            squares = rng.chisquare(b, size=(n_pieces, size // b, 1, 1))
            cells[:, block] = turns * np.sqrt(squares / squares.sum(axis=1, keepdims=True))
            drawn = np.sqrt(rng.chisquare(size, size=(n_pieces, size, 1)))
            lengths[:, units] = drawn[:, : units.stop - units.start]
        whole, outer = factors(size, dtype), factors(size // b, dtype)
        return (places, signs.astype(dtype), *whole, *outer, cells, lengths)

    def pieces(self, xp: ModuleType, rows: Array, *weights: Any) -> Iterator[Array]:
        places, signs, left, right, outer_left, outer_right, cells, lengths = weights
        n = rows.shape[0]
        n_cells, b = cells.shape[2:4]
        size = n_cells * b
        # Transposed, so that a transform's rows are contiguous.
        values = xp.matrix_transpose(rows)
        if rows.shape[1] < size:
            device = _arrays.place_of(rows).device
            nothing = xp.zeros((1, n), dtype=rows.dtype, device=device)
            values = xp.concat((values, nothing), axis=0)
        values = xp.take(values, places, axis=0) * signs
        values = xp.reshape(transform(xp, values, left, right), (n_cells, b, n))
        outer = outer_left, outer_right
        if _arrays.is_on_accelerator(rows):
            return _arrays.StackedProducts(_at_once(xp, values, cells, outer, lengths))
        return _in_turn(xp, values, cells, outer, lengths)

    def orthogonal_pairs(self, n_inputs: int, n_units: int) -> OrthogonalPairs:
        """Return all pairs of a block, and the excess of those that are not orthogonal."""
        size = padded(n_inputs)
        pairs, alike = _pairs(size, n_units)
        # P_n(tau) - P_n(0) <= tau^2 D/(D - 1) + 30/((D^2 - 1)(D + 3)), E tau^2 <= 2/(D - 1).
        each = 2.0 * size / (size - 1) ** 2 + 30.0 / ((size**2 - 1) * (size + 3)) if alike else 0.0
        return OrthogonalPairs(size, pairs / n_units, each * alike / n_units)

    def variance_factor(self, n_pieces: int, n_inputs: int, n_units: int) -> float:
        """Return 2 + (pairs + 5 pairs of equal place in their cells)/(m (D - 1)) <= 3 + 5/b.

        If one cell is the block, that of orthogonal blocks of D.
        """
        size = padded(n_inputs)
        pairs, alike = _pairs(size, n_units)
        if size == cell(size):
            return Orthogonal().variance_factor(n_pieces, size, n_units)
        return 2.0 + (pairs + 5.0 * alike) / (n_units * (size - 1)) if pairs else 1.0

    def block_rows_for_map(self, n_inputs: int) -> int | None:
        """Return rows of 256 KiB in float32, at least 64: transforms pass over them often."""
        return max(64, min(1024, (1 << 16) // padded(n_inputs)))


def _at_once(
    xp: ModuleType,
    values: Array,
    cells: Array,
    outer: tuple[Any, Any],
    lengths: NDArray[np.float64],
) -> Array:
    """Return all pieces, (q, n, m), of transformed rows (n_cells, b, n)."""
    q, n_blocks, n_cells, b = cells.shape[:4]
    n = values.shape[2]
    turned = xp.reshape(xp.matmul(cells, values), (q, n_blocks, n_cells, b * n))
    mixed = xp.reshape(transform(xp, turned, *outer), (q, n_blocks * n_cells * b, n))
    return xp.matrix_transpose(mixed[:, : lengths.shape[1], :] * lengths)


def _in_turn(
    xp: ModuleType,
    values: Array,
    cells: Array,
    outer: tuple[Any, Any],
    lengths: NDArray[np.float64],
) -> Iterator[Array]:
    q, n_blocks, n_cells, b = cells.shape[:4]
    n, size = values.shape[2], n_cells * b
    for j in range(q):
        blocks = []
        for block in range(n_blocks):
            turned = xp.matmul(cells[j, block, :, :, :], values)
            turned = xp.reshape(turned, (n_cells, b * n))
            mixed = transform(xp, turned, *outer)
            blocks.append(xp.reshape(mixed, (size, n)))
        all_units = blocks[0] if n_blocks == 1 else xp.concat(blocks, axis=0)
        units = all_units[: lengths.shape[1], :] * lengths[j, :, :]
        yield xp.matrix_transpose(units)


def padded(n_inputs: int) -> int:
    """Return D, the least power of 2 that is at least d."""
    return 1 << (int(n_inputs) - 1).bit_length()


def cell(size: int) -> int:
    """Return b, the entries of a cell."""
    return min(CELL, size)


def _pairs(size: int, n_units: int) -> tuple[int, int]:
    """Count ordered pairs of distinct units in one block, and those at the same place in a cell."""
    b = cell(size)
    blocks, rest = divmod(n_units, size)
    pairs = alike = 0
    for units, times in ((size, blocks), (rest, 1)):
        deep, over = divmod(units, b)
        pairs += times * units * (units - 1)
        alike += times * (over * (deep + 1) * deep + (b - over) * deep * (deep - 1))
    return pairs, alike


def factors(length: int, dtype: str) -> tuple[Any, Any]:
    """Return H_a and H_b with a b = `length`, a power of 2, as close to each other as possible."""
    power = length.bit_length() - 1
    return hadamard(power // 2, dtype), hadamard(power - power // 2, dtype)


@functools.cache
def hadamard(power: int, dtype: str) -> Any:
    """Return H of order 2^power, entries (-1)^<i, j> over the bits of i and j; read-only."""
    matrix = np.ones((1, 1), dtype=dtype)
    for _ in range(power):
        matrix = np.block([[matrix, matrix], [matrix, -matrix]])
    matrix.flags.writeable = False
    return matrix


def transform(xp: ModuleType, values: Array, left: Array, right: Array) -> Array:
    """Compute (H_a (x) H_b) times `values`, shape (..., a b, n)."""
    a, b = left.shape[0], right.shape[0]
    *batch, size, n = values.shape
    values = xp.matmul(left, xp.reshape(values, (*batch, a, b * n)))
    values = xp.matmul(right, xp.reshape(values, (*batch, a, b, n)))
    return xp.reshape(values, (*batch, size, n))
