"""Strategies for arrays that break careless code, to be refused or accepted by a map."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from mehler.strategies._numbers import DtypeName
from mehler.strategies._validate import require_count, require_members, require_size
from mehler.strategies._vectors import integer_rows

# Kinds that a map must refuse, and kinds for which it must return finite features.
Refused: TypeAlias = Literal["nan", "infinity", "no rows", "no columns"]
Accepted: TypeAlias = Literal["zero rows", "denormal", "huge", "not contiguous", "read-only"]
_REFUSED, _ACCEPTED = get_args(Refused), get_args(Accepted)

# Squares of rows, times d and one or two squared weights, stay below the overflow threshold.
_HUGE = {"float64": 2.0**500, "float32": 2.0**55}


@dataclass(frozen=True)
class EdgeCaseArray:
    """An array with its defect, and whether a map must accept it nevertheless.

    Attributes
    ----------
    kind : str
        One of the kinds of `edge_case_arrays`.
    array : numpy.ndarray, shape (n, n_inputs)
        The rows.
    valid : bool
        Whether a map must return finite features; if not, it must raise ValueError or TypeError
        before any work. Maps of waves may refuse 'huge' rows, whose angles have no phase.
    """

    kind: str
    array: Any
    valid: bool


def edge_case_arrays(
    *,
    n_inputs: int,
    kinds: Iterable[Refused | Accepted] | None = None,
    dtype: DtypeName = "float64",
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
    SearchStrategy of EdgeCaseArray
        Shrinks to one row on one axis with one defect.

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
    d = require_count("n_inputs", n_inputs, least=1)
    high = require_count("max_size", max_size, least=1)
    require_size(high, d)
    names = require_members("kinds", kinds, _REFUSED + _ACCEPTED)
    (name,) = require_members("dtype", [dtype], tuple(_HUGE))
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
