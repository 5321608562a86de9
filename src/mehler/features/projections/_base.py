"""What every projection is: weights from a seed, products with rows, and what dependence costs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple

from mehler import _arrays, _random


class OrthogonalPairs(NamedTuple):
    """How the units of a projection see each other, for units of one direction.

    Attributes
    ----------
    dimension : int
        In which directions are orthogonal.
    pairs : float
        Other units of the same block, on average.
    excess : float
        What pairs of directions that are not quite orthogonal add to the sum of covariances with
        other units, at most, in units of a unit's variance.
    """

    dimension: int
    pairs: float
    excess: float


class Projection(ABC):
    r"""Random vectors in q pieces of m, each of them exactly :math:`N(0, I_d)`.

    The q vectors of a unit are independent, so that whatever a unit computes from them has the
    law that it has under independent Gaussian weights: means over draws are the same. Only units
    may depend on each other, which changes variances of sums over units.

    Attributes
    ----------
    name : str
        What ``projections=`` of the maps calls it.
    independent : bool
        Whether units are independent.
    dense : bool
        Whether the weights are one matrix (q, d, m).
    isotropic : bool
        Whether dependence between units is the same in all directions, so that turning the rows
        does not matter.
    """

    name: ClassVar[str]
    independent: ClassVar[bool] = False
    dense: ClassVar[bool] = True
    isotropic: ClassVar[bool] = True

    def check(self, n_pieces: int, n_inputs: int, n_units: int) -> None:  # noqa: B027  # a hook
        """Raise ValueError if there is no such projection of these sizes; most have all."""

    def n_weights(self, n_pieces: int, n_inputs: int, n_units: int) -> int:
        """How many numbers `draw` keeps, about."""
        return n_pieces * n_inputs * n_units

    @abstractmethod
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
            q, d and m.
        dtype : {'float32', 'float64'}
        stream : int
            A number of `mehler._random`: projections of different streams are independent.

        Returns
        -------
        tuple of numpy.ndarray
            What `pieces` takes after the rows.
        """

    def shared(self, seed: int, n_inputs: int, dtype: str) -> tuple[Any, ...]:
        """Weights that no unit has for itself: drawn once, for `draw_units`; most have none."""
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
            From a first unit to the one before its stop.
        shared : tuple of numpy.ndarray, optional
            What `shared` gave.

        Returns
        -------
        tuple of numpy.ndarray
            What `pieces` takes after the rows, for these units.

        Raises
        ------
        ValueError
            If units of this projection are drawn together.
        """
        raise ValueError(
            f"projections={self.name!r} draws its units together, so that none can be had alone: "
            "take projections='gaussian'"
        )

    @abstractmethod
    def pieces(self, xp: Any, rows: _arrays.Array, *weights: Any) -> Iterator[_arrays.Array]:
        """Products of rows (n, d) with each piece of the weights: q arrays of shape (n, m).

        The first array is the caller's own. Each later one is valid until the next is asked for:
        it may be overwritten then.
        """

    @abstractmethod
    def variance_factor(self, n_pieces: int, n_inputs: int, n_units: int) -> float:
        """Return a proved bound on m Var(mean over units) / Var(one unit), whatever a unit does.

        It is 1 for independent units.
        """

    def orthogonal_pairs(self, n_inputs: int, n_units: int) -> OrthogonalPairs | None:
        """Return which units have orthogonal directions, for units of one vector; None: none."""
        return None

    def block_rows_for_map(self, n_inputs: int) -> int | None:
        """How many rows at a time suit the cache; None leaves it to the map."""
        return None


def products(xp: Any, rows: _arrays.Array, weights: _arrays.Array) -> Iterator[_arrays.Array]:
    """Products with dense weights (q, d, m), piece by piece.

    The piece after the next overwrites one: then only two blocks are alive, both in cache.
    """
    yield xp.matmul(rows, weights[0, :, :])
    piece = None
    for j in range(1, weights.shape[0]):
        piece = _arrays.matmul(xp, rows, weights[j, :, :], piece)
        yield piece
