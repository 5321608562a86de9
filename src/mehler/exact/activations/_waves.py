"""Sums of waves: powers of cos and sin, with no phase or with a uniform one."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from mehler import _arrays

Waves = tuple[tuple[int, complex], ...]


def power_of(waves: Waves, power: int) -> dict[int, complex]:
    """Frequencies and coefficients of a power of a sum of waves."""
    total: dict[int, complex] = {0: 1.0}
    for _ in range(power):
        longer: dict[int, complex] = defaultdict(complex)
        for f, c in total.items():
            for g, b in waves:
                longer[f + g] += c * b
        total = longer
    return {f: c for f, c in total.items() if c != 0}


def pair_moment(
    waves: Waves, power: int, rho: Any, x_scale: Any, y_scale: Any, *, uniform_phase: bool
) -> _arrays.Array:
    r"""E a(u)^p a(v)^p for Gaussians u, v of those standard deviations and correlation.

    .. math:: \sum_{f, g} c_f c_g\, e^{-(f^2 s_x^2 + g^2 s_y^2 + 2 f g s_x s_y \rho)/2}

    With a uniform phase added to both, only f + g = 0 remains. Every exponent is at most 0, so
    nothing overflows.
    """
    xp = _arrays.array_namespace(rho)
    terms = power_of(waves, power)
    total: Any = rho * 0.0
    for f, c in terms.items():
        for g, b in terms.items():
            if uniform_phase and f + g != 0:
                continue
            weight = (c * b).real
            if weight == 0.0:
                continue
            # (f sx + g sy)^2 - 2 f g sx sy (1 - rho): no cancellation near rho = 1.
            square = (f * x_scale + g * y_scale) ** 2
            square = square - 2.0 * f * g * x_scale * y_scale * (1.0 - rho)
            total = total + weight * xp.exp(-0.5 * square)
    return total
