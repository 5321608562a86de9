"""Measure collision probabilities of codes at many correlations at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from mehler import _arrays, verify
from mehler.statements import Context

from .._measured_products import MISS, Draw, Measured, draws, rows_at


def measure_collisions(
    context: Context,
    draw: Draw,
    pool_size: int,
    rho: Sequence[float],
    *,
    width: float,
    false_alarm: float,
) -> Measured:
    """Measure P(C(x) = C(z)) at given correlations, by the independent digits of codes.

    No interval exceeds `width`, which determines the number of digits. Cached, as in `measure`; the
    ledger is left to the check.
    """
    return _measure(
        draw,
        pool_size,
        tuple(float(r) for r in rho),
        width,
        false_alarm,
        context.seed_for(f"codes q={pool_size}"),
        context.like(),
    )


@lru_cache(maxsize=64)
def _measure(
    draw: Draw,
    pool_size: int,
    rho: tuple[float, ...],
    width: float,
    false_alarm: float,
    seed: int,
    like: Any,
) -> Measured:
    share = false_alarm / len(rho)
    # Clopper-Pearson lies within Hoeffding's interval, mean -+ sqrt(log(2/share) / (2 n)), because
    # it inverts the very tails that Hoeffding bounds.
    n_units = math.ceil(2 * math.log(2 / share) / width**2)
    x, z = rows_at(rho, np.random.default_rng([seed, 0]))
    hits = np.zeros(len(rho), dtype=np.int64)
    for phi in draws(draw, x.shape[1], pool_size, 1, n_units, seed, like, {}):
        equal = phi(like.asarray(x.copy())) == phi(like.asarray(z.copy()))
        hits += _arrays.to_host(equal).sum(axis=1)
    ends = [verify.intervals.binomial(int(k), n_units, share) for k in hits]
    reach = sum(math.sqrt(math.log(2 / rate) / (2 * n_units)) for rate in (share, MISS))
    return Measured(
        pool_size=(pool_size,) * len(rho),
        rho=rho,
        mean=tuple(float(k) / n_units for k in hits),
        low=tuple(low for low, _ in ends),
        high=tuple(high for _, high in ends),
        n_units=(n_units,) * len(rho),
        detectable=(reach,) * len(rho),
        false_alarm=false_alarm,
        method="binomial (Clopper-Pearson), union bound over the points",
    )
