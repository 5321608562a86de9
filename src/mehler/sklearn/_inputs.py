"""Validate rows as scikit-learn does: names, widths, finiteness, sparse rows, libraries."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn import get_config
from sklearn.base import is_classifier
from sklearn.utils import check_random_state
from sklearn.utils.sparsefuncs import mean_variance_axis
from sklearn.utils.validation import _check_sample_weight, validate_data

from mehler import _arrays
from mehler._arrays import Array
from mehler._validate import require_real, shown
from mehler.features import FeatureMap

# How dtypes of dates and durations begin, in NumPy, pandas and Polars.
_DATES = ("date", "time", "duration", "period")


def rows(estimator: Any, X: object, *y: Any, **checks: Any) -> Any:
    """Return rows as floats, sparse ones as CSR, by `validate_data`; with a `y` rows and that y."""
    _require_numbers(X, "X")
    checks |= {"dtype": _floats_of(X), "accept_sparse": "csr"}
    try:
        with np.errstate(invalid="ignore"):  # it adds up entries of both signs, of any size
            return validate_data(estimator, X, *y, **checks)
    except (TypeError, ValueError, RuntimeError) as error:
        error.add_note("X must hold real, finite numbers: encode text, impute what is missing")
        raise


def rows_and_labels(
    estimator: Any, X: object, y: ArrayLike | None, **checks: Any
) -> tuple[Array, Any]:
    """Validate at least two rows, so that one can be left out; return them, and y in NumPy."""
    _require_numbers(y, "y", allow_dates=is_classifier(estimator))
    x, labels = rows(estimator, X, y, ensure_min_samples=2, **checks)
    return x, np.asarray(_arrays.to_host(labels))


def rows_for(estimator: Any, phi: FeatureMap, X: object, method: str) -> Array:
    """Validate `X` as `rows` does, and that its library and device are those of the map `phi`."""
    # The map itself looks for NaN and infinity in floats of NumPy, which need nothing else.
    has_names = hasattr(estimator, "feature_names_in_")
    if not has_names and _arrays.takes_as_is(phi.place, X, estimator.n_features_in_):
        return X
    x = rows(estimator, X, reset=False)
    array = dense(x[:1]) if issparse(x) else x
    try:
        _arrays.require_same_place(array, phi.place, name="X", owner="phi")
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"Inputs passed to {type(estimator).__name__}.{method}() must use the same namespace "
            f"and the same device as those passed to fit(): {_arrays.place_of(array).name} is not "
            f"{phi.place.name}. Fit where the rows are"
        ) from error
    return x


def dense(x: Array) -> Any:
    return x.toarray() if issparse(x) else x


def weights_of(sample_weight: ArrayLike | None, x: Array) -> Any:
    """Validate weights of rows; return them on the host, or None."""
    if sample_weight is None:
        return None
    _require_numbers(sample_weight, "sample_weight", allow_dates=True)
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


def _require_numbers(values: Any, name: str, allow_dates: bool = False) -> None:
    """Reject masked entries and, unless allowed, dates, which NumPy would convert to numbers."""
    if isinstance(values, np.ma.MaskedArray):
        raise ValueError(
            f"{name} is a masked array: leave the rows with masked entries out, or fill them in"
        )
    if allow_dates:
        return
    if hasattr(values, "column_names"):  # a table of Arrow
        columns = zip(values.column_names, values.schema.types)
    elif hasattr(values, "columns"):
        columns = zip(values.columns, values.dtypes)
    else:
        columns = zip([""], [getattr(values, "dtype", "")])
    for column, dtype in columns:
        if str(dtype).lower().startswith(_DATES):
            where = f" in column {column!r}" if column else ""
            raise TypeError(
                f"{name} holds {dtype}{where}, which has no unit as a number: encode it first, "
                "for instance as days, (date - start) / numpy.timedelta64(1, 'D'), or drop it"
            )


def _floats_of(x: Array) -> list[Any]:
    """Return the dtypes that are preserved; others are converted to the first of them."""
    if not (get_config()["array_api_dispatch"] and _arrays.is_array(x)):
        return [np.float64, np.float32]
    place = _arrays.place_of(x)
    xp = place.xp
    return [xp.float64, xp.float32] if _arrays.has_float64(xp, place.device) else [xp.float32]


# Seeds that are drawn lie below this number, so that both kinds of generators return int64.
_SEEDS = 2**63 - 1


def seed_of(random_state: object) -> int:
    """Return an integer as it is, or draw one from a generator; None is NumPy's global one."""
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(_SEEDS))
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool):
        if random_state >= 0:
            return int(random_state)
    elif random_state is None or isinstance(random_state, np.random.RandomState):
        return int(check_random_state(random_state).randint(_SEEDS, dtype=np.int64))
    raise ValueError(
        f"random_state={shown(random_state)} must be a non-negative integer, a "
        "numpy.random.RandomState, a numpy.random.Generator, or None"
    )


def mantissas(x: Array) -> tuple[Array, int]:
    """Return rows divided by 2^e, so that squares of entries do not overflow, and this e."""
    largest = float(abs(x).max()) if issparse(x) else _arrays.largest_entry(x)
    exponent = math.frexp(largest)[1]
    # In two steps, since the reciprocal of the smallest float overflows.
    half = exponent // 2
    return x * 2.0**-half * 2.0 ** (half - exponent), exponent


def times_power(value: float, exponent: int, what: str, dtype: object) -> float:
    """Return value 2^exponent; ValueError unless it is a normal number of that dtype."""
    limits = np.finfo(_arrays.dtype_name(dtype))
    with np.errstate(over="ignore"):
        number = float(np.ldexp(value, exponent))
    if not 2.0 * float(limits.smallest_normal) <= number <= 0.5 * float(limits.max):
        size = "small" if number < 1.0 else "large"
        raise ValueError(f"{what} is too {size} for {limits.dtype}: scale the rows")
    return number


def variance(x: Array, weights: NDArray[np.float64] | None) -> float:
    """Return the variance of all entries of rows, dense or sparse, each counted by its weight."""
    if issparse(x):
        means, variances = mean_variance_axis(x.astype(np.float64), axis=0, weights=weights)
    elif weights is None:
        return float(_arrays.array_namespace(x).var(x))
    else:
        x = np.asarray(_arrays.to_host(x), dtype=np.float64)
        means = np.average(x, axis=0, weights=weights)
        variances = np.average((x - means) ** 2, axis=0, weights=weights)
    return float(variances.mean() + means.var())
