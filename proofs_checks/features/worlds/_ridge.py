"""Worlds where the risk of ridge regression is computed and near its bound."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import stats

from mehler.bounds import Bound

from ..._worlds import World

Bounding = Callable[..., Bound]
# Sums over a binomial law are right to this part of themselves.
_ROUNDING = 1e-9


def one_row(bound: Bounding) -> Iterator[World]:
    """One row of kernel 1, and a feature that is 1/sqrt(p) with chance p, else 0.

    K_m is a binomial share over p. Its shrinkage has the bias at ridge 1, the variance at small
    ridges, and what features lose where p is so small that there may be none.
    """
    settings: tuple[tuple[str, float, float, int, float], ...] = (
        ("bias", 1.0, 1.0, 10**9, 0.0),
        ("variance", 1.0, 1e-6, 10**9, 1.0),
        ("features", 1e-3, 1e-9, 2000, 0.0),
        ("features, fewer", 1e-3, 1e-9, 200, 0.0),
    )
    for name, p, ridge, m, noise in settings:
        limit = bound(
            m,
            ridge=ridge,
            norm=1.0,
            noise=noise,
            eigenvalues=np.ones(1),
            leverage=1 / (p * (1 + ridge)),
        )
        risk = _shrunk(p, ridge, m, noise)
        yield World(f"one row, {name}", (risk * (1 - _ROUNDING), risk), limit.total)


def _shrunk(p: float, ridge: float, m: int, noise: float) -> float:
    if p == 1:
        return ((ridge / (1 + ridge)) ** 2) + (noise / (1 + ridge)) ** 2
    law = stats.binom(m, p)
    count = np.arange(int(law.ppf(1 - 1e-15)) + 50)
    k = count / (m * p)
    return float(law.pmf(count) @ ((ridge / (k + ridge)) ** 2 + (noise * k / (k + ridge)) ** 2))


def left_out(bound: Bounding) -> Iterator[World]:
    """Rows that are orthogonal, or two equal ones, and features that are exact.

    An orthogonal row that is left out is predicted by 0, so its error is the target. One of two
    equal rows is predicted by the other, with the noise of that.
    """
    known: dict[str, Any] = {"sup": 1.0, "design": "left-out"}
    n = 50
    limit = bound(
        10**12, ridge=1 / n, norm=1.0, noise=0.0, eigenvalues=np.ones(n), leverage=n / 2, **known
    )
    yield World("orthogonal rows", (1 / n, 1 / n), limit.total)
    # At a small ridge the factor c is needed, at 0.7 the most of the term is seen.
    for shrink in (0.2, 0.7, 1.0):
        limit = bound(
            10**12,
            ridge=shrink / 2,
            norm=1e-9,
            noise=1.0,
            eigenvalues=np.array([2.0, 0.0]),
            leverage=2 / shrink,
            **known,
        )
        seen = 1 / (1 + shrink) ** 2
        yield World(f"two equal rows, ridge {shrink / 2}", (seen, seen), limit.total)
