"""Blocks of orthogonal vectors: from QR, and from Walsh-Hadamard transforms around cells."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import Any, ClassVar

import numpy as np

from mehler import _arrays, _random
from mehler._arrays import Array
from mehler.features.projections._base import Draw, OrthogonalPairs, Projection, Weights

# Entries b of a cell. Its excess variance is 2/b, its cost is negligible beside the transforms',
# its weights are b numbers a unit.
CELL = 32


class Orthogonal(Projection):
    r"""Vectors in blocks of d: orthogonal directions, independent lengths.

    .. math:: w_l = r_l\, u_l, \quad (u_1, \dots, u_d) \sim \text{Haar}(O(d)), \quad
              r_l \sim \chi_d \text{ independent}

    A uniform direction times an independent :math:`\chi_d` is exactly :math:`N(0, I_d)`. Vectors
    of one block do not look the same way, so sums over units vary less where units see small
    differences; whatever they see, by at most 3/(d + 1) more than independent ones. Blocks and
    pieces are independent.

    Drawing costs a QR factorisation a block, about 3 d^3; products cost as much as Gaussian ones.
    Yu and others (2016); bound and proof: :doc:`/theorems/projections`.

    Examples
    --------
    >>> from mehler.features.projections import Orthogonal
    >>> weights = Orthogonal().draw(0, 1, 3, 5, "float64")[0][0]
    >>> bool(abs(weights[:, 0] @ weights[:, 1]) < 1e-14)
    True
    """

    name: ClassVar[str] = "orthogonal"

    def _all_units(self, of: Draw, n_units: int) -> Weights:
        d = of.d
        weights = np.empty((of.q, d, n_units), dtype=of.dtype)
        for block, units in enumerate(_arrays.slices(n_units, d)):
            rng = _random.generator(of.seed, _random.ORTHOGONAL + of.stream, block)
            drawn = haar(rng, of.q, d)
            # Columns are the directions: one length per column.
            drawn *= np.sqrt(rng.chisquare(d, size=(of.q, 1, d)))
            weights[:, :, units] = drawn[:, :, : units.stop - units.start]
        return (weights,)

    def orthogonal_pairs(self, n_inputs: int, n_units: int) -> OrthogonalPairs:
        """Count ordered pairs of distinct units that share a block."""
        whole, rest = divmod(n_units, n_inputs)
        pairs = whole * n_inputs * (n_inputs - 1) + rest * (rest - 1)
        return OrthogonalPairs(n_inputs, pairs / n_units, 0.0)

    def variance_factor(self, n_pieces: int, n_inputs: int, n_units: int) -> float:
        """Return 1 + 3 (b - 1)/(d^2 - 1) for blocks of b units: at most 1 + 3/(d + 1)."""
        pairs = self.orthogonal_pairs(n_inputs, n_units).pairs
        return 1.0 + 3.0 * pairs / (n_inputs**2 - 1) if pairs else 1.0


def haar(rng: np.random.Generator, n: int, d: int) -> Any:
    """Return n orthogonal matrices from Haar's measure, shape (n, d, d)."""
    q, r = np.linalg.qr(rng.standard_normal((n, d, d)))
    # LAPACK chooses the signs of QR; multiplying by those of R's diagonal makes Q Haar.
    return q * np.where(np.diagonal(r, axis1=1, axis2=2) < 0.0, -1.0, 1.0)[:, None, :]


class Hadamard(Projection):
    r"""Vectors in blocks of D, d rounded up to a power of 2, at O(log D) operations each.

    .. math:: W = \operatorname{diag}(r_l/S)\,(H_{D/b} \otimes I_b)\,
              \operatorname{diag}(s_c Q_c)\, \tfrac1{\sqrt D} H B \Pi, \quad
              r_l \sim \chi_D,\ s_c \sim \chi_b,\ Q_c \sim \text{Haar}(O(b)),\
              S^2 = \sum_c s_c^2

    with H Walsh-Hadamard matrices, B random signs and :math:`\Pi` a random order of the inputs.
    A row before its length is :math:`N(0, I_D)`, because :math:`s_c` times a row of :math:`Q_c`
    is :math:`N(0, I_b)`, and its new length :math:`r_l` is that of a Gaussian vector again. Rows
    of a block are orthogonal up to what varies in :math:`s_c^2`: for functions of one direction
    they vary by at most 2/b of the variance more than orthogonal ones, b = 32.

    A product costs about 4 (sqrt(D) + b) operations a unit and row, and D a row to begin with.
    Weights are b numbers a unit.

    The form H G Pi H B is from Le, Sarlos, Smola (2013), Fastfood, which is b = 1 here. Cells,
    bounds and proofs: :doc:`/theorems/projections`.

    Examples
    --------
    >>> import mehler
    >>> mehler.FourierFeatures.draw(100, 500, projections="hadamard", seed=0).n_features
    500
    """

    name: ClassVar[str] = "hadamard"
    dense: ClassVar[bool] = False

    def n_weights(self, n_pieces: int, n_inputs: int, n_units: int) -> int:
        """Return b numbers a unit, for whole blocks."""
        size = padded(n_inputs)
        blocks = -(-n_units // size)
        return n_pieces * blocks * size * cell(size) + 2 * size

    def _all_units(self, of: Draw, n_units: int) -> Weights:
        """Draw positions, signs, transforms, cells (q, blocks, D/b, b, b) and lengths (q, m, 1)."""
        size = padded(of.d)
        b, purpose = cell(size), _random.HADAMARD + of.stream
        # The same rotation for all blocks and pieces: given it, vectors are N(0, I) and
        # independent, so it does not correlate blocks.
        rng = _random.generator(of.seed, purpose, 0)
        # places[i] is the input at position i, or d if there is none.
        places = np.minimum(rng.permutation(size), of.d).astype(np.int32)
        signs = rng.choice([-1.0, 1.0], size=(size, 1)) / np.sqrt(size)
        cells = np.empty((of.q, -(-n_units // size), size // b, b, b), dtype=of.dtype)
        lengths = np.empty((of.q, n_units, 1), dtype=of.dtype)
        for block, units in enumerate(_arrays.slices(n_units, size)):
            rng = _random.generator(of.seed, purpose, block + 1)
            turns = haar(rng, of.q * (size // b), b).reshape(of.q, size // b, b, b)
            squares = rng.chisquare(b, size=(of.q, size // b, 1, 1))
            cells[:, block] = turns * np.sqrt(squares / squares.sum(axis=1, keepdims=True))
            drawn = np.sqrt(rng.chisquare(size, size=(of.q, size, 1)))
            lengths[:, units] = drawn[:, : units.stop - units.start]
        whole, outer = factors(size, of.dtype), factors(size // b, of.dtype)
        return (places, signs.astype(of.dtype), *whole, *outer, cells, lengths)

    def pieces(self, xp: ModuleType, rows: Array, *weights: Any) -> _arrays.Pieces:
        places, signs, left, right, *outer, cells, lengths = weights
        n_cells, b = cells.shape[2:4]
        n, size = rows.shape[0], n_cells * b
        # Transposed, so that a transform's rows are contiguous.
        values = xp.matrix_transpose(rows)
        if rows.shape[1] < size:
            values = xp.concat((values, xp.zeros_like(values[:1, :])), axis=0)
        values = xp.take(values, places, axis=0) * signs
        values = xp.reshape(transform(xp, values, left, right), (n_cells, b, n))
        if _arrays.is_on_accelerator(rows):
            mixed = xp.reshape(_mixed(xp, cells, values, outer), (cells.shape[0], -1, n))
            units = mixed[:, : lengths.shape[1], :] * lengths
            return _arrays.StackedPieces(xp, xp.matrix_transpose(units))
        return _arrays.Pieces(xp, _in_turn(xp, values, cells, outer, lengths))

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


def _mixed(xp: ModuleType, cells: Array, values: Array, outer: Sequence[Array]) -> Array:
    """Return units (..., D, n) before their lengths, of rows (n_cells, b, n) after the first."""
    *batch, n_cells, b, _ = cells.shape
    n = values.shape[2]
    turned = xp.reshape(xp.matmul(cells, values), (*batch, n_cells, b * n))
    return xp.reshape(transform(xp, turned, *outer), (*batch, n_cells * b, n))


def _in_turn(
    xp: ModuleType, values: Array, cells: Array, outer: Sequence[Array], lengths: Array
) -> Iterator[Array]:
    q, n_blocks = cells.shape[:2]
    for j in range(q):
        blocks = [_mixed(xp, cells[j, k, :, :, :], values, outer) for k in range(n_blocks)]
        all_units = blocks[0] if n_blocks == 1 else xp.concat(blocks, axis=0)
        yield xp.matrix_transpose(all_units[: lengths.shape[1], :] * lengths[j, :, :])


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
    """Return H_a and H_b with a b = `length`, a power of 2, and a near b."""
    power = length.bit_length() - 1
    return hadamard(power // 2, dtype), hadamard(power - power // 2, dtype)


@functools.cache
def hadamard(power: int, dtype: str) -> Any:
    """Return H of order 2^power, entries (-1)^<i, j> over the bits of i and j; read-only."""
    from scipy import linalg

    matrix = linalg.hadamard(1 << power, dtype=dtype)
    matrix.flags.writeable = False
    return matrix


def transform(xp: ModuleType, values: Array, left: Array, right: Array) -> Array:
    """Compute (H_a (x) H_b) times `values`, shape (..., a b, n)."""
    a, b = left.shape[0], right.shape[0]
    *batch, size, n = values.shape
    values = xp.matmul(left, xp.reshape(values, (*batch, a, b * n)))
    values = xp.matmul(right, xp.reshape(values, (*batch, a, b, n)))
    return xp.reshape(values, (*batch, size, n))
