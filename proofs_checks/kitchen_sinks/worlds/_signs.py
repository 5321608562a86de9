"""The simplest features, on which bounds are nearly tight: constants of random sign.

phi(x; w) = w with w = -1 or 1, each with probability 1/2. With alpha* = C pi, f* is 0 and the
average is C times the mean of K signs; K of them fitted to N labels are C times the sign of the
mean label.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def mean_signs(rng: np.random.Generator, n: int, n_draws: int, *, mean: float = 0.0) -> Any:
    """Draw means of n signs with expectation `mean`."""
    return 2 * rng.binomial(n, (1 + mean) / 2, n_draws) / n - 1


def excess_risks(rng: np.random.Generator, n_samples: int, n_draws: int, *, mean: float) -> Any:
    """Draw the excess risk of the fitted sum under (1 - t)/2, C = 1, labels of that mean."""
    fitted = np.sign(mean_signs(rng, n_samples, n_draws, mean=mean))
    return (abs(mean) - mean * fitted) / 2


def log_tail(n: int, threshold: float) -> float:
    """Compute log P(|mean of n fair signs| >= threshold), summed exactly in integers."""
    # Twice the upper tail: more than half of the signs must agree.
    least = math.ceil(n * (1 + threshold) / 2)
    if not 2 * least > n:
        raise ValueError(f"threshold={threshold!r} is not above 0: the two tails overlap")
    term = math.comb(n, least)
    total = 0
    for j in range(least, n + 1):
        total += term
        term = term * (n - j) // (j + 1)
    # Python takes the logarithm of an integer of any size.
    return math.log(2 * total) - n * math.log(2) if total else -math.inf
