"""Groups made of other groups, or of matrices and functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mehler._random import require_seed
from mehler._validate import require_function, require_integer, require_reals
from mehler.features.groups._coordinate import gather, scatter
from mehler.features.groups._group import Group, as_group

# Each is a matrix.
_MOST_MAPS = 10**6


class LinearMaps(Group):
    """A list of linear maps, given as matrices or as functions of rows.

    Parameters
    ----------
    maps : array of shape (r, d, d), or sequence
        Matrices A (t goes to A t), or functions (n, d) -> (n, d) that map each row linearly:
        they are called once, on the unit vectors, and kept as matrices.
    n_inputs : int, optional
        Dimension d; needed if all maps are functions.

    Raises
    ------
    TypeError, ValueError
        If they are not finite square matrices of one size, or a function is not linear.

    See Also
    --------
    Group : The interface.

    Notes
    -----
    Not checked to be a group, and treated as a list. Recipes contain the matrices.

    Examples
    --------
    >>> import numpy as np
    >>> maps = LinearMaps([np.eye(3), lambda rows: 0.5 * rows], n_inputs=3)
    >>> maps.order, maps.orthogonal
    (2, False)
    """

    def __init__(self, maps: Any, n_inputs: int | None = None) -> None:
        if not hasattr(maps, "__len__") or len(maps) == 0:
            raise ValueError("maps must list at least one matrix or function")
        d = _width(maps, n_inputs)
        matrices = np.stack([_matrix(one, d, place) for place, one in enumerate(maps)])
        matrices.setflags(write=False)
        self._matrices = matrices
        gram = np.swapaxes(matrices, 1, 2) @ matrices
        keeps = bool(np.abs(gram - np.eye(d)).max() < 1e-12)
        super().__init__(d, len(matrices), orthogonal=keeps, closed=False)

    @classmethod
    def sampled(
        cls, sampler: Callable[[np.random.Generator], Any], r: int, *, n_inputs: int, seed: int
    ) -> LinearMaps:
        """Draw a fixed list of r maps.

        Parameters
        ----------
        sampler : callable
            Generator -> matrix or function of rows.
        r : int
            Number of maps.
        n_inputs : int
            Dimension d.
        seed : int
            Seed of the generator.

        Returns
        -------
        LinearMaps
            The list.

        Examples
        --------
        >>> LinearMaps.sampled(lambda rng: rng.random() * np.eye(2), 5, n_inputs=2, seed=0).order
        5
        """
        rng = np.random.Generator(np.random.Philox(require_seed(seed)))
        require_function("sampler", sampler)
        r = require_integer("r", r, most=_MOST_MAPS)
        return cls([sampler(rng) for _ in range(r)], n_inputs=n_inputs)

    @property
    def matrices(self) -> Any:
        """Matrices of the maps, shape (order, d, d); read-only."""
        return self._matrices

    def _listed(self) -> Any:
        return np.arange(self.order)[:, None]

    def _apply(self, rows: Any, elements: Any) -> Any:
        return rows @ np.swapaxes(self._matrices[elements[:, 0]], 1, 2).astype(rows.dtype)

    def _transpose(self, rows: Any, elements: Any) -> Any:
        return rows @ self._matrices[elements[:, 0]].astype(rows.dtype)

    def _parameters(self) -> dict[str, Any]:
        return {"maps": self._matrices.tolist()}

    def __repr__(self) -> str:
        """Print the number of maps, not their entries."""
        return f"<{self.order} linear maps of {self.n_inputs} coordinates>"


def _width(maps: Sequence[Any], n_inputs: int | None) -> int:
    if n_inputs is not None:
        return require_integer("n_inputs", n_inputs)
    sizes = [np.shape(one)[-1] for one in maps if not callable(one) and np.ndim(one) == 2]
    if not sizes:
        raise ValueError("n_inputs is not known: give it, or at least one matrix")
    return int(sizes[0])


def _matrix(one: Any, d: int, place: int) -> Any:
    if not callable(one):
        matrix = np.array(require_reals(f"maps[{place}]", one, finite=False))
    else:
        # Images of unit row vectors are the columns of the matrix.
        matrix = np.asarray(one(np.eye(d)), dtype=np.float64).T
        probe = np.cos(np.arange(2.0 * d)).reshape(2, d)
        found = np.asarray(one(probe))
        if found.shape != probe.shape or not np.allclose(found, probe @ matrix.T, atol=1e-9):
            raise ValueError(f"maps[{place}] is not a linear function of each row by itself")
    if matrix.shape != (d, d) or not np.isfinite(matrix).all():
        raise ValueError(
            f"maps[{place}] has shape {matrix.shape}: it must be a finite {d} x {d} matrix"
        )
    return matrix


# Most pairs of elements tested for commutation.
_LOOKS = 4096


class _Pair(Group):
    """Base of pairs of groups: elements of the first vary slowest."""

    first: Group
    second: Group

    @property
    def moves_coordinates(self) -> bool:
        """Whether the elements of both do."""
        return self.first.moves_coordinates and self.second.moves_coordinates

    def _listed(self) -> Any:
        a, b = self.first.elements(), self.second.elements()
        left, right = np.repeat(a, len(b), axis=0), np.tile(b, (len(a), 1))
        return np.concatenate([left, right], axis=1)

    def _sample(self, r: int, rng: np.random.Generator, replacement: bool) -> Any:
        if not replacement and self.order <= 10**6:
            chosen = rng.permutation(self.order)[:r]
            i, j = np.divmod(chosen, self.second.order)
            return np.concatenate([self.first.elements()[i], self.second.elements()[j]], axis=1)
        if not replacement:
            raise ValueError(
                f"{self!r} has too many elements to draw distinct ones: use replacement=True, "
                "where equal ones are rare"
            )
        halves = [each.sample(r, rng, replacement=True) for each in (self.first, self.second)]
        return np.concatenate(halves, axis=1)

    def _split(self, elements: Any) -> tuple[Any, Any]:
        width = self.first.sample(1, np.random.default_rng(0)).shape[1]
        return elements[:, :width], elements[:, width:]

    def _parameters(self) -> dict[str, Any]:
        return {"first": self.first.recipe(), "second": self.second.recipe()}

    def __repr__(self) -> str:
        """Print both."""
        return f"{type(self).__name__}({self.first!r}, {self.second!r})"


class DirectProduct(_Pair):
    """Every element of `first` after every element of `second`, on the same coordinates.

    Parameters
    ----------
    first, second : Group or recipe

    Raises
    ------
    ValueError
        If they act on different numbers of coordinates.

    See Also
    --------
    DirectSum : Groups on separate coordinates.

    Notes
    -----
    It is a group (`closed`) where both are and their elements commute, such as shifts and
    changes of all signs; else a list of compositions, such as rotations of shifts.

    Examples
    --------
    >>> from mehler.features import groups
    >>> both = DirectProduct(groups.ImageShifts(4, 4), groups.QuarterTurns(4))
    >>> both.order, both.closed
    (64, False)
    """

    def __init__(self, first: Any, second: Any) -> None:
        self.first, self.second = as_group(first, "first"), as_group(second, "second")
        if self.first.n_inputs != self.second.n_inputs:
            raise ValueError(
                f"{self.first!r} acts on {self.first.n_inputs} coordinates but {self.second!r} "
                f"on {self.second.n_inputs}; for coordinates side by side use DirectSum"
            )
        super().__init__(
            self.first.n_inputs,
            self.first.order * self.second.order,
            orthogonal=self.first.orthogonal and self.second.orthogonal,
            closed=self.first.closed and self.second.closed and _commute(self.first, self.second),
        )

    def coordinates(self, elements: Any) -> tuple[Any, Any] | None:
        """Return index and sign of each coordinate, if both groups have them."""
        left, right = self._split(np.asarray(elements))
        outer, inner = self.first.coordinates(left), self.second.coordinates(right)
        if outer is None or inner is None:
            return None
        index = np.take_along_axis(inner[0], outer[0], axis=1)
        return index, outer[1] * np.take_along_axis(inner[1], outer[0], axis=1)

    def _apply(self, rows: Any, elements: Any) -> Any:
        return self._composed(rows, elements, gather, self.second.apply, self.first.apply)

    def _transpose(self, rows: Any, elements: Any) -> Any:
        return self._composed(rows, elements, scatter, self.first.transpose, self.second.transpose)

    def _composed(self, rows: Any, elements: Any, move: Any, before: Any, after: Any) -> Any:
        moved = self.coordinates(elements)
        if moved is not None:
            return move(rows, *moved)
        parts = self._split(elements)
        early, late = parts[::-1] if move is gather else parts
        return np.stack([after(before(rows, a[None])[0], b[None])[0] for a, b in zip(early, late)])


class DirectSum(_Pair):
    """Two groups side by side: `first` on the first coordinates, `second` on the others.

    Parameters
    ----------
    first, second : Group or recipe

    See Also
    --------
    DirectProduct : Groups on the same coordinates.

    Examples
    --------
    >>> from mehler.features import groups
    >>> DirectSum(groups.CyclicShifts(3), groups.SignFlips(2)).n_inputs
    5
    """

    def __init__(self, first: Any, second: Any) -> None:
        self.first, self.second = as_group(first, "first"), as_group(second, "second")
        super().__init__(
            self.first.n_inputs + self.second.n_inputs,
            self.first.order * self.second.order,
            orthogonal=self.first.orthogonal and self.second.orthogonal,
            closed=self.first.closed and self.second.closed,
        )

    def coordinates(self, elements: Any) -> tuple[Any, Any] | None:
        """Return index and sign of each coordinate, if both groups have them."""
        left, right = self._split(np.asarray(elements))
        ours, theirs = self.first.coordinates(left), self.second.coordinates(right)
        if ours is None or theirs is None:
            return None
        index = np.concatenate([ours[0], theirs[0] + self.first.n_inputs], axis=1)
        return index, np.concatenate([ours[1], theirs[1]], axis=1)

    def _apply(self, rows: Any, elements: Any) -> Any:
        return self._joined(rows, elements, "apply")

    def _transpose(self, rows: Any, elements: Any) -> Any:
        return self._joined(rows, elements, "transpose")

    def _joined(self, rows: Any, elements: Any, how: str) -> Any:
        left, right = self._split(elements)
        d = self.first.n_inputs
        ours = getattr(self.first, how)(rows[:, :d], left)
        return np.concatenate([ours, getattr(self.second, how)(rows[:, d:], right)], axis=2)


def _commute(first: Group, second: Group) -> bool:
    """Return whether elements commute on a generic row; tests a sample of pairs, if many."""
    rng = np.random.default_rng(0)
    row = rng.standard_normal((1, first.n_inputs))
    if first.order * second.order <= _LOOKS:
        a, b = first.elements(), second.elements()
    else:
        a, b = (each.sample(64, rng, replacement=True) for each in (first, second))
    one = first.apply(second.apply(row, b)[:, 0], a)
    other = second.apply(first.apply(row, a)[:, 0], b)
    return bool(np.allclose(one, np.swapaxes(other, 0, 1), rtol=0.0, atol=1e-12))
