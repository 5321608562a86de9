"""Projections: how the weights of a map are drawn, and how rows are multiplied by them.

Each vector of every projection is exactly N(0, I_d), so that the expected kernel of a map does
not depend on the projection; projections differ in cost and in the variance of sums over units.
Proofs are on the page :doc:`/theorems/projections`.

**The same weights.** A seed gives the same weights on every array library. Those of 'gaussian' are
the generator's: the same bits on every processor. 'orthogonal' and 'hadamard' come from LAPACK:
elsewhere float64 weights differ by its rounding, below 1e-11 of a vector's length in the tests, and
float32 weights by the last digit of a few. So do images of templates under matrices, and one in 200
frequencies of the Laplacian kernel, whose tangents are NumPy's. 'sobol' is that of SciPy's version.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np

from mehler import _arrays, _random
from mehler._arrays import Array
from mehler._validate import require_choice, require_integer
from mehler.features._recipes import require_kept

__all__ = ["Gaussian", "Hadamard", "Orthogonal", "Projection", "Sobol"]

ProjectionName: TypeAlias = Literal["gaussian", "orthogonal", "hadamard", "sobol"]
Weights: TypeAlias = tuple[Any, ...]

# Numbers of small matrices that one call of QR takes; from so many rows on, reflections are faster.
_TOGETHER, _LARGE = 1 << 16, 32


class OrthogonalPairs(NamedTuple):
    """Pairs of units with orthogonal directions: how many others a unit has in its block.

    `excess` is the largest contribution of directions that are not quite orthogonal to the sum of
    covariances with them, in variances of a unit.
    """

    dimension: int
    pairs: float
    excess: float


class Draw(NamedTuple):
    """What is drawn, but for the units: seed and stream, q pieces of d inputs, and the dtype."""

    seed: int
    q: int
    d: int
    dtype: str
    stream: int


class Projection(ABC):
    r"""Random vectors in q pieces of m, each of them exactly :math:`N(0, I_d)`.

    The q vectors of a unit are independent, so that any function of them has the distribution
    that it has under independent Gaussian weights. Units may depend on each other, which changes
    variances of sums over units. `n_pieces` is q, `n_inputs` d and `n_units` m.
    """

    #: Name in ``projections=`` of the maps.
    name: ClassVar[str]
    #: Whether units are independent.
    independent: ClassVar[bool] = False
    #: Whether the weights are one matrix (q, d, m).
    dense: ClassVar[bool] = True
    #: Whether the dependence between units is invariant to rotations of the rows.
    isotropic: ClassVar[bool] = True

    def check(self, n_pieces: int, n_inputs: int, n_units: int) -> None:  # noqa: B027  # a hook
        """Raise ValueError if the projection does not exist for these sizes; most always do."""

    def n_weights(self, n_pieces: int, n_inputs: int, n_units: int) -> int:
        """Return about how many numbers `draw` stores."""
        return n_pieces * n_inputs * n_units

    def draw(
        self, seed: int, n_pieces: int, n_inputs: int, n_units: int, dtype: str, stream: int = 0
    ) -> Weights:
        """Draw weights, on the host, in float64 and rounded to `dtype`, 'float32' or 'float64'.

        The same seed gives the same weights, and more units keep the first ones. Projections of
        different streams, numbers of `mehler._random`, are independent. Returns the arguments of
        :meth:`pieces` after the rows, NumPy arrays.
        """
        _random.require_seed(seed)
        q, d = require_integer("n_pieces", n_pieces), require_integer("n_inputs", n_inputs)
        m = require_integer("n_units", n_units)
        require_choice("dtype", dtype, ("float32", "float64"))
        require_integer("stream", stream, least=0)
        self.check(q, d, m)
        return self._all_units(Draw(seed, q, d, dtype, stream), m)

    def draw_units(
        self,
        seed: int,
        n_pieces: int,
        n_inputs: int,
        units: slice,
        n_units: int,
        dtype: str,
        stream: int = 0,
    ) -> Weights:
        """Draw some of `n_units` units: bit for bit the weights that `draw` gives them."""
        of = Draw(seed, n_pieces, n_inputs, dtype, stream)
        whole = units == slice(0, n_units)
        return self._all_units(of, n_units) if whole else self._some_units(of, units)

    def _all_units(self, of: Draw, n_units: int) -> Weights:
        """Draw weights for checked arguments; by default as units drawn alone."""
        return self._some_units(of, slice(0, n_units))

    def _some_units(self, of: Draw, units: slice) -> Weights:
        cause = f"units of projections={self.name!r} cannot be drawn individually"
        raise ValueError(f"{cause}: take projections='gaussian'")

    #: ``pieces(xp, rows, *weights)``: products of rows with each piece of the weights of `draw`, in
    #: the namespace `xp` of the rows: an iterator over q arrays (n, m). The caller owns the first.
    #: Each later one is valid until the next is requested, which may overwrite it.
    pieces: Callable[..., Any] = staticmethod(_arrays.products)

    @abstractmethod
    def variance_factor(self, n_pieces: int, n_inputs: int, n_units: int) -> float:
        """Return a proved bound of m Var(mean over units) / Var(one unit), of any unit."""

    def orthogonal_pairs(self, n_inputs: int, n_units: int) -> OrthogonalPairs | None:
        """Return which units have orthogonal directions, for units of one vector, or None."""
        return None

    def block_rows_for_map(self, n_inputs: int) -> int | None:
        """Return the rows per block that suit the cache; None leaves it to the map."""
        return None


class Gaussian(Projection):
    r"""Independent vectors, :math:`w_{jl} \sim N(0, I_d)`.

    A product costs 2 d m operations per row and piece.

    Examples
    --------
    >>> from mehler.features.projections import Gaussian
    >>> (weights,) = Gaussian().draw(0, 1, 3, 5, "float64")
    >>> weights.shape
    (1, 3, 5)
    """

    name: ClassVar[str] = "gaussian"
    independent: ClassVar[bool] = True

    def _some_units(self, of: Draw, units: slice) -> Weights:
        seed, q, d, dtype, stream = of
        n = units.stop - units.start
        return (_random.gaussian_weights(seed, stream, q, d, n, dtype, first=units.start),)

    def variance_factor(self, n_pieces: int, n_inputs: int, n_units: int) -> float:
        return 1.0


class SharedPool(Projection):
    """P = `n_projections` independent Gaussian vectors; each unit uses q distinct ones at random.

    A product costs 2 d P operations per row, for all pieces and units together. A fixed P does not
    converge: with ever more units the estimates tend to those of one pool. From Mroueh, Rennie,
    Goel (2015), Table 3.
    """

    name: ClassVar[str] = "shared"
    dense: ClassVar[bool] = False

    def __init__(self, n_projections: int) -> None:
        self.n_projections = require_integer("n_projections", n_projections)
        self._pools: dict[Draw, Any] = {}

    def check(self, n_pieces: int, n_inputs: int, n_units: int) -> None:
        """Raise ValueError if there are fewer vectors than a unit uses."""
        if self.n_projections < n_pieces:
            few = f"n_projections={self.n_projections} cannot give each unit pool_size={n_pieces}"
            raise ValueError(f"{few} distinct ones; make it larger")

    def n_weights(self, n_pieces: int, n_inputs: int, n_units: int) -> int:
        # An index is half a number.
        return self.n_projections * n_inputs + n_pieces * n_units // 2

    def _all_units(self, of: Draw, n_units: int) -> Weights:
        return self._pool(of), self._members(of, 0, n_units)

    def _pool(self, of: Draw) -> Any:
        """Draw the pool (P, d): each projection is a contiguous row, which the units gather."""
        sizes = 1, of.d, self.n_projections
        return _random.gaussian_weights(of.seed, of.stream, *sizes, of.dtype)[0].T.copy()

    def _members(self, of: Draw, first: int, n_units: int) -> Any:
        """Draw distinct indices into the pool for units from `first` on: (q, n_units)."""
        members = np.empty((of.q, n_units), dtype=np.int32)
        for rng, here, there in _random.generators(of.seed, _random.POOL_MEMBERS, first, n_units):
            # Units of a block are drawn in sequence: draw those before the first too.
            units = [rng.choice(self.n_projections, of.q, replace=False) for _ in range(there.stop)]
            members[:, here] = np.stack(units[there], axis=1)
        return members

    def _some_units(self, of: Draw, units: slice) -> Weights:
        if of not in self._pools:
            # Kept, since every block of units uses it.
            self._pools = {of: self._pool(of)}
        members = self._members(of, units.start, units.stop - units.start)
        distinct, places = np.unique(members, return_inverse=True)
        return self._pools[of][distinct], places.reshape(members.shape).astype(np.int32)

    def pieces(self, xp: ModuleType, rows: Array, *weights: Any) -> _arrays.Pieces:
        return _arrays.pooled(xp, rows, *weights)

    def block_rows_for_map(self, n_inputs: int) -> int | None:
        """Return rows of 1 MiB in float32, 64 to 512: units read all over the pool."""
        return max(64, min(512, (1 << 18) // self.n_projections))

    def variance_factor(self, n_pieces: int, n_inputs: int, n_units: int) -> float:
        """Return 1 + (m - 1) q/P: two units share q^2/P of their q vectors on average."""
        return 1.0 + (n_units - 1) * n_pieces / self.n_projections


_BITS = 30  # digits of a point of Sobol's; lower digits are drawn uniformly
_LEAST = 2.0**-54  # keeps quantiles finite: numbers nearer to 0 or 1 have probability 2^-53


class Sobol(Projection):
    """Sobol's sequence, scrambled by random linear maps and a random shift of digits.

    Point l of the sequence of dimension q d, at most 21201, is unit l: all its pieces. It is
    uniform on the cube, so that a unit is exactly Gaussian. Points are more even than independent
    ones, the more so the fewer coordinates matter; no useful bound on the variance holds in many
    dimensions, so that maps declare the trivial one, m times that of independent units. Another
    version of SciPy may draw other scrambles.

    References
    ----------
    `scipy.stats.qmc.Sobol`; J. Matousek (1998). What is exact: :doc:`/theorems/projections`.

    Examples
    --------
    >>> from mehler.features.projections import Sobol
    >>> (weights,) = Sobol().draw(0, 1, 3, 5, "float64")
    >>> weights.shape
    (1, 3, 5)
    """

    name: ClassVar[str] = "sobol"
    isotropic: ClassVar[bool] = False

    def check(self, n_pieces: int, n_inputs: int, n_units: int) -> None:
        """Raise ValueError beyond 21201 coordinates a unit."""
        from scipy.stats.qmc import Sobol as Sequence

        if n_pieces * n_inputs > Sequence.MAXDIM:
            has = f"{Sequence.MAXDIM} coordinates a unit, and these are {n_pieces} * {n_inputs}"
            raise ValueError(f"projections='sobol' has {has}: take another projection")

    def _all_units(self, of: Draw, n_units: int) -> Weights:
        from scipy.special import ndtri
        from scipy.stats.qmc import Sobol as Sequence

        rng = _random.generator(of.seed, _random.QUASI + of.stream, 0)
        sequence = Sequence(of.q * of.d, scramble=True, bits=_BITS, seed=rng)
        # Powers of 2 only: SciPy warns of other numbers, though any prefix is as uniform.
        points = sequence.random_base2((n_units - 1).bit_length())[:n_units]
        # The digits below the last scrambled one.
        uniform = points + rng.random(points.shape) * 2.0**-_BITS
        normal = ndtri(np.clip(uniform, _LEAST, 1.0 - 2.0 * _LEAST))
        weights = normal.reshape(n_units, of.q, of.d).transpose(1, 2, 0)
        return (np.ascontiguousarray(weights, dtype=of.dtype),)

    def variance_factor(self, n_pieces: int, n_inputs: int, n_units: int) -> float:
        """Return m, which holds for any dependence (Cauchy and Schwarz)."""
        return float(n_units)


# Entries b of a cell, a small orthogonal matrix in a block of `Hadamard`: excess variance 2/b,
# cost negligible next to transforms, b numbers per unit as weights.
CELL = 32


class Orthogonal(Projection):
    r"""Vectors in blocks of d: orthogonal directions, independent lengths.

    .. math:: w_l = r_l\, u_l, \quad (u_1, \dots, u_d) \sim \text{Haar}(O(d)), \quad
              r_l \sim \chi_d \text{ independent}

    A uniform direction times an independent :math:`\chi_d` is exactly :math:`N(0, I_d)`. Vectors
    of one block do not look the same way, so sums over units vary less where units see small
    differences; whatever they see, by at most 3/(d + 1) more than independent ones. Blocks and
    pieces are independent.

    Drawing costs 4/3 d^3 per block, by the reflections of Stewart (1980); products cost as much as
    Gaussian ones. Recipes of mehler 0.4.0 and before draw 'orthogonal-qr', as they did.
    Yu and others (2016); bound and proof: :doc:`/theorems/projections`.

    Examples
    --------
    >>> from mehler.features.projections import Orthogonal
    >>> weights = Orthogonal().draw(0, 1, 3, 5, "float64")[0][0]
    >>> bool(abs(weights[:, 0] @ weights[:, 1]) < 1e-14)
    True
    """

    name: ClassVar[str] = "orthogonal"

    def __init__(self, by_qr: bool = False) -> None:
        self._by_qr = by_qr

    def _all_units(self, of: Draw, n_units: int) -> Weights:
        d = of.d
        directions = haar if self._by_qr or d < _LARGE else reflected
        weights = np.empty((of.q, d, n_units), dtype=of.dtype)
        blocks = list(_arrays.slices(n_units, d))
        streams = _random.in_turn(of.seed, _random.ORTHOGONAL + of.stream, range(len(blocks)))
        for part in _arrays.slices(len(blocks), max(1, _TOGETHER // (of.q * d * d))):
            normals = np.empty((len(blocks[part]), of.q, d, d))
            lengths = np.empty((len(normals), of.q, 1, d))
            for i, rng in zip(range(len(normals)), streams):
                normals[i] = rng.standard_normal((of.q, d, d))
                lengths[i] = np.sqrt(rng.chisquare(d, size=(of.q, 1, d)))
            # Columns are the directions: one length per column.
            for units, block in zip(blocks[part], directions(normals) * lengths):
                weights[:, :, units] = block[:, :, : units.stop - units.start]
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


def haar(normals: Any) -> Any:
    """Return orthogonal matrices from Haar's measure, by normal ones of shape (..., d, d)."""
    q, r = np.linalg.qr(normals)
    # LAPACK chooses the signs of QR; multiplying by those of R's diagonal makes Q Haar.
    return q * np.where(np.diagonal(r, axis1=-2, axis2=-1) < 0.0, -1.0, 1.0)[..., None, :]


def reflected(normals: Any) -> Any:
    """Return orthogonal matrices from Haar's measure as products of reflections.

    QR of a normal matrix reflects in column k a normal vector of d - k entries, independent of
    those before: here the end of row k.
    """
    from scipy.linalg.lapack import dorgqr

    d, vectors = normals.shape[-1], np.triu(normals)
    pivots = np.diagonal(vectors, axis1=-2, axis2=-1).copy()
    ends = -np.copysign(np.sqrt(np.sum(vectors * vectors, axis=-1)), pivots)
    # The last vector has one entry, which is not reflected.
    factors, signs = (ends - pivots) / ends, np.copysign(1.0, ends)
    factors[..., -1], signs[..., -1] = 0.0, -signs[..., -1]
    vectors /= (pivots - ends)[..., None]
    for matrix, factor in zip(vectors.reshape(-1, d, d), factors.reshape(-1, d)):
        matrix[:] = dorgqr(matrix.T, factor, lwork=32 * d, overwrite_a=1)[0].T
    # The transpose of a Haar matrix is one, and is contiguous.
    vectors *= signs[..., None]
    return vectors


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

    A product costs about 4 (sqrt(D) + b) operations per unit and row, and D per row to begin with.
    Weights are b numbers per unit.

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
        """Return b numbers per unit, for whole blocks."""
        size = padded_size(n_inputs)
        blocks = -(-n_units // size)
        return n_pieces * blocks * size * cell(size) + 2 * size

    def _all_units(self, of: Draw, n_units: int) -> Weights:
        """Draw positions, signs, transforms, cells (q, blocks, D/b, b, b) and lengths (q, m, 1)."""
        size = padded_size(of.d)
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
            turns = haar(rng.standard_normal((of.q, size // b, b, b)))
            squares = rng.chisquare(b, size=(of.q, size // b, 1, 1))
            cells[:, block] = turns * np.sqrt(squares / squares.sum(axis=1, keepdims=True))
            norms = np.sqrt(rng.chisquare(size, size=(of.q, size, 1)))
            lengths[:, units] = norms[:, : units.stop - units.start]
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
        if _arrays.prefers_large_steps(rows):
            mixed = xp.reshape(_mixed(xp, cells, values, outer), (cells.shape[0], -1, n))
            units = mixed[:, : lengths.shape[1], :] * lengths
            return _arrays.StackedPieces(xp, xp.matrix_transpose(units))
        return _arrays.Pieces(xp, _in_turn(xp, values, cells, outer, lengths))

    def orthogonal_pairs(self, n_inputs: int, n_units: int) -> OrthogonalPairs:
        """Return all pairs of a block, and the excess of those that are not orthogonal."""
        size = padded_size(n_inputs)
        pairs, alike = _pairs(size, n_units)
        # P_n(tau) - P_n(0) <= tau^2 D/(D - 1) + 30/((D^2 - 1)(D + 3)), E tau^2 <= 2/(D - 1).
        most = 2.0 * size / (size - 1) ** 2 + 30.0 / ((size**2 - 1) * (size + 3)) if alike else 0.0
        return OrthogonalPairs(size, pairs / n_units, most * alike / n_units)

    def variance_factor(self, n_pieces: int, n_inputs: int, n_units: int) -> float:
        """Return 2 + (pairs + 5 pairs of equal place in their cells)/(m (D - 1)) <= 3 + 5/b.

        If one cell is the block, that of orthogonal blocks of D.
        """
        size = padded_size(n_inputs)
        pairs, alike = _pairs(size, n_units)
        if size == cell(size):
            return Orthogonal().variance_factor(n_pieces, size, n_units)
        return 2.0 + (pairs + 5.0 * alike) / (n_units * (size - 1)) if pairs else 1.0

    def block_rows_for_map(self, n_inputs: int) -> int | None:
        """Return rows of 256 KiB in float32, at least 64: transforms pass over them often."""
        return max(64, min(1024, (1 << 16) // padded_size(n_inputs)))


def _mixed(xp: ModuleType, cells: Array, values: Array, outer: Sequence[Array]) -> Array:
    """Return units (..., D, n) before their lengths, of rows (n_cells, b, n) after the first."""
    *batch, n_cells, b, _ = cells.shape
    n = values.shape[2]
    rotations = xp.reshape(xp.matmul(cells, values), (*batch, n_cells, b * n))
    return xp.reshape(transform(xp, rotations, *outer), (*batch, n_cells * b, n))


def _in_turn(
    xp: ModuleType, values: Array, cells: Array, outer: Sequence[Array], lengths: Array
) -> Iterator[Array]:
    q, n_blocks = cells.shape[:2]
    for j in range(q):
        blocks = [_mixed(xp, cells[j, k, :, :, :], values, outer) for k in range(n_blocks)]
        all_units = blocks[0] if n_blocks == 1 else xp.concat(blocks, axis=0)
        yield xp.matrix_transpose(all_units[: lengths.shape[1], :] * lengths[j, :, :])


def padded_size(n_inputs: int) -> int:
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


def factors(length: int, dtype: str) -> tuple[Any, ...]:
    """Return H_a and H_b with a b = `length`, a power of 2, and a near b."""
    from scipy.linalg import hadamard

    power = length.bit_length() - 1
    return tuple(hadamard(1 << part, dtype=dtype) for part in (power // 2, power - power // 2))


def transform(xp: ModuleType, values: Array, left: Array, right: Array) -> Array:
    """Compute (H_a (x) H_b) times `values`, shape (..., a b, n)."""
    a, b = left.shape[0], right.shape[0]
    *batch, size, n = values.shape
    values = xp.matmul(left, xp.reshape(values, (*batch, a, b * n)))
    values = xp.matmul(right, xp.reshape(values, (*batch, a, b, n)))
    return xp.reshape(values, (*batch, size, n))


_NAMED = {cls.name: cls for cls in (Gaussian, Orthogonal, Hadamard, Sobol)}
NAMES = tuple(_NAMED)


def named(name: ProjectionName | Literal["orthogonal-qr"]) -> Projection:
    """Return a new projection of that name, as in ``projections=`` of a map.

    Examples
    --------
    >>> named("orthogonal").independent
    False
    """
    require_kept("projection", name)
    if name == "orthogonal-qr":
        return Orthogonal(by_qr=True)
    return _NAMED[require_choice("projections", name, NAMES)]()
