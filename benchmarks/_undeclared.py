"""Many repetitions of the check without declarations, at once: the library's own looks and bets.

A repetition is one map at two rows, three pairs with the diagonal, as `check_kernel` would see
it. `Inspection` and `Excess` work elementwise, so a batch of repetitions is one array.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from _unknown_laws import Law

from mehler.verify.intervals._nonnegative import Excess
from mehler.verify.nonparametric._kurtosis_test import LEAST, Inspection, least_samples
from mehler.verify.pairwise._measurement import FLOOR

PAIRS = 3
# Repetitions end at so many times the samples from which on the check may refute.
BEYOND = 1.3
RESOLUTION = 0.02
# Elements of the largest temporary.
_BLOCK = 1 << 22


def alarms(law: Law, m: int, rate: float, repeats: int, seed: int, scale: float = 1.0) -> Any:
    """Return which repetitions refute the claim; `scale` times the products is a defect."""
    rng = np.random.default_rng(np.random.SeedSequence([seed, m, round(1e6 * rate)]))
    share = 0.5 * rate / PAIRS
    start = least_samples(share)
    batch = max(1, min(repeats, 500, _BLOCK // m // 64))
    found = [
        _batch(law, m, rate, share, start, min(batch, repeats - done), rng, scale)
        for done in range(0, repeats, batch)
    ]
    return np.concatenate(found)


def _batch(
    law: Law,
    m: int,
    rate: float,
    share: float,
    start: int,
    n: int,
    rng: np.random.Generator,
    scale: float,
) -> Any:
    claim = np.repeat([1.0, 1.0, law.k], n)
    forms = np.concatenate([2.0 + 2.0 * claim, 2.0 - 2.0 * claim])
    bets = Excess(np.maximum(forms, 0.0) + 1e-12)
    level = math.log(2.0 * 2 * PAIRS / rate)
    sums, drawn = np.zeros((4, PAIRS * n)), 0
    refuted = np.zeros(n, dtype=bool)
    step = max(1, _BLOCK // (n * m * 8))
    number, target, last = 1, start, BEYOND * max(start, LEAST)
    while target <= last:
        while drawn < target:
            block = min(step, target - drawn)
            products = law.products(rng, block * n * m)
            xx, yy, xy = (scale * p.reshape(block, n, m).mean(axis=2) for p in products)
            for k in range(block):
                lengths = np.concatenate([2.0 * xx[k], 2.0 * yy[k], xx[k] + yy[k]])
                cross = np.concatenate([xx[k], yy[k], xy[k]])
                both = np.concatenate([lengths + 2.0 * cross, lengths - 2.0 * cross])
                bets.add(np.maximum(both, 0.0))
                off = cross - claim
                sums += np.stack([off, off**2, off**3, off**4])
            drawn += block
            enough = bets.log_wealth >= level
            enough &= 0.5 * (bets.mean - np.maximum(forms, 0.0)) >= FLOOR * RESOLUTION
            refuted |= enough.reshape(2 * PAIRS, n).any(axis=0)
        look = Inspection(drawn, sums, share, number, RESOLUTION, 1e-14)
        refuted |= look.refuted.reshape(PAIRS, n).any(axis=0)
        number, target = number + 1, math.ceil(1.25 * target)
    return refuted
