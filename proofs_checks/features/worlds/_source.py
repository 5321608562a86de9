"""Worlds of source conditions, and of unbounded features, where the risk of ridge is computed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import integrate, stats

from mehler.bounds import Bound

from ..._worlds import World

Bounding = Callable[..., Bound]
# Sums over a binomial law are right to this part of themselves.
_ROUNDING = 1e-9


def alike(bound: Bounding) -> Iterator[World]:
    """Orthogonal rows of one kernel value, and exact features: the bias is that of each direction.

    The ridge is where x^(2r)/(1 + x)^2 is largest, or far below the eigenvalues for r = 1.
    """
    n = 50
    for r, over in ((0.25, 1 / 3), (0.75, 3.0), (1.0, 1e3)):
        shift = 1 / over
        value = bound(
            10**15,
            ridge=shift / n,
            norm=1.0,
            noise=0.0,
            eigenvalues=np.ones(n),
            leverage=n / (1 + shift),
            smoothness=r,
        ).value
        risk = n ** (-2 * r) * (shift / (1 + shift)) ** 2
        yield World(f"orthogonal rows, smoothness {r:g}", (risk * (1 - _ROUNDING), risk), value)


def rare(bound: Bounding) -> Iterator[World]:
    """A single row whose feature is mostly 0, and then the target is lost."""
    p, m = 1e-3, 2000
    for r, ridge in ((0.25, 1e-12), (0.75, 1e-9)):
        value = bound(
            m,
            ridge=ridge,
            norm=1.0,
            noise=0.0,
            eigenvalues=np.ones(1),
            leverage=1 / (p * (1 + ridge)),
            smoothness=r,
        ).value
        none = float(stats.binom(m, p).pmf(0))
        yield World(f"one row, seldom, smoothness {r:g}", (none, none + ridge), value)


def arrow(bound: Bounding) -> Iterator[World]:
    """A strong direction, whose feature is a sign, and one of many weak ones in each block.

    phi = sqrt(mu) e e_1 + sqrt((n-1) w) e_J, e a sign and J uniform. The target is in the strong
    direction. K_m is an arrow, whose inverse has z e_1 - z sum_j K_1j/(K_jj + 1) e_j with z at
    least 1/(mu + 1), at ridge 1/n. Given how often j is drawn the signs have mean 0.
    """
    yield _arrow(bound, 4096, 1e14, 0.01, 10**7, by="leverage")
    # Signs of equal size at all rows make the strong direction: the longest row is known.
    yield _arrow(bound, 8192, 1e6, 0.1, 3 * 10**8, by="sup")


def _arrow(bound: Bounding, n: int, strong: float, weak: float, m: int, *, by: str) -> World:
    mu, total = np.full(n, weak), (n - 1) * weak
    mu[0] = strong
    known = {
        "leverage": strong / (1 + strong) + total / (1 + weak),
        "sup": (math.sqrt(strong) + math.sqrt(total)) / math.sqrt(n),
    }
    told: dict[str, Any] = {by: known[by], "eigenvalues": mu, "smoothness": 1.0}
    value = bound(m, ridge=1 / n, norm=1.0, noise=0.0, **told).value
    law = stats.binom(m, 1 / (n - 1))
    count = np.arange(int(law.isf(1e-15)) + 2)
    spread = float(law.pmf(count) @ (count / (total * count / m + 1) ** 2))
    risk = (strong / (1 + strong) / n) ** 2 * (1 + (n - 1) * strong * total * spread / m**2)
    return World(f"an arrow, by {by}", (risk * (1 - _ROUNDING), math.inf), value)


def square(bound: Bounding) -> Iterator[World]:
    """One row and a linear unit, without a bound: K_1 is the square of a standard normal."""
    ridge = 1.0
    value = bound(1, ridge=ridge, norm=1.0, noise=0.0, eigenvalues=np.ones(1), lipschitz=1.0).value

    def shrunk(g: float) -> float:
        return float((ridge / (g * g + ridge)) ** 2 * stats.norm.pdf(g))

    risk, error = integrate.quad(shrunk, -40, 40, points=[0.0], epsabs=1e-12)
    yield World("one square", (risk - error, risk + error), value)
