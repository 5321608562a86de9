"""Known bounds of errors of cosines and sines, as recalled, and what no linear estimator beats.

M is a number of frequencies, of m = 2 M columns, everywhere.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def entries(n_rows: int, M: int, delta: float) -> float:
    """Rahimi and Recht (2007): Hoeffding's inequality over N^2 pairs."""
    return math.sqrt(2 * math.log(2 * n_rows**2 / delta) / M)


def operator(mu: Any, M: int, delta: float) -> float:
    """Tropp (2015), Corollary 6.2.1: 2 N exp(-M t^2/2/(N |K| + 2 N t/3)) = delta, solved for t."""
    n = len(mu)
    cost = math.log(2 * n / delta) / M
    tail = 2 * n * cost / 3
    return tail + math.sqrt(tail**2 + 2 * n * float(np.max(mu)) * cost)


def uniform(M: int, delta: float, *, d: int, diameter: float, second: float) -> float:
    """Claim 1 of Rahimi and Recht, constant of Sutherland and Schneider; second is E |w|^2."""
    low, high = 1e-6, 1e6
    for _ in range(200):
        eps = math.sqrt(low * high)
        chance = math.log(66 * second * diameter**2 / eps**2) - M * eps**2 / (4 * (d + 2))
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
