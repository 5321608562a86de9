"""Strategies for unit vectors, made of small integers so that they shrink."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from mehler._arrays import Array
from mehler._validate import require_reals
from mehler.strategies._validate import require_count, require_range, require_size

# Largest numerator of a coordinate, fine enough for directions off all axes and diagonals.
_GRID = 100


@st.composite
def integer_rows(draw: st.DrawFn, n_rows: int, n_inputs: int) -> Any:
    """Generate nonzero rows of small integers; each shrinks to the last axis."""
    row = st.lists(st.integers(-_GRID, _GRID), min_size=n_inputs, max_size=n_inputs).map(_nonzero)
    return np.array([draw(row) for _ in range(n_rows)], dtype=np.float64)


def normalised(rows: Array) -> Any:
    """Normalise rows; failing examples print unit vectors as a call of this function.

    Parameters
    ----------
    rows : array, shape (n, n_inputs)
        Nonzero rows.

    Returns
    -------
    array, shape (n, n_inputs)
        Rows of length 1 within 4 roundings.

    Examples
    --------
    >>> normalised(np.array([[3.0, 4.0]]))
    array([[0.6, 0.8]])
    """
    rows = require_reals("rows", rows)
    if rows.ndim != 2:
        raise ValueError(f"rows have shape {rows.shape}, but must be a matrix")
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def unit_vectors(*, n_inputs: int, min_size: int = 1, max_size: int = 4) -> SearchStrategy[Any]:
    """Generate matrices of unit rows in directions off the axes; shrinks to one axis vector.

    Parameters
    ----------
    n_inputs : int
        Number of columns d.
    min_size, max_size : int
        Fewest and most rows.

    Returns
    -------
    SearchStrategy of float64 arrays, shape (n, n_inputs)
        Matrices of unit rows.

    Notes
    -----
    Rows are integers in [-100, 100] divided by their length, so they print exactly.

    Examples
    --------
    >>> from hypothesis import find
    >>> find(unit_vectors(n_inputs=3), lambda X: True)
    array([[0., 0., 1.]])
    """
    d = require_count("n_inputs", n_inputs, least=1)
    low, high = require_range(min_size, max_size, floor=1)
    require_size(high, d)
    return st.integers(low, high).flatmap(lambda n: integer_rows(n, d)).map(normalised)


def _nonzero(row: list[int]) -> list[int]:
    return row if any(row) else [*row[:-1], 1]
