"""Check rho and q, arguments of exact kernels; closed forms of kappa_q and K_q for q = 1, 2.

Of q pairs of normals of correlation rho, kappa_q is the chance that one pair has both maxima, K_q
the mean of their product. Tables would lose relative accuracy where K_2 is 0, at rho = -1.
"""

from __future__ import annotations

import functools
import importlib
import math
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from mehler import _arrays
from mehler._validate import require_integer

LARGEST_POOL = 10**6  # largest q at which tests/exact verify the stated accuracy of the tables
ROUNDING = {"float32": 1e-5, "float64": 1e-12}  # correlations beyond 1 by more are a bug


def require_pool(q: object, name: str = "pool size q") -> int:
    """Return a pool size of at most 10^6, the limit of the float64 tables."""
    return require_integer(name, q, most=LARGEST_POOL)


def require_rho(rho: _arrays.Array) -> Any:
    """Return correlations clipped to [-1, 1], if they leave it by rounding only.

    The result is an array of a real floating dtype, in the namespace of `rho`; Python numbers and
    lists become NumPy arrays. Chunks of Dask are checked when computed, tracers clipped unchecked.
    """
    if not _arrays.is_array(rho):
        rho = np.asarray(rho)
        if rho.dtype.kind not in "biuf":
            raise TypeError(f"rho must hold real numbers, but has dtype {rho.dtype}")
    xp = _arrays.array_namespace(rho, names=("rho",))
    dtype = _arrays.real_dtype(rho, name="rho")
    if _arrays.stays_lazy(rho):
        return _arrays.of_chunks(require_rho, rho, dtype)
    rho = xp.astype(rho, dtype) if rho.dtype != dtype else rho
    if not _arrays.is_lazy(rho) and 0 not in rho.shape:
        slack = ROUNDING[_arrays.dtype_name(dtype)]
        # NaN fails this comparison too.
        if not _arrays.all_true(lambda r: xp.abs(r) <= 1 + slack, rho):
            host = _arrays.to_host(rho)
            worst = float(host[~(abs(host) <= 1 + slack)].flat[0] if host.ndim else host)
            cause = (
                "as do the rows that it comes from"
                if math.isnan(worst)
                else "divide inner products by both norms"
            )
            raise ValueError(f"rho must lie in [-1, 1] but holds {worst!r}; {cause}")
    return _arrays.graft(_arrays.clip(xp, rho, -1.0, 1.0), rho)


def in_digits(name: str, *arguments: Any) -> Any:
    """Call the function of :mod:`mehler.exact._digits` of that name."""
    return getattr(importlib.import_module("mehler.exact._digits"), name)(*arguments)


def angle(xp: ModuleType, rho: _arrays.Array) -> _arrays.Array:
    """Compute acos(rho); its derivative, infinite at -1 and 1, is given as 0 there."""
    return _arrays.with_derivative(xp.acos, lambda r: -over_sine(xp, r), rho)


def over_sine(xp: ModuleType, rho: _arrays.Array) -> _arrays.Array:
    """Compute 1/sqrt(1 - rho^2), and 0 where that is infinite."""
    square = (1.0 - rho) * (1.0 + rho)
    inside = square > 0.0
    root = xp.sqrt(xp.where(inside, square, xp.ones_like(square)))
    return xp.where(inside, 1.0 / root, xp.zeros_like(square))


def at_rho(function: Callable[[Any, int], Any], rho: _arrays.Array, q: int) -> Any:
    """Validate, evaluate, and return a number for a number and an array for an array."""
    q = require_pool(q)
    if isinstance(rho, float) and q > 2 and abs(rho) <= 1.0 + ROUNDING["float64"]:
        # Tables serve a number by itself: an array of one would cost ten times as much.
        return function(min(1.0, max(-1.0, float(rho))), q)
    array = require_rho(rho)
    values = _arrays.of_chunks(lambda chunk: function(chunk, q), array, array.dtype)
    return values if _arrays.is_array(rho) else scalar_if_scalar(values)


def scalar_if_scalar(values: Any) -> Any:
    """Convert 0-dimensional results of Python numbers to Python numbers."""
    return float(values) if values.ndim == 0 else values


def collision_on_array(rho: _arrays.Array, q: int) -> _arrays.Array:
    """Compute kappa_1 = 1 or kappa_2 = 1 - acos(rho)/pi of an array with values in [-1, 1]."""
    xp = _arrays.array_namespace(rho)
    if q == 1:
        return xp.ones_like(rho)
    # pi - acos(rho), accurate next to rho = -1; where the slope is infinite, 0.
    value = functools.partial(_arrays.map_elements, lambda xp, r: xp.acos(-r) / np.pi)
    return _arrays.with_derivative(value, lambda r: over_sine(xp, r) / np.pi, rho)


def kernel_on_array(rho: _arrays.Array, q: int) -> _arrays.Array:
    r"""Compute K_1 = rho or K_2 = (sin t - t cos t)/pi, t = pi - theta, of values in [-1, 1]."""
    if q == 1:
        return rho
    value = functools.partial(_arrays.map_elements, _kernel)
    return _arrays.with_derivative(value, lambda r: collision_on_array(r, q), rho)


def _kernel(xp: ModuleType, rho: _arrays.Array) -> _arrays.Array:
    t = xp.acos(-rho)
    # sin t - t cos t loses two bits per halving of t; below 1/2 use its series, whose first
    # neglected term is below 1e-17 of the first.
    series, square = xp.zeros_like(t), t * t
    for k in range(9, 0, -1):
        series = (2 * k) / math.factorial(2 * k + 1) - series * square
    sine = xp.sqrt((1 - rho) * (1 + rho))
    return xp.where(t < 0.5, series * t * square, sine + t * rho) / np.pi
