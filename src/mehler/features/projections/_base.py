"""Projections: the base class, and those that are stored as matrices."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from types import ModuleType
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np

from mehler import _arrays, _random
from mehler._arrays import Array
from mehler._validate import require_choice, require_integer

ProjectionName: TypeAlias = Literal["gaussian", "orthogonal", "hadamard", "sobol"]

# Beyond it a slip of the hand is likelier than a wish.
_MOST_BYTES = 2**40


class OrthogonalPairs(NamedTuple):
    """Pairs of units with orthogonal directions, for units of one direction.

    Attributes
    ----------
    dimension : int
        Dimension in which the directions are orthogonal.
    pairs : float
        Mean number of other units in the same block.
    excess : float
        Largest contribution of directions that are not quite orthogonal to the sum of covariances
        with other units, in units of a unit's variance.
    """

    dimension: int
    pairs: float
    excess: float


class Projection(ABC):
    r"""Random vectors in q pieces of m, each of them exactly :math:`N(0, I_d)`.

    The q vectors of a unit are independent, so that any function of them has the distribution
    that it has under independent Gaussian weights, and means over draws are the same. Units may
    depend on each other, which changes variances of sums over units. Throughout, `n_pieces` is q,
    `n_inputs` d and `n_units` m.

    Attributes
    ----------
    name : str
        Name in ``projections=`` of the maps.
    independent : bool
        Whether units are independent.
    dense : bool
        Whether the weights are one matrix (q, d, m).
    isotropic : bool
        Whether the dependence between units is invariant to rotations of the rows.
    """

    name: ClassVar[str]
    independent: ClassVar[bool] = False
    dense: ClassVar[bool] = True
    isotropic: ClassVar[bool] = True

    def check(self, n_pieces: int, n_inputs: int, n_units: int) -> None:  # noqa: B027  # a hook
        """Raise ValueError if the projection does not exist for these sizes; most always do."""

    def n_weights(self, n_pieces: int, n_inputs: int, n_units: int) -> int:
        """Return about how many numbers `draw` stores."""
        return n_pieces * n_inputs * n_units

    def draw(
        self,
        seed: int,
        n_pieces: int,
        n_inputs: int,
        n_units: int,
        dtype: str,
        stream: int = _random.WEIGHTS,
    ) -> tuple[Any, ...]:
        """Draw weights, on the host, in float64 and rounded to `dtype`.

        Parameters
        ----------
        seed : int
            Same seed, same weights; more units keep the first ones.
        n_pieces, n_inputs, n_units : int
            Sizes q, d and m.
        dtype : {'float32', 'float64'}
            Dtype of the weights.
        stream : int
            A number of `mehler._random`: projections of different streams are independent.

        Returns
        -------
        tuple of numpy.ndarray
            Arguments of `pieces` after the rows.
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
        sizes = (whole["n_pieces"], whole["n_inputs"], whole["n_units"])
        return self._draw(seed, *sizes, dtype, stream)

    def _draw(
        self, seed: int, n_pieces: int, n_inputs: int, n_units: int, dtype: str, stream: int
    ) -> tuple[Any, ...]:
        """Draw weights for checked arguments; by default as units drawn alone."""
        units = slice(0, n_units)
        return self.draw_units(seed, n_pieces, n_inputs, units, dtype, stream=stream)

    def shared(self, seed: int, n_inputs: int, dtype: str) -> tuple[Any, ...]:
        """Draw weights shared by all units, once, for `draw_units`; most projections have none."""
        return ()

    def draw_units(
        self,
        seed: int,
        n_pieces: int,
        n_inputs: int,
        units: slice,
        dtype: str,
        shared: tuple[Any, ...] = (),
        stream: int = _random.WEIGHTS,
    ) -> tuple[Any, ...]:
        """Draw some units alone: bit for bit the weights that `draw` gives them.

        ValueError if this projection draws its units together.

        Parameters
        ----------
        seed, n_pieces, n_inputs, dtype, stream
            As for `draw`.
        units : slice
            The units.
        shared : tuple of numpy.ndarray, optional
            Result of `shared`.

        Returns
        -------
        tuple of numpy.ndarray
            Arguments of `pieces` after the rows, for these units.
        """
        raise ValueError(
            f"projections={self.name!r} draws its units together, so that none can be had alone: "
            "take projections='gaussian'"
        )

    def pieces(self, xp: ModuleType, rows: Array, *weights: Any) -> Iterator[Array]:
        """Yield products of rows with each piece of the weights: q arrays of shape (n, m).

        The caller owns the first array. Each later one is valid until the next is requested, which
        may overwrite it.

        Parameters
        ----------
        xp : namespace
            Array API namespace of the rows.
        rows : array, shape (n, d)
            Rows.
        *weights : array
            Result of `draw` or `draw_units`, on the device of the rows.
        """
        return products(xp, rows, *weights)

    @abstractmethod
    def variance_factor(self, n_pieces: int, n_inputs: int, n_units: int) -> float:
        """Return a proved bound of m Var(mean over units) / Var(one unit), for any unit function.

        It is 1 for independent units.
        """

    def orthogonal_pairs(self, n_inputs: int, n_units: int) -> OrthogonalPairs | None:
        """Return which units have orthogonal directions, for units of one vector, or None."""
        return None

    def block_rows_for_map(self, n_inputs: int) -> int | None:
        """Return the rows per block that suit the cache; None leaves it to the map."""
        return None


def products(xp: ModuleType, rows: Array, weights: Array) -> Iterator[Array]:
    """Return products with dense weights (q, d, m), piece by piece."""
    if weights.shape[0] == 1:
        return iter((xp.matmul(rows, weights[0, :, :]),))
    if _arrays.is_on_accelerator(rows):
        return _arrays.StackedProducts(xp.matmul(rows, weights))
    if _arrays.is_numpy_array(rows):
        return _arrays.HostProducts(rows, weights)
    if _arrays.ReusedBuffer.serves(rows, weights):
        return _arrays.ReusedBuffer(rows, weights)
    return (xp.matmul(rows, weights[j, :, :]) for j in range(weights.shape[0]))


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

    def draw_units(
        self,
        seed: int,
        n_pieces: int,
        n_inputs: int,
        units: slice,
        dtype: str,
        shared: tuple[Any, ...] = (),
        stream: int = _random.WEIGHTS,
    ) -> tuple[Any, ...]:
        n = units.stop - units.start
        weights = _random.gaussian_weights(
            seed, stream, n_pieces, n_inputs, n, dtype, first=units.start
        )
        return (weights,)

    def variance_factor(self, n_pieces: int, n_inputs: int, n_units: int) -> float:
        return 1.0


class Orthogonal(Projection):
    r"""Vectors in blocks of d: orthogonal directions, independent lengths.

    .. math:: w_l = r_l\, u_l, \quad (u_1, \dots, u_d) \sim \text{Haar}(O(d)), \quad
              r_l \sim \chi_d \text{ independent}

    A uniform direction times an independent :math:`\chi_d` is exactly :math:`N(0, I_d)`. Vectors
    of one block do not look the same way, so sums over units vary less where units see small
    differences: for squares of projections not at all but for the lengths. Whatever the units do,
    they vary by at most 3/(d + 1) more than independent ones. Blocks and pieces are independent.

    Drawing costs a QR factorisation a block, about 3 d^3; products cost as much as Gaussian ones.
    Weights are the same on every array library; across processors they differ by the rounding of
    LAPACK, see :mod:`mehler.features.projections`.

    References
    ----------
    Yu, Suresh, Choromanski, Holtmann-Rice, Kumar (2016), Orthogonal random features. Bound and
    proof: :doc:`/theorems/projections`.

    Examples
    --------
    >>> import numpy as np
    >>> from mehler.features.projections import Orthogonal
    >>> weights = Orthogonal().draw(0, 1, 3, 5, "float64")[0][0]
    >>> gram = weights.T @ weights
    >>> bool(np.abs(gram[:3, :3] - np.diag(np.diag(gram)[:3])).max() < 1e-14)
    True
    """

    name: ClassVar[str] = "orthogonal"

    def _draw(
        self, seed: int, n_pieces: int, n_inputs: int, n_units: int, dtype: str, stream: int
    ) -> tuple[Any, ...]:
        d = n_inputs
        weights = np.empty((n_pieces, d, n_units), dtype=dtype)
        for block, units in enumerate(_arrays.slices(n_units, d)):
            rng = _random.generator(seed, _random.ORTHOGONAL + stream, block)
            drawn = haar(rng, n_pieces, d)
            # Columns are the directions: one length per column.
            drawn *= np.sqrt(rng.chisquare(d, size=(n_pieces, 1, d)))
            weights[:, :, units] = drawn[:, :, : units.stop - units.start]
        return (weights,)

    def pairs(self, n_inputs: int, n_units: int) -> int:
        """Count ordered pairs of distinct units that share a block."""
        whole, rest = divmod(n_units, n_inputs)
        return whole * n_inputs * (n_inputs - 1) + rest * (rest - 1)

    def orthogonal_pairs(self, n_inputs: int, n_units: int) -> OrthogonalPairs:
        """Return all pairs of a block."""
        return OrthogonalPairs(n_inputs, self.pairs(n_inputs, n_units) / n_units, 0.0)

    def variance_factor(self, n_pieces: int, n_inputs: int, n_units: int) -> float:
        """Return 1 + 3 (b - 1)/(d^2 - 1) for blocks of b units: at most 1 + 3/(d + 1)."""
        pairs = self.pairs(n_inputs, n_units)
        return 1.0 + 3.0 * pairs / (n_units * (n_inputs**2 - 1)) if pairs else 1.0


def haar(rng: np.random.Generator, n: int, d: int) -> Any:
    """Return n orthogonal matrices from Haar's measure, shape (n, d, d)."""
    q, r = np.linalg.qr(rng.standard_normal((n, d, d)))
    # LAPACK chooses the signs of QR; multiplying by those of R's diagonal makes Q Haar.
    return q * np.where(np.diagonal(r, axis1=1, axis2=2) < 0.0, -1.0, 1.0)[:, None, :]


class SharedPool(Projection):
    """P independent Gaussian vectors, of which each unit uses q distinct ones at random.

    A product costs 2 d P operations a row, for all pieces and units together. A fixed P does not
    converge: with ever more units the estimates tend to those of one pool.

    Parameters
    ----------
    n_projections : int
        P, at least q.

    See Also
    --------
    mehler.MaxoutFeatures : Uses it for `n_projections`.

    References
    ----------
    Mroueh, Rennie, Goel (2015), Table 3.

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

    def check(self, n_pieces: int, n_inputs: int, n_units: int) -> None:
        """Raise ValueError if there are fewer vectors than a unit uses."""
        if self.n_projections < n_pieces:
            raise ValueError(
                f"n_projections={self.n_projections} cannot give each unit pool_size={n_pieces} "
                "distinct ones; make it larger"
            )

    def n_weights(self, n_pieces: int, n_inputs: int, n_units: int) -> int:
        """Return the size of the pool, plus half a number per index."""
        return self.n_projections * n_inputs + n_pieces * n_units // 2

    def _draw(
        self, seed: int, n_pieces: int, n_inputs: int, n_units: int, dtype: str, stream: int
    ) -> tuple[Any, ...]:
        """Draw the pool (P, d) and the members of each unit (q, m)."""
        members = _random.pool_members(seed, self.n_projections, n_pieces, n_units)
        return (*self.shared(seed, n_inputs, dtype, stream), members)

    def shared(
        self, seed: int, n_inputs: int, dtype: str, stream: int = _random.WEIGHTS
    ) -> tuple[Any, ...]:
        """Draw the pool (P, d)."""
        weights = _random.gaussian_weights(seed, stream, 1, n_inputs, self.n_projections, dtype)
        # Transposed, so that each projection is a contiguous row, which the units gather.
        return (weights[0].T.copy(),)

    def draw_units(
        self,
        seed: int,
        n_pieces: int,
        n_inputs: int,
        units: slice,
        dtype: str,
        shared: tuple[Any, ...] = (),
        stream: int = _random.WEIGHTS,
    ) -> tuple[Any, ...]:
        """Return the vectors that some units use, and the members of each."""
        (pool,) = shared or self.shared(seed, n_inputs, dtype, stream)
        n = units.stop - units.start
        members = _random.pool_members(seed, self.n_projections, n_pieces, n, first=units.start)
        distinct, places = np.unique(members, return_inverse=True)
        return pool[distinct], places.reshape(members.shape).astype(np.int32)

    def pieces(self, xp: ModuleType, rows: Array, *weights: Any) -> Iterator[Array]:
        pool, members = weights
        projected = xp.matmul(pool, xp.matrix_transpose(rows))
        if _arrays.is_on_accelerator(rows):
            return _arrays.StackedProducts(_taken(xp, projected, members))
        return _in_turn(xp, projected, members)

    def block_rows_for_map(self, n_inputs: int) -> int | None:
        """Return rows of 1 MiB in float32, 64 to 512: units read all over the pool."""
        return max(64, min(512, (1 << 18) // self.n_projections))

    def variance_factor(self, n_pieces: int, n_inputs: int, n_units: int) -> float:
        r"""Return 1 + (m - 1) q/P.

        Two units that share r of their q vectors have covariance C_r. The product of a unit is a
        symmetric function of q independent pairs, so by its Hoeffding decomposition
        C_r = sum over k <= r of binom(r, k) zeta_k with zeta_k >= 0: convex in r, C_0 = 0 and
        C_q = V, hence 0 <= C_r <= (r/q) V. The mean overlap is q^2/P.
        """
        return 1.0 + (n_units - 1) * n_pieces / self.n_projections


def _taken(xp: ModuleType, projected: Array, members: Array) -> Array:
    """Return all pieces at once, (q, n, m): the rows (P, n) that each member names, transposed."""
    gathered = xp.take(projected, xp.reshape(members, (-1,)), axis=0)
    return xp.matrix_transpose(xp.reshape(gathered, (*members.shape, projected.shape[1])))


def _in_turn(xp: ModuleType, projected: Array, members: Array) -> Iterator[Array]:
    yield xp.matrix_transpose(xp.take(projected, members[0, :], axis=0))
    piece = None
    for j in range(1, members.shape[0]):
        piece = _arrays.take_rows(xp, projected, members[j, :], piece)
        yield xp.matrix_transpose(piece)
