r"""Bias of ridge regression on random features, for targets of a source condition.

The target is (K/N)^r g at the rows, with \|g\|^2 at most N R^2. In units of R^2 the mean bias is at
most the least of two bounds, with t the one-sided spectral error and T its part beyond tau:

    E min(h(t), (mu_1/N)^(2r)),    draw by draw;
    lambda^(2r) (s + J_r/((1 - tau) M) + sqrt(s J_r/M) (2 sqrt(J_0/M)/(1 - tau) + 2 sqrt(p(tau))))
        + T(tau),    for one target, whose error is of first order and of mean 0.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mehler.bounds.spectral._known import Known
from mehler.bounds.spectral._tails import tail

# Relative errors at which the bias is summed: both ends of (0, 1) count.
_STEPS = np.unique(
    np.concatenate([np.geomspace(1e-7, 0.5, 300), 1 - np.geomspace(0.5, 1e-12, 500)])
)
# Exponents of a geometric mean, and of Hoelder's inequality: any is valid.
_MEANS = np.linspace(0.0, 1.0, 21)
_HOELDER = np.geomspace(1e-4, 1e4, 81)


def largest(smoothness: float) -> float:
    """Return sup x^(2r)/(1 + x)^2 over x >= 0, which is at x = r/(1 - r)."""
    r = float(smoothness)
    return r ** (2 * r) * (1 - r) ** (2 - 2 * r)


def exact(first: float, ridge: float, r: float) -> float:
    """Return the worst bias of the exact kernel whose eigenvalues over N are at most `first`."""
    if first * (1 - r) >= ridge * r:
        return largest(r) * power(ridge, 2 * r)
    root = power(first, r) * (ridge / (ridge + first))
    return root * root


def power(base: float, exponent: float) -> float:
    """Return a power of a positive float, infinite where it overflows."""
    with np.errstate(over="ignore"):
        return float(np.float64(base) ** exponent)


def by_features(
    known: Known, mu: Any, m: int, *, ridge: float, smoothness: float, sup: float | None
) -> float:
    """Bound what m blocks of features add to the exact kernel's bias, in the mean, over R^2."""
    first = float(mu[0]) / mu.size
    bias = exact(first, ridge, smoothness)
    cap = power(first, 2 * smoothness)
    if math.isinf(cap):
        return math.inf
    # A product of 0 and infinity says nothing.
    edges = np.fmin(_draw_by_draw(first, ridge, smoothness), cap)
    starts = np.concatenate([[0.0], _STEPS])
    chances = np.zeros(starts.size)
    chances[0] = 1.0
    # No error exceeds the largest eigenvalue of the mean.
    seen = (starts > 0) & (starts < float(known.beta[0]))
    chances[seen] = np.exp(
        np.minimum(0.0, tail(known.beta, known.level, m, -1).log_probability(starts[seen]))
    )
    rises = np.diff(edges) * chances
    beyond = edges[:-1] * chances + np.cumsum(rises[::-1])[::-1]
    shift = mu.size * ridge
    left = np.maximum(1 - starts, shift / (float(mu[0]) + shift))
    one = _one_target(known, mu, m, ridge, smoothness, sup, left, chances)
    return max(0.0, min(float(edges[0]) - bias + math.fsum(rises), float(np.min(one + beyond))))


def _draw_by_draw(first: float, ridge: float, r: float) -> Any:
    """Return h at 0 and at each step, and infinity: (K/N)^(2r) is operator monotone up to 1/2.

    Beyond, the target is in the ball of 1/2 whose radius is the largest (mu/N)^(r - 1/2) R.
    """
    low = min(r, 0.5)
    with np.errstate(over="ignore", invalid="ignore"):
        shape = np.where(
            _STEPS <= low, largest(low) / (1 - _STEPS) ** 2, (_STEPS / (1 - _STEPS)) ** (2 * low)
        )
        shape = np.concatenate([[largest(low)], shape])
        scaled = power(ridge, 2 * low) * power(first, 2 * (r - low)) * shape
    return np.concatenate([scaled, [np.inf]])


@np.errstate(all="ignore")
def _one_target(
    known: Known,
    mu: Any,
    m: int,
    ridge: float,
    r: float,
    sup: float | None,
    left: Any,
    chances: Any,
) -> Any:
    """Bound what features add where the spectral error is at most 1 - left, for each of it."""
    size = power(ridge, 2 * r)
    spread = second_moment(known, mu, ridge, r, sup) / m
    error = 2 * math.sqrt(second_moment(known, mu, ridge, 0.0, sup) / m)
    bias = exact(float(mu[0]) / mu.size, ridge, r)
    cross = np.sqrt(bias * size * spread) * (error / left + 2 * np.sqrt(chances))
    found = size * spread / left + cross
    return np.where(np.isnan(found), np.inf, found)


@np.errstate(all="ignore")
def second_moment(known: Known, mu: Any, ridge: float, r: float, sup: float | None) -> float:
    """Return J_r, the largest x^(2r) q(x)/(1 + x)^2 over x = mu_i/(N ridge).

    N ridge q(K/(N ridge)) is at least E[s G], the mean of a block's Gram matrix times its leverage.
    """
    shift = mu.size * ridge
    beta, rest = known.beta, shift / (mu + shift)
    level, d = known.level, known.level.mean
    found = [math.inf]
    if math.isfinite(level.most):
        # Geometric means of most x, by the leverage, and of N sup^2 d/shift, by the length.
        length = 0.0 if sup is None else sup / math.sqrt(shift)
        constant = mu.size * length * length * d
        for share in _MEANS if constant > 0 else [1.0]:
            q = level.most**share * constant ** (1 - share)
            found.append(q * np.max(beta ** (2 * r + share) * rest ** (2 - 2 * r - share)))
    if level.lipschitz:
        # Products of floats overflow to infinity; powers raise.
        square = 2 * level.lipschitz * level.lipschitz
        moving = beta ** (2 * r + 1) * rest ** (1 - 2 * r)
        still = beta ** (2 * r) * rest ** (2 - 2 * r)
        for x in _HOELDER:
            found.append((d + x * square) * np.max(moving + still * (square / x)))
    return float(min(one for one in found if not math.isnan(one)))
