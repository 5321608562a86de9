"""Scatter of group variances, bounded by a declared kurtosis or estimated from a pilot."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mehler._validate import positive
from mehler.verify.intervals._design import features_needed
from mehler.verify.pairwise._measurement import MeasurementSpec
from mehler.verify.sampling._draw_groups import GROUP, DrawGroups
from mehler.verify.sampling._pairs import Kernel, Pairs, evaluate

# Groups of the pilot, and the safety factor on its scatter.
PILOT, SAFETY = 256, 2.0

# Most draws spent on a chain's kurtosis bound, which is several times above its scatter.
_AFFORDABLE = 6_000


def declared_kurtosis(kurtosis: float | Kernel | None, phi: Any, pairs: Pairs) -> Any:
    """Return the kurtosis at every pair, given or the map's own; None if there is none."""
    if kurtosis is None:
        kurtosis = getattr(phi, "product_kurtosis", None)
    if kurtosis is None:
        return None
    if callable(kurtosis):
        k = pairs.pick(evaluate(kurtosis, pairs.left, pairs.right, "kurtosis"))
    else:
        k = np.full(pairs.n, positive("kurtosis", kurtosis))
    if k.min() < 1.0:
        raise ValueError(f"kurtosis reaches {k.min():.6g}: no law has one below 1")
    return k


def of_groups(kurtosis: Any) -> Any:
    """Return Var(S^2)/V^2 of a group's sample variance."""
    return kurtosis / GROUP - (GROUP - 3) / (GROUP * (GROUP - 1))


def affordable(limit: Any, plan: MeasurementSpec, bundle: int) -> bool:
    """Return whether an inspection at this scatter takes few enough draws."""
    needed = features_needed(
        float(limit.max()), plan.width, plan.false_alarm / plan.pairs.n, plan.miss / plan.pairs.n
    )
    return needed * bundle <= _AFFORDABLE * plan.source.per_draw


def by_pilot(plan: MeasurementSpec, draw: Callable[[int], Any], size: int) -> Any:
    """Return a bound on the scatter from pilot groups, which are not reused."""
    spreads = plan.source
    pilot = DrawGroups(draw, plan.draws.root, size, stream=1)
    wanted = -(-PILOT // spreads.per_draw)
    if plan.max_features is not None:
        wanted = max(1, min(wanted, plan.max_features // (4 * spreads.n_features)))
    everything = np.arange(plan.pairs.n)
    groups = np.concatenate([spreads.samples(pilot[k], everything) for k in range(wanted)])
    relative = groups.var(axis=0) / np.maximum(groups.mean(axis=0), 1e-300) ** 2
    # At least that of normal products, since a pilot without outliers proves little.
    worst = max(float(np.nanmax(relative)), 2.0 / (GROUP - 1))
    return np.full(plan.pairs.n, SAFETY * worst)
