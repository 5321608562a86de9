"""What the numbers given to a check must satisfy, refused by name before any work."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any

import numpy as np

from mehler._arrays import Array, to_host


def probability(name: str, value: float) -> float:
    """Return `value` as a float in the open interval (0, 1)."""
    number = _real(name, value)
    if not 0.0 < number < 1.0:
        raise ValueError(f"{name}={value!r} is not a probability in (0, 1): give, say, 1e-9")
    return number


def positive(name: str, value: float) -> float:
    """Return `value` as a positive finite float."""
    number = _real(name, value)
    if not 0.0 < number < math.inf:
        raise ValueError(f"{name}={value!r} must be positive and finite")
    return number


def count(name: str, value: int, *, least: int = 1) -> int:
    """Return `value` as an int of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"{name}={value!r} must be an integer of at least {least}")
    if value < least:
        raise ValueError(f"{name}={value!r} must be an integer of at least {least}")
    return int(value)


def relative_resolution(value: float) -> float:
    """Return a resolution in units of sqrt(k(x,x) k(y,y)), where claims lie in [-1, 1]."""
    number = positive("resolution", value)
    if number >= 2.0:
        raise ValueError(
            f"resolution={value!r} is vacuous: in units of sqrt(k(x,x) k(y,y)) every kernel lies "
            "in [-1, 1], so nothing could be refuted; give a fraction such as 0.02"
        )
    return number


def bounds_pair(bounds: Any) -> tuple[float, float]:
    """Return ``(low, high)`` as finite floats with low < high."""
    try:
        low, high = (float(end) for end in bounds)
    except (TypeError, ValueError):
        raise TypeError(f"bounds={bounds!r} must be a pair (low, high) of numbers") from None
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise ValueError(f"bounds={bounds!r} must be finite with low < high")
    return low, high


def sample_vector(samples: Array, *, name: str = "samples") -> Any:
    """Return samples as a non-empty finite float64 vector on the host."""
    x = np.asarray(to_host(samples))
    if x.ndim != 1:
        raise ValueError(f"{name} must have shape (n,) but has shape {x.shape}: pass one claim")
    if x.size == 0:
        raise ValueError(f"{name} is empty: draw at least one sample")
    if np.iscomplexobj(x):
        raise ValueError(f"{name} is complex ({x.dtype}): check real and imaginary parts apart")
    if x.dtype.kind not in "biuf":
        raise TypeError(f"{name} has dtype {x.dtype}: pass real numbers")
    x = x.astype(np.float64)
    if not np.isfinite(x).all():
        bad = int(np.flatnonzero(~np.isfinite(x))[0])
        raise ValueError(f"{name} holds NaN or infinity, first at index {bad}")
    return x


def _real(name: str, value: float) -> float:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name}={value!r} must be a real number")
    return float(value)
