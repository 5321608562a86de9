"""The exponent of one pool in closed form, on a grid that comes as near to its pole as floats do.

For q = 1 psi(lambda) = g(lambda (1 + rho)) + g(-lambda (1 - rho)), 2 g(y) = -log(1 - y) - y, and
psi_rho(-lambda) = psi_{-rho}(lambda). The grid of lambda ends within 2^-30 of both poles.
"""

from __future__ import annotations

from typing import Any

import numpy as np

# Below this -log(1 - y) - y cancels, and three terms of its series are exact to 1e-12.
_SERIES = 1.2e-4
_STEPS = 4  # per doubling
# Multiples of the pole: even ratios up to 1/2, from there even ratios of the distance to it.
_SHARES = np.concatenate(
    [
        0.5 * np.exp2(-np.arange(36 * _STEPS)[::-1] / _STEPS),
        1 - 0.5 * np.exp2(-np.arange(1, 29 * _STEPS + 1) / _STEPS),
    ]
)
# A side that is bounded has no pole; its minimum is beyond any m in use from here.
_NARROWEST = 2.0**-30


def at_correlation(rho: float) -> tuple[Any, Any, Any]:
    """Return lambda, psi(lambda) and psi(-lambda); infinite from the pole on."""
    sides = (1 + rho, 1 - rho)
    at = np.unique(np.concatenate([_SHARES / max(side, _NARROWEST) for side in sides]))
    return at, *(_half(at * one) + _half(-at * other) for one, other in (sides, sides[::-1]))


def any_correlation() -> tuple[Any, Any, Any]:
    """Return the supremum over rho: convex in rho, and g(y) >= g(-y), so it is at rho = 1."""
    at = _SHARES / 2
    largest = _half(2 * at)
    return at, largest, largest


def _half(y: Any) -> Any:
    """Compute -(log(1 - y) + y)/2."""
    inside = np.where(y < 1, y, 0.5)
    series = inside**2 * (1 / 4 + inside * (1 / 6 + inside / 8))
    exact = np.where(np.abs(inside) < _SERIES, series, -(np.log1p(-inside) + inside) / 2)
    return np.where(y < 1, exact, np.inf)
