"""Read features of third-party maps, refusing by name those that cannot be read."""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler._arrays import dense_host
from mehler.verify.sampling._pairs import EvaluatedRows


def call(phi: Any, rows: EvaluatedRows) -> Any:
    """Return the features of rows as a real matrix on the host; see `read`."""
    return read(phi, rows)[0]


def read(phi: Any, rows: EvaluatedRows) -> tuple[Any, float]:
    """Return the features of rows, and eps of their original dtype.

    Raises TypeError or ValueError for what is no map, a transformer that is not fitted, and output
    that is not a real matrix with one row per input row.
    """
    try:
        with np.errstate():  # what the map does to it is undone
            given = raw(phi, rows.given)
    except Exception as error:
        if type(error).__name__ != "NotFittedError":
            raise
        raise ValueError(
            "draw(seed) returned a transformer that is not fitted: return it fitted, as in "
            "make(random_state=seed).fit(X).transform"
        ) from error
    if isinstance(given, tuple | dict):
        raise ValueError(
            f"draw(seed)(X) is a {type(given).__name__}: a map returns one matrix of features"
        )
    value, eps = dense_host(given)
    if value.ndim != 2 or value.shape[0] != rows.host.shape[0] or value.shape[1] == 0:
        what = f"of {type(given).__name__} " if value.dtype == object else ""
        raise ValueError(
            f"draw(seed)(X) {what}has shape {value.shape} for X of shape {rows.host.shape}: "
            f"a map returns ({rows.host.shape[0]}, n_features)"
        )
    if value.dtype.kind == "c":
        raise ValueError(
            f"draw(seed)(X) has dtype {value.dtype}: features must be real numbers; the real part "
            "of <phi(x), phi(y)> is that of real and imaginary parts as columns, "
            "np.hstack([Z.real, Z.imag])"
        )
    if value.dtype.kind not in "biuf":
        raise ValueError(f"draw(seed)(X) has dtype {value.dtype}: features must be real numbers")
    return value, float(np.finfo(np.float64).eps) if eps is None else eps


def raw(phi: Any, given: Any) -> Any:
    """Return the unconverted output of a map or a fitted transformer."""
    return _map(phi)(given)


def _map(phi: Any) -> Any:
    if callable(phi):
        return phi
    if callable(getattr(phi, "transform", None)):
        return phi.transform
    raise TypeError(
        f"draw(seed) returned {type(phi).__name__}, which is not callable: return the map "
        "X -> Z itself, for a scikit-learn transformer its bound method transform"
    )
