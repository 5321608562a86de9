"""Validate rows as scikit-learn does: names, widths, finiteness, sparse rows, libraries."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn import get_config
from sklearn.base import is_classifier
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_sample_weight, validate_data

from mehler import _arrays
from mehler._arrays import Array
from mehler._validate import require_real
from mehler.features import FeatureMap

# Bytes of sparse rows that are made dense at a time.
_BLOCK = 1 << 24
# How dtypes of dates and durations begin, in NumPy, pandas and Polars.
_DATES = ("date", "time", "duration", "period")


def rows(estimator: Any, X: object, *, reset: bool) -> Any:
    """Validate `X` and return its rows as floats; `reset` records their width and names.

    Returns NumPy arrays, sparse rows as CSR, or under array API dispatch arrays in the library of
    `X`.
    """
    _require_numbers(X, "X")
    return validate_data(estimator, X, reset=reset, dtype=_floats_of(X), accept_sparse="csr")


def is_sparse(x: Array) -> bool:
    """Whether rows are sparse."""
    return bool(sparse.issparse(x))


def dense(x: Array) -> Any:
    """Return rows, sparse ones as an array."""
    return x.toarray() if is_sparse(x) else x


def row_blocks(x: Array) -> Iterator[slice]:
    """Yield slices of sparse rows that are small when dense; others are one slice."""
    n, d = x.shape
    size = max(1, _BLOCK // (8 * d)) if is_sparse(x) else max(1, n)
    yield from _arrays.slices(n, size)


def weights_of(sample_weight: ArrayLike | None, x: Array) -> Any:
    """Validate weights of rows; return them on the host, or None."""
    if sample_weight is None:
        return None
    _refuse_masks(sample_weight, "sample_weight")
    scalars = (str, bool, np.generic, np.ndarray)
    if isinstance(sample_weight, scalars) and np.ndim(sample_weight) == 0:
        sample_weight = require_real("sample_weight", np.asarray(sample_weight).item())
    elif _arrays.is_array(sample_weight):
        sample_weight = _arrays.to_host(sample_weight)
    stub = np.empty((x.shape[0], 0))
    weights = _check_sample_weight(sample_weight, stub, dtype=np.float64, ensure_non_negative=True)
    if not weights.any():
        raise ValueError("sample_weight is 0 on all rows")
    return weights


def _refuse_masks(values: Any, name: str) -> None:
    """Refuse masked entries, whose values NumPy would take for granted."""
    if np.ma.is_masked(values):
        raise ValueError(f"{name} has masked entries: leave those rows out, or fill them in")


def _require_numbers(values: Any, name: str, allow_dates: bool = False) -> None:
    """Refuse masked entries and, unless allowed, dates, which scikit-learn makes numbers."""
    _refuse_masks(values, name)
    if allow_dates:
        return
    columns = getattr(values, "columns", None)
    dtypes = [getattr(values, "dtype", "")] if columns is None else list(values.dtypes)
    for i, dtype in enumerate(dtypes):
        if not str(dtype).lower().startswith(_DATES):
            continue
        where = "" if columns is None else f" in column {columns[i]!r}"
        raise TypeError(
            f"{name} holds {dtype}{where}, which has no unit as a number: encode it "
            "first, for instance as days, (date - start) / numpy.timedelta64(1, 'D'), or drop it"
        )


def rows_for(estimator: Any, phi: FeatureMap, X: object, method: str) -> Array:
    """Validate `X` as `rows` does, and that it is on the device of `phi`."""
    x = rows(estimator, X, reset=False)
    require_here(estimator, phi, x, method)
    return x


def require_here(estimator: Any, phi: FeatureMap, x: Array, method: str) -> None:
    """Require that validated rows are in the library and on the device of `phi`."""
    x = x[:1].toarray() if is_sparse(x) else x
    try:
        phi._require_here(x, "X")
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"Inputs passed to {type(estimator).__name__}.{method}() must use the same namespace "
            f"and the same device as those passed to fit(): {_arrays.place_of(x).name} is not "
            f"{phi.place.name}. Fit where the rows are"
        ) from error


def rows_and_labels(
    estimator: Any, X: object, y: ArrayLike | None, *, least: int = 2, **checks: Any
) -> tuple[Array, Any]:
    """Validate both, and return the rows on their device and `y` on the host.

    By default at least two rows are required, so that one can be left out.
    """
    _require_numbers(X, "X")
    _require_numbers(y, "y", allow_dates=is_classifier(estimator))
    x, labels = validate_data(
        estimator,
        X,
        y,
        dtype=_floats_of(X),
        accept_sparse="csr",
        ensure_min_samples=least,
        **checks,
    )
    return x, np.asarray(_arrays.to_host(labels))


def _floats_of(x: Array) -> list[Any]:
    """Return the dtypes that are preserved; others are converted to the first of them."""
    if not (get_config()["array_api_dispatch"] and _arrays.is_array(x)):
        return [np.float64, np.float32]
    place = _arrays.place_of(x)
    xp = place.xp
    return [xp.float64, xp.float32] if _arrays.has_float64(xp, place.device) else [xp.float32]


# One past the largest seed drawn, which both kinds of generators return as int64.
_SEEDS = 2**63 - 1


def seed_of(random_state: object) -> int:
    """Return an integer as it is, or draw one from a generator; None is NumPy's global one."""
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(_SEEDS))
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool):
        if random_state < 0:
            raise ValueError(f"random_state={random_state} must not be negative")
        return int(random_state)
    if random_state is None or isinstance(random_state, np.random.RandomState):
        return int(check_random_state(random_state).randint(_SEEDS, dtype=np.int64))
    raise ValueError(
        f"random_state={random_state!r} must be a non-negative integer, a "
        "numpy.random.RandomState, a numpy.random.Generator, or None"
    )
