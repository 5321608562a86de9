"""Projections: the base class, independent vectors, pools, and scrambled Sobol points."""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import ModuleType
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np

from mehler import _arrays, _random
from mehler._arrays import Array
from mehler._validate import require_choice, require_integer

ProjectionName: TypeAlias = Literal["gaussian", "orthogonal", "hadamard", "sobol"]
Weights: TypeAlias = tuple[Any, ...]

# Beyond it a slip of the hand is likelier than a wish.
_MOST_BYTES = 2**40


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
        asked = {"n_pieces": n_pieces, "n_inputs": n_inputs, "n_units": n_units}
        whole = {name: require_integer(name, size) for name, size in asked.items()}
        require_choice("dtype", dtype, ("float32", "float64"))
        require_integer("stream", stream, least=0)
        if 8 * self.n_weights(**whole) > _MOST_BYTES:
            listed = ", ".join(f"{name}={size}" for name, size in whole.items())
            raise ValueError(f"{listed} ask for more than 1 TiB of weights; make one smaller")
        self.check(**whole)
        q, d, m = whole.values()
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
        """Draw some of `n_units` units: bit for bit the weights that `draw` gives them.

        ValueError if this projection draws its units together, and these are not all.
        """
        of = Draw(seed, n_pieces, n_inputs, dtype, stream)
        whole = units == slice(0, n_units)
        return self._all_units(of, n_units) if whole else self._some_units(of, units)

    def _all_units(self, of: Draw, n_units: int) -> Weights:
        """Draw weights for checked arguments; by default as units drawn alone."""
        return self._some_units(of, slice(0, n_units))

    def _some_units(self, of: Draw, units: slice) -> Weights:
        together = f"projections={self.name!r} draws its units together, so that none can be had"
        raise ValueError(f"{together} alone: take projections='gaussian'")

    def pieces(self, xp: ModuleType, rows: Array, *weights: Any) -> _arrays.Pieces:
        """Yield products of rows with each piece of the weights: q arrays of shape (n, m).

        Weights are those of `draw`, in the namespace `xp` of the rows. The caller owns the first
        array. Each later one is valid until the next is requested, which may overwrite it.
        """
        return _arrays.products(xp, rows, *weights)

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

    A product costs 2 d m operations a row and piece.

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
    """P independent Gaussian vectors, of which each unit uses q distinct ones at random.

    A product costs 2 d P operations a row, for all pieces and units together. A fixed P does not
    converge: with ever more units the estimates tend to those of one pool.
    :class:`mehler.MaxoutFeatures` uses it for `n_projections`.

    Parameters
    ----------
    n_projections : int
        P, at least q.

    From Mroueh, Rennie, Goel (2015), Table 3.

    Examples
    --------
    >>> from mehler.features.projections import SharedPool
    >>> pool, members = SharedPool(7).draw(0, 2, 3, 5, "float64")
    >>> pool.shape, members.shape
    ((7, 3), (2, 5))
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
        members = _random.pool_members(of.seed, self.n_projections, of.q, n_units)
        return self._pool(of), members

    def _pool(self, of: Draw) -> Any:
        """Draw the pool (P, d): each projection is a contiguous row, which the units gather."""
        weights = _random.gaussian_weights(
            of.seed, of.stream, 1, of.d, self.n_projections, of.dtype
        )
        return weights[0].T.copy()

    def _some_units(self, of: Draw, units: slice) -> Weights:
        if of not in self._pools:
            # Kept, since every block of units uses it.
            self._pools = {of: self._pool(of)}
        n, first = units.stop - units.start, units.start
        members = _random.pool_members(of.seed, self.n_projections, of.q, n, first=first)
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


# Digits of a point of Sobol's; lower digits are drawn uniformly.
_BITS = 30
# Keeps quantiles finite: uniform numbers nearer to 0 or 1 have probability 2^-53.
_LEAST = 2.0**-54


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
        """Raise ValueError beyond 21201 coordinates a unit, or 2^30 units."""
        from scipy.stats.qmc import Sobol as Sequence

        has = f"{Sequence.MAXDIM} coordinates a unit, and these are {n_pieces} * {n_inputs}"
        if n_units > 1 << _BITS:
            has = f"2^{_BITS} points, fewer than {n_units} units"
        if n_units > 1 << _BITS or n_pieces * n_inputs > Sequence.MAXDIM:
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
