"""Fourier sums: powers of cos and sin, with no phase or with a uniform one."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

import numpy as np

from mehler import _arrays
from mehler.exact.activations._geometry import Pairs
from mehler.exact.activations._projected import Projected

Waves = tuple[tuple[int, complex], ...]

_AT = np.array([-7.3, -2.0, -0.6, 0.0, 0.1, 1.0, 2.9, 5.7])
# Standard deviations beyond which a Gaussian has no mass in float64.
_REACH = 14.0
# Angles this wide are uniform around the circle to exp(-10^2/2), which is below rounding.
_WIDE = 10.0


def require_waves(function: Any, waves: Waves, name: str) -> None:
    """Raise if the Fourier sum differs from the function, on NumPy arrays."""
    found = np.asarray(function(_AT), dtype=np.float64)
    summed = sum((c * np.exp(1j * f * _AT) for f, c in waves), np.zeros_like(_AT))
    off = np.abs(found - summed) > 1e-12 * sum(abs(c) for _, c in waves)
    if np.any(off):
        raise ValueError(
            f"the activation {name!r} is said to be a sum of waves, but it is "
            f"{found[off][0]:.6g} at {_AT[off][0]:g}, where that is {summed[off][0]:.6g}: leave "
            "waves out, or mend them"
        )


def power_of(waves: Waves, power: int) -> dict[int, complex]:
    """Return frequencies and coefficients of a power of a Fourier sum."""
    total: dict[int, complex] = {0: 1.0}
    for _ in range(power):
        longer: dict[int, complex] = defaultdict(complex)
        for f, c in total.items():
            for g, b in waves:
                longer[f + g] += c * b
        total = longer
    return {f: c for f, c in total.items() if c != 0}


def pair_moment(
    waves: Waves, power: int, pairs: Pairs, *, uniform_phase: bool
) -> tuple[_arrays.Array, float]:
    r"""Compute E a(u)^p a(v)^p, and the sum of absolute weights that scales its rounding.

    .. math:: \sum_{f, g} c_f c_g\, e^{-\mathrm{Var}(fu + gv)/2}

    With a uniform phase added to both, only f + g = 0 remains. Every exponent is at most 0, so
    nothing overflows.
    """
    terms = power_of(waves, power)
    # A pair (f, g) and its opposite share the exponent.
    weights: dict[tuple[int, int], float] = defaultdict(float)
    for f, c in terms.items():
        for g, b in terms.items():
            if not uniform_phase or f + g == 0:
                key = (f, g) if (f, g) >= (-f, -g) else (-f, -g)
                weights[key] += (c * b).real
    total: Any = pairs.rho * 0.0
    for (f, g), weight in weights.items():
        if weight != 0.0:
            total = total + weight * pairs.xp.exp(-0.5 * pairs.square(f, g))
    return total, sum(abs(c) for c in terms.values()) ** 2


def cdf(waves: Waves, t: Any, scale: Any, projected: Projected) -> Any:
    """Compute P(a(p) <= t) for a wave A cos(f p + shift) + c; None for several frequencies.

    A sum over periods of the intervals in which the wave is at most t; angles that wrap around many
    times are treated as uniform.
    """
    one = _single(waves)
    if one is None:
        return None
    frequency, shift, _, _ = one
    around = phase_cdf(waves, t)
    narrow = np.minimum(scale, _WIDE / frequency)
    periods = math.ceil(_REACH * frequency * float(np.max(narrow, initial=0.0)) / math.tau) + 2
    low = math.pi * (1.0 - around)
    total = np.zeros(np.broadcast_shapes(t.shape, scale.shape))
    for k in range(-periods, periods + 1):
        first, last = low - shift + math.tau * k, math.tau - low - shift + math.tau * k
        total += projected(last / frequency, narrow) - projected(first / frequency, narrow)
    # Exactly 0 or 1 beyond the amplitude, where sums would round.
    total = np.where((around <= 0.0) | (around >= 1.0), around, total)
    return np.where(frequency * scale < _WIDE, total, around)


def phase_cdf(waves: Waves, t: Any) -> Any:
    """Compute P(a(p) <= t) with a uniform phase added to p: the arcsine law."""
    one = _single(waves)
    if one is None:
        return None
    _, _, amplitude, constant = one
    return 1.0 - np.arccos(np.clip((t - constant) / amplitude, -1.0, 1.0)) / math.pi


def _single(waves: Waves) -> tuple[int, float, float, float] | None:
    """Return frequency, shift, amplitude and constant of a real wave of one frequency."""
    found = {f: complex(c) for f, c in power_of(waves, 1).items()}
    constant = found.pop(0, 0j)
    frequency = max(found, default=0)
    if set(found) != {frequency, -frequency}:
        return None
    c = found[frequency]
    return frequency, math.atan2(c.imag, c.real), 2.0 * abs(c), constant.real
