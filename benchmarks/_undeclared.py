"""Many repetitions of the check without declarations, at once: the library's own looks and bets.

A repetition is one map at two rows, three pairs with the diagonal, as `check_kernel` would see
it. `Look` and `Excess` work elementwise, so a batch of repetitions is one array.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from _unknown_laws import Law

from mehler.verify._verdict import FLOOR
from mehler.verify.intervals._kurtosis import Look
from mehler.verify.intervals._nonnegative import Excess
from mehler.verify.intervals._undeclared import LEAST, least_samples

PAIRS = 3
# First size at which a suspicion is looked for; repetitions end at so many times the samples at
# which a suspicion of the last size would be confirmed.
FIRST, BEYOND = 64, 1.3
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
    refuted, confirmed = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
    # Of each repetition the size and the sums at its first suspicion.
    since, before = np.full(n, np.inf), np.zeros_like(sums)
    step = max(1, _BLOCK // (n * m * 8))
    target, last = FIRST, BEYOND * (start + LEAST)
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
        look = Look(drawn, sums, share, RESOLUTION, 1e-14)
        ready = ~confirmed & (drawn - since >= np.maximum(2.0 * since, LEAST))
        for size in np.unique(since[ready]):
            fresh = Look(int(drawn - size), sums - before, share, RESOLUTION, 1e-14)
            agrees = look.refutable & fresh.refutable & (look.off * fresh.off > 0.0)
            refuted |= ready & (since == size) & agrees.reshape(PAIRS, n).any(axis=0)
        confirmed |= ready
        suspected = np.isinf(since) & look.refutable.reshape(PAIRS, n).any(axis=0)
        since = np.where(suspected, float(drawn), since)
        before = np.where(np.tile(suspected, PAIRS), sums, before)
        target = math.ceil(1.25 * target)
    return refuted
