"""Rows as scikit-learn checks them: names of columns, widths, finite numbers, array libraries."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.utils.validation import validate_data

from mehler import _arrays


def rows(estimator: Any, X: Any, *, reset: bool) -> _arrays.Array:
    """Check `X` and return its rows as floats; `reset` notes their width and names.

    NumPy arrays, unless scikit-learn dispatches to array libraries: then `X` stays in its own.
    """
    return validate_data(estimator, X, reset=reset, dtype=_floats_of(X))


def rows_and_targets(estimator: Any, X: Any, y: Any) -> tuple[_arrays.Array, Any]:
    """Check both, and return the targets on the host, one column a target or class.

    Floating targets are numbers; any others are labels of classes, one column of 0 and 1 each.
    """
    x, labels = validate_data(estimator, X, y, dtype=_floats_of(X), multi_output=True)
    host = np.asarray(_arrays.to_host(labels))
    if host.dtype.kind == "f" or host.ndim > 1:
        return x, host
    classes = np.unique(host)
    return x, (host[:, None] == classes).astype(np.float64)


def _floats_of(x: Any) -> list[Any]:
    """The dtypes that are kept; others become the first of them."""
    if not (get_config()["array_api_dispatch"] and _arrays.is_array(x)):
        return [np.float64, np.float32]
    place = _arrays.place_of(x)
    xp = place.xp
    return [xp.float64, xp.float32] if _arrays.has_float64(xp, place.device) else [xp.float32]
