"""Base class of projections: weights from a seed, products with rows, cost of dependence."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias

from mehler import _arrays, _random
from mehler._validate import require_choice, require_integer

ProjectionName: TypeAlias = Literal["gaussian", "orthogonal", "hadamard", "sobol", "halton"]

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

        Raises
        ------
        TypeError, ValueError
            If an argument is not of its kind, or they ask for too many weights.
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

        Raises
        ------
        ValueError
            If units of this projection are drawn together.
        """
        raise ValueError(
            f"projections={self.name!r} draws its units together, so that none can be had alone: "
            "take projections='gaussian'"
        )

    def pieces(self, xp: Any, rows: _arrays.Array, *weights: Any) -> Iterator[_arrays.Array]:
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


def products(xp: Any, rows: _arrays.Array, weights: _arrays.Array) -> Iterator[_arrays.Array]:
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
