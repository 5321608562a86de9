"""Lists of arbitrary linear maps: matrices, functions, or draws of a sampler."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mehler._random import require_seed
from mehler._validate import require_function, require_integer, require_reals
from mehler.features.groups._group import Group

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
