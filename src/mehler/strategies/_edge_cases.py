"""Arrays that break careless code: some a map must refuse, some it must take."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from mehler.strategies._validate import chosen, size, whole
from mehler.strategies._vectors import integer_rows

# Kinds that a map must refuse, and kinds that it must take and give finite features for.
_REFUSED = ("nan", "infinity", "no rows", "no columns")
_TAKEN = ("zero rows", "denormal", "huge", "not contiguous", "read-only")

# Squares of rows, times d and a squared weight or two, stay below the overflow threshold.
_HUGE = {"float64": 2.0**500, "float32": 2.0**55}


@dataclass(frozen=True)
class EdgeCaseArray:
    """An array, what is wrong with it, and whether a map must take it nevertheless.

    Attributes
    ----------
    kind : str
    array : numpy.ndarray, shape (n, n_inputs)
    valid : bool
        True: finite features are due. False: a ValueError or TypeError is due before any work.
    """

    kind: str
    array: Any
    valid: bool


def edge_case_arrays(
    *,
    n_inputs: int,
    kinds: Iterable[str] | None = None,
    dtype: str = "float64",
    max_size: int = 4,
) -> SearchStrategy[EdgeCaseArray]:
    """NumPy matrices with NaN, infinity, no rows, zero rows, denormals, huge norms and odd memory.

    Parameters
    ----------
    n_inputs : int
        Columns d.
    kinds : list of str, optional
        Some of 'nan', 'infinity', 'no rows' and 'no columns', to be refused; 'zero rows',
        'denormal', 'huge', 'not contiguous' and 'read-only', to be taken. Default all.
    dtype : str
        'float64' or 'float32'.
    max_size : int
        Most rows.

    Returns
    -------
    SearchStrategy of EdgeCaseArray
        They shrink to one row on one axis with one thing wrong.

    Raises
    ------
    TypeError, ValueError
        If an option is not of its kind or range.

    Notes
    -----
    Huge rows are whole vectors times 2^500 (float32: 2^55): squares of their lengths, hence
    kernels, are representable, fourth powers, hence variances, are not.

    Examples
    --------
    >>> from hypothesis import find
    >>> find(edge_case_arrays(n_inputs=2, kinds=["nan"]), lambda hostile: True)
    EdgeCaseArray(kind='nan', array=array([[nan,  1.]]), valid=False)
    """
    d = whole("n_inputs", n_inputs, least=1)
    high = whole("max_size", max_size, least=1)
    size(high, d)
    names = chosen("kinds", kinds, _REFUSED + _TAKEN)
    (name,) = chosen("dtype", [dtype], tuple(_HUGE))
    return _hostile(d, names, name, high)


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
    return EdgeCaseArray(kind, X, kind in _TAKEN)


def _scattered(X: Any, how: str) -> Any:
    """Return the same values in memory that is strided by columns, by rows, or backwards."""
    n, d = X.shape
    if how == "reversed":
        return X[::-1, ::-1].copy()[::-1, ::-1]
    wide = np.full((2 * n, 3 * d), np.nan, dtype=X.dtype)  # a stray read shows
    view = wide[:n, ::3] if how == "columns" else wide[::2, :d]
    view[...] = X
    return view
