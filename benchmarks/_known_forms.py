"""Published bounds on errors of cosines and sines, unverified, and the best linear estimator.

M is a number of frequencies, of m = 2 M columns, everywhere.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def entries(n_rows: int, M: int, delta: float) -> float:
    """Rahimi and Recht (2007): Hoeffding's inequality over N(N - 1)/2 pairs; k(x, x) is exact."""
    return math.sqrt(2 * math.log(n_rows * (n_rows - 1) / delta) / M)


def operator(mu: Any, M: int, delta: float) -> float:
    """Tropp (2015): the smaller of Corollary 6.2.1 and Theorem 7.7.1, solved for t.

    2 N exp(-M t^2/2/(N |K| + 2 N t/3)) = delta, and for both signs 8 tr K/|K| before the
    exponential with N t/3, where t is at least (N |K|/M)^(1/2) + N/(3 M).
    """
    n, norm = len(mu), float(np.max(mu))
    ranks = float(np.sum(mu)) / norm
    found = []
    for factor, reach in ((2 * n, 2 * n / 3), (8 * ranks, n / 3)):
        cost = math.log(factor / delta) / M
        found.append(reach * cost + math.sqrt((reach * cost) ** 2 + 2 * n * norm * cost))
    return min(found[0], max(found[1], math.sqrt(n * norm / M) + n / (3 * M)))


def uniform(M: int, delta: float, *, d: int, diameter: float, second: float) -> float:
    """Proposition 1 of Sutherland and Schneider (2015), Gaussian kernel; second is E |w|^2.

    Its first form, by the largest variance of a pair at these distances; the second one has 66.
    """
    variance = (1 - math.exp(-second * diameter**2 / d)) ** 2 / 2
    share = d / (d + 2)
    constant = ((d / 2) ** -share + (d / 2) ** (2 / (d + 2))) * 2 ** ((6 * d + 2) / (d + 2))
    low, high = 1e-6, 1e6
    for _ in range(200):
        eps = math.sqrt(low * high)
        chance = math.log(constant) + share * math.log(second * diameter**2 / eps**2)
        chance -= M * eps**2 / (4 * (d + 2) * min(1.0, variance + eps / 3))
        low, high = (low, eps) if chance <= math.log(delta) else (eps, high)
    return high


def ridge(error: float, mu: Any, *, ridge: float, norm: float, noise: float) -> float:
    """Avron and others (2017), Lemma 2, at a spectral error, for the worst target of the norm."""
    if error >= 1:
        return math.inf
    n = len(mu)
    bias = ridge * norm**2 * float(np.max(mu / (mu + n * ridge)))
    variance = noise**2 * float(np.mean(mu / (mu + n * ridge)))
    rank = min(1.0, float(np.sum(mu > 1e-12 * np.max(mu))) / n)
    return (bias + variance) / (1 - error) + error / (1 + error) * noise**2 * rank


def pinsker(mu: Any, *, norm: float, noise: float) -> float:
    r"""Bound from below the risk at the rows of every linear estimator, for its worst target.

    Targets with the coordinates +-s_i in an eigenbasis of K, all signs, are of the norm if
    sum s_i^2/mu_i is its square, and the mean risk of A over the signs is at least
    sum noise^2 s_i^2/(noise^2 + s_i^2), column by column of A. s_i^2 = noise^2 (t mu_i^(1/2) - 1)_+
    with the t at which the sum is right.
    """
    roots = np.sqrt(np.maximum(mu, 0.0))
    roots = roots[roots > 1e-9 * roots.max()]
    low, high = 1e-12, 1e12
    for _ in range(200):
        t = math.sqrt(low * high)
        spent = noise**2 * float(np.sum(np.maximum(t * roots - 1, 0.0) / roots**2))
        low, high = (t, high) if spent <= norm**2 else (low, t)
    squares = noise**2 * np.maximum(low * roots - 1, 0.0)
    return float(np.sum(noise**2 * squares / (noise**2 + squares))) / len(mu)
