"""Validate arguments of bounds, numbers or arrays passed by name, as float64 on the host."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mehler import _arrays, _validate
from mehler._validate import require_real, shown
from mehler.bounds._bound import Counts, Floats, Reals
from mehler.exact import require_pool, require_rho


def counts(**numbers: Counts) -> Any:
    """Return numbers of things, at least 1."""
    return _floats(numbers, lambda k, n: require_real(k, _validate.require_integer(k, n)), 0, 2**53)


def positives(**numbers: Reals) -> Any:
    """Return finite numbers above 0."""
    return _floats(numbers, _validate.require_positive, 0.0, np.inf)


def not_negatives(**numbers: Reals) -> Any:
    """Return finite numbers of at least 0."""
    return _floats(numbers, _validate.require_not_negative)


def probabilities(**numbers: Reals) -> Any:
    """Return numbers in (0, 1), whose logarithm and inverse are safe to take."""
    return _floats(numbers, _validate.require_probability, _validate.LEAST_PROBABILITY, 1.0)


def fractions(**numbers: Reals) -> Any:
    """Return numbers above 0 and at most 1."""

    def check(name: str, value: Any) -> float:
        if not 0 < require_real(name, value) <= 1:
            raise ValueError(f"{name}={shown(value)} must be above 0 and at most 1")
        return float(value)

    return _floats(numbers, check)


def pool_sizes(pool_size: Counts) -> Any:
    """Return pool sizes that have a table: an int, or an array of them."""
    if type(pool_size) is int and 0 < pool_size <= 10**6:
        return pool_size
    sizes = _floats({"pool_size": pool_size}, lambda name, q: float(require_pool(q, name)))
    return int(sizes) if np.ndim(sizes) == 0 else sizes.astype(np.int64)


def correlations(**numbers: Reals) -> Any:
    """Return cosines in [-1, 1]; beyond by rounding is within."""
    return _floats(numbers, lambda name, rho: float(require_rho(require_real(name, rho))))


def squares(**factors: Reals) -> Any:
    """Square numbers; ValueError names one that overflows or underflows."""
    results = []
    for name, value in factors.items():
        numbers = np.asarray(value, dtype=np.float64)
        square = (numbers * numbers)[()]
        bad = np.isinf(square) | ((square == 0) & (numbers != 0))
        if np.any(bad):
            first = float(numbers[bad].flat[0])
            size = "large" if abs(first) > 1 else "small"
            raise ValueError(f"{name}={first!r} is too {size} to be squared: use other units")
        results.append(square)
    return results[0] if len(results) == 1 else results


def require_host(name: str, value: object) -> Floats:
    """Return real numbers of any library as an array of the host, whatever their shape."""
    return _validate.require_reals(
        name, _arrays.to_host(value) if _arrays.is_array(value) else value
    )


def _floats(
    numbers: dict[str, Any],
    check: Callable[[str, Any], float],
    above: float = np.inf,
    below: float = -np.inf,
) -> Any:
    """Return numbers or arrays as float64; `check` raises for a bad entry.

    Numbers between `above` and `below` need no check; if `above` is an int, whole ones alone.
    """
    kinds = (int,) if type(above) is int else (float, int)
    results: list[Any] = []
    for name, value in numbers.items():
        if type(value) in kinds and above < value < below:
            results.append(np.float64(value))
        elif isinstance(value, list | tuple | range) or getattr(value, "ndim", 0) > 0:
            results.append(_entries(name, value, check))
        else:
            # An array of no dimension is a number, as NumPy broadcasts it.
            number = value.item() if getattr(value, "shape", None) == () else value
            results.append(np.float64(check(name, number)))
    return results[0] if len(results) == 1 else results


def _entries(name: str, value: Any, check: Callable[[str, Any], float]) -> Floats:
    """Check the entries of an array; an error names the first that is wrong."""
    try:
        array = np.asarray(_arrays.to_host(value) if _arrays.is_array(value) else value)
    except ValueError as error:
        raise ValueError(f"{name} is a ragged list: give an array") from error
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{name} has dtype {array.dtype}: give numbers")
    if array.size == 0:
        raise ValueError(f"{name} is empty: give at least one entry")
    # What a number may be is an interval, so that the smallest, NaN, and the largest decide.
    for at in (int(np.argmin(array)), int(np.argmax(array))):
        try:
            check(name, array.flat[at].item())
        except (TypeError, ValueError) as error:
            index = [int(i) for i in np.unravel_index(at, array.shape)]
            raise type(error)(f"{error} (at entry {index} of the array)") from None
    return array.astype(np.float64)
