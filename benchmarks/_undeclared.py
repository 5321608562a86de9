"""Many repetitions of the check without declarations, at once: the library's own looks and bets.

A repetition is one map at two rows, three pairs with the diagonal, as `check_kernel` would see
it. `Look` and `Excess` work elementwise, so a batch of repetitions is one array. A suspicion is
looked for up to BEYOND times the size from which on intervals are; where there is one, fresh draws
follow, on which bets start anew.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from _unknown_laws import Law

from mehler.verify._verdict import FLOOR
from mehler.verify.intervals._range import Excess
from mehler.verify.intervals._undeclared import LEAST, Look, least_samples

PAIRS, RESOLUTION = 3, 0.02
FIRST, STEP, BEYOND = 64, 1.25, 4.0
# Elements of the largest temporary.
_BLOCK = 1 << 22


class Batch:
    """Draws of n repetitions: power sums of deviations, and bets on squared lengths."""

    def __init__(self, law: Law, m: int, n: int, rate: float, rng: Any, scale: float) -> None:
        self.law, self.m, self.n, self.rng, self.scale = law, m, n, rng, scale
        self.claim = np.repeat([1.0, 1.0, law.k], n)
        forms = np.concatenate([2.0 + 2.0 * self.claim, 2.0 - 2.0 * self.claim])
        self.forms = np.maximum(forms, 0.0)
        self.bets, self.level = Excess(self.forms + 1e-12), math.log(4.0 * PAIRS / rate)
        self.sums, self.drawn = np.zeros((4, PAIRS * n)), 0
        self.won = np.zeros(n, dtype=bool)

    def draw_until(self, target: int) -> None:
        while self.drawn < target:
            block = min(max(1, _BLOCK // (self.n * self.m * 8)), target - self.drawn)
            products = self.law.products(self.rng, block * self.n * self.m)
            shape = (block, self.n, self.m)
            xx, yy, xy = (self.scale * p.reshape(shape).mean(axis=2) for p in products)
            lengths = np.concatenate([2.0 * xx, 2.0 * yy, xx + yy], axis=1)
            cross = np.concatenate([xx, yy, xy], axis=1)
            both = np.concatenate([lengths + 2.0 * cross, lengths - 2.0 * cross], axis=1)
            self.bets.add(np.maximum(both, 0.0))
            off = cross - self.claim
            self.sums += np.stack([(off**k).sum(axis=0) for k in (1, 2, 3, 4)])
            self.drawn += block
            won = self.bets.log_wealth >= self.level
            won &= 0.5 * (self.bets.mean - self.forms) >= FLOOR * RESOLUTION
            self.won |= won.reshape(2 * PAIRS, self.n).any(axis=0)


def alarms(law: Law, m: int, rate: float, repeats: int, seed: int, scale: float = 1.0) -> Any:
    """Return which repetitions refute the claim; `scale` times the products is a defect."""
    rng = np.random.default_rng(np.random.SeedSequence([seed, m, round(1e6 * rate)]))
    size = max(1, min(repeats, 500, _BLOCK // m // 64))
    sizes = [min(size, repeats - done) for done in range(0, repeats, size)]
    return np.concatenate([_refuted(law, m, rate, n, rng, scale) for n in sizes])


def _refuted(law: Law, m: int, rate: float, n: int, rng: Any, scale: float) -> Any:
    share, batch = 0.5 * rate / PAIRS, Batch(law, m, n, rate, rng, scale)
    # Of each repetition the size and the sums at its first suspicion.
    since, before, target = np.zeros(n, dtype=int), np.zeros_like(batch.sums), FIRST
    while target <= BEYOND * least_samples(share):
        batch.draw_until(target)
        refutable = Look(batch.drawn, batch.sums, share, RESOLUTION, 1e-14).refutable
        new = (since == 0) & refutable.reshape(PAIRS, n).any(axis=0)
        since = np.where(new, batch.drawn, since)
        before = np.where(np.tile(new, PAIRS), batch.sums, before)
        target = math.ceil(STEP * target)
    refuted = batch.won.copy()
    for drawn in np.unique(since[since > 0]):
        some = np.flatnonzero(since == drawn)
        first = before.reshape(4, PAIRS, n)[:, :, some].reshape(4, -1)
        fresh = Batch(law, m, some.size, rate, rng, scale)
        fresh.draw_until(max(LEAST, math.ceil(1.5 * drawn)))
        whole, latest = (
            Look(fresh.drawn + int(drawn), fresh.sums + first, share, RESOLUTION, 1e-14),
            Look(fresh.drawn, fresh.sums, 0.5 * share, RESOLUTION, 1e-14),
        )
        agrees = whole.refutable & latest.refutable & (whole.deviation * latest.deviation > 0.0)
        refuted[some] |= fresh.won | agrees.reshape(PAIRS, some.size).any(axis=0)
    return refuted
