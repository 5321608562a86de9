"""Hypothesis strategies for rows: unit vectors, pairs near special correlations, and edge cases."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from mehler._arrays import Array
from mehler._validate import require_choice, require_reals
from mehler.strategies._numbers import require_count, require_members, require_range, require_size

# Largest coordinate before rows are normalised, enough for directions off axes and diagonals.
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


# Correlations are 2^-k from 0, 1 or -1, for k down to where 1 - rho is a few roundings of rho.
_FINEST = 50


class Pair(NamedTuple):
    """Two unit vectors and their correlation."""

    x: Any
    y: Any
    rho: float


def adversarial_pairs(
    *, n_inputs: int, near: Iterable[Literal[0, 1, -1]] | None = None
) -> SearchStrategy[Pair]:
    """Generate pairs of correlation at, or within 2^-k of, 0, 1 or -1, where maps often fail.

    Parameters
    ----------
    n_inputs : int
        Dimension d, at least 2.
    near : list of int, optional
        Some of 0, 1, -1; default all.

    Returns
    -------
    SearchStrategy of tuples
        ``x`` and ``y`` of shape (n_inputs,), float64, and ``rho``; shrinks to 0, 1 or -1 itself.

    Notes
    -----
    <x, y> = rho to within 16 roundings; at rho = 1 and -1, y = x and -x exactly. Near these the
    distance of the rows, sqrt(2 (1 - rho)), is more accurate than their inner product.

    Examples
    --------
    >>> from hypothesis import find
    >>> find(adversarial_pairs(n_inputs=2, near=[1]), lambda pair: pair.rho < 1).rho
    0.0
    """
    d = require_count("n_inputs", n_inputs, least=2)
    centres = require_members("near", near, (0, 1, -1))
    return st.tuples(_frames(d), _correlations(centres)).map(lambda pair: _pair(*pair))


@st.composite
def _correlations(draw: st.DrawFn, centres: list[int]) -> float:
    """Generate a correlation at one of the centres 0, 1 and -1, or 2^-k from it."""
    centre = draw(st.sampled_from(centres))
    # k = 0 is the centre itself; then distances fall from 1.
    k = draw(st.integers(0, _FINEST + 1))
    gap = 0.0 if k == 0 else math.ldexp(1.0, 1 - k)
    # Draw it at every centre, since an example of fewer draws counts as simpler.
    side = draw(st.sampled_from((1.0, -1.0)))
    return side * gap if centre == 0 else centre * (1.0 - gap)


@st.composite
def _frames(draw: st.DrawFn, n_inputs: int) -> tuple[Any, Any]:
    """Generate a unit vector x and a unit vector u orthogonal to it; u is 0 in one dimension."""
    x, v = draw(integer_rows(2, n_inputs))
    x = x / np.linalg.norm(x)
    if n_inputs == 1:
        return x, np.zeros(1)
    u = v - (v @ x) * x
    if np.linalg.norm(u) < 1e-9:  # v is parallel to x: integers leave a gap or nothing
        axis = np.zeros(n_inputs)
        axis[np.argmin(np.abs(x))] = 1.0
        u = axis - (axis @ x) * x
    # Orthogonalise twice, because of cancellation (Giraud and Langou, 2005).
    u = u / np.linalg.norm(u)
    u = u - (u @ x) * x
    return x, u / np.linalg.norm(u)


def _pair(frame: tuple[Any, Any], rho: float) -> Pair:
    """Return x and rho x + sqrt(1 - rho^2) u, for orthogonal unit vectors x and u."""
    x, u = frame
    if abs(rho) == 1.0:
        return Pair(x, rho * x, rho)
    return Pair(x, rho * x + math.sqrt((1.0 - rho) * (1.0 + rho)) * u, rho)


# Kinds that a map must refuse, and kinds for which it must return finite features.
Refused: TypeAlias = Literal["nan", "infinity", "no rows", "no columns"]
Accepted: TypeAlias = Literal["zero rows", "denormal", "huge", "not contiguous", "read-only"]
_REFUSED, _ACCEPTED = get_args(Refused), get_args(Accepted)

# Squares of rows, times d and one or two squared weights, stay below the overflow threshold.
_HUGE = {"float64": 2.0**500, "float32": 2.0**55}


@dataclass(frozen=True)
class EdgeCaseArray:
    """An array with its defect, and whether a map must accept it nevertheless."""

    kind: str
    array: Any
    valid: bool


def edge_case_arrays(
    *,
    n_inputs: int,
    kinds: Iterable[Refused | Accepted] | None = None,
    dtype: Literal["float64", "float32"] = "float64",
    max_size: int = 4,
) -> SearchStrategy[EdgeCaseArray]:
    """Generate matrices with NaN, infinity, no rows, zero rows, denormals, huge norms, odd memory.

    Parameters
    ----------
    n_inputs : int
        Number of columns d.
    kinds : list of str, optional
        Some of 'nan', 'infinity', 'no rows' and 'no columns', to be refused; 'zero rows',
        'denormal', 'huge', 'not contiguous' and 'read-only', to be accepted. Default all.
    dtype : {'float64', 'float32'}
    max_size : int
        Largest number of rows.

    Returns
    -------
    SearchStrategy
        Objects with ``kind``, ``array`` and ``valid``: whether a map must return finite features,
        or else raise ValueError or TypeError before any work. Shrinks to one row with one defect.

    Notes
    -----
    Huge rows are whole vectors times 2^500 (float32: 2^55): squares of their lengths, hence kernels
    that are no exponentials, are representable, fourth powers, hence variances, are not. Maps of
    waves may refuse them, since their angles have no phase.

    Examples
    --------
    >>> from hypothesis import find
    >>> find(edge_case_arrays(n_inputs=2, kinds=["nan"]), lambda hostile: True)
    EdgeCaseArray(kind='nan', array=array([[nan,  1.]]), valid=False)
    """
    d = require_count("n_inputs", n_inputs, least=1)
    high = require_count("max_size", max_size, least=1)
    require_size(high, d)
    names = require_members("kinds", kinds, _REFUSED + _ACCEPTED)
    require_choice("dtype", dtype, _HUGE)
    return _hostile(d, names, dtype, high)


@st.composite
def _hostile(
    draw: st.DrawFn, n_inputs: int, kinds: list[str], dtype: str, max_size: int
) -> EdgeCaseArray:
    kind = draw(st.sampled_from(kinds))
    n = draw(st.integers(1, max_size))
    X = draw(integer_rows(n, n_inputs)).astype(dtype)
    if kind in ("nan", "infinity"):
        values = (np.nan,) if kind == "nan" else (np.inf, -np.inf)
        where = draw(st.integers(0, n - 1)), draw(st.integers(0, n_inputs - 1))
        X[where] = draw(st.sampled_from(values))
    elif kind == "no rows":
        X = X[:0]
    elif kind == "no columns":
        X = X[:, :0]
    elif kind == "zero rows":
        X[draw(st.integers(0, n - 1))] = 0.0
    elif kind == "denormal":
        X = X * np.finfo(dtype).smallest_subnormal
    elif kind == "huge":
        X = X * X.dtype.type(_HUGE[dtype])
    elif kind == "not contiguous":
        X = _scattered(X, draw(st.sampled_from(("columns", "rows", "reversed"))))
    else:
        X.flags.writeable = False
    return EdgeCaseArray(kind, X, kind in _ACCEPTED)


def _scattered(X: Any, how: str) -> Any:
    """Return the same values in memory strided by columns or rows, or reversed."""
    n, d = X.shape
    if how == "reversed":
        return X[::-1, ::-1].copy()[::-1, ::-1]
    wide = np.full((2 * n, 3 * d), np.nan, dtype=X.dtype)  # NaN reveals a stray read
    view = wide[:n, ::3] if how == "columns" else wide[::2, :d]
    view[...] = X
    return view
