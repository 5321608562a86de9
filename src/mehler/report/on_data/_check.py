"""Check a map against its exact kernel at pairs of the user's rows, and plan its features."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from mehler.planning import plan_map
from mehler.report._pieces import failed
from mehler.report.model._data_result import PlanRow
from mehler.report.on_data._maps import MapUnderTest
from mehler.report.on_data._rows import Chosen
from mehler.statements import Context, Evidence
from mehler.verify import check_kernel, features_needed

ERRORS = (0.1, 0.05, 0.02, 0.01)
CONFIDENCE = 0.99
_PLANNED_ROWS, _PLANNED_ENTRIES = 100, 1_000_000
_MISS = 1e-6
# Of the false alarm, for the last look of `check_kernel`.
_LAST = 0.75
# Random numbers in one draw: 32 MiB as float64.
_WEIGHTS_A_DRAW = 4_000_000
# Features of a draw that is one sample.
_WHOLE = 128


def check(one: MapUnderTest, seen: Chosen, context: Context) -> Evidence:
    """Compare the mean empirical Gram with the exact kernel at all pairs of the measured rows.

    Values are in units of sqrt(k(x,x) k(y,y)). An exception is evidence of status ``"error"``.
    """
    try:
        found = _check(one, seen, context)
    except Exception as error:
        return failed("proved", one.label, error)
    where: dict[str, Any] = dict(found.where)
    # Rows are numbered as in the source.
    for side in ("i", "j"):
        where[side] = int(seen.source[seen.measured[where[side]]])
    return replace(found, where=where)


def _check(one: MapUnderTest, seen: Chosen, context: Context) -> Evidence:
    rows = one.rows(seen.values[seen.measured])
    n_pairs = len(rows) * (len(rows) + 1) // 2
    known = small(one)

    def variance(X: Any, Y: Any) -> Any:
        return known.n_features * known.gram_variance(X, Y)

    length = np.sqrt(np.diag(known.kernel(rows)))
    relative = variance(rows, rows) / np.outer(length, length) ** 2
    resolution, wanted = design(one, float(np.max(relative)), n_pairs, context)
    size = _WHOLE if one.whole else min(wanted, int(_WEIGHTS_A_DRAW // one.cost))
    size = max(1, size // one.multiple) * one.multiple
    verdict = check_kernel(
        lambda seed: one.features(size, seed, context.like()),
        known.kernel,
        context.asarray(rows),
        variance=variance,
        false_alarm=context.false_alarm,
        resolution=resolution,
        miss=_MISS,
        seed=context.seed_for(one.label),
        ledger=context.ledger,
        name=f"data: {one.label}",
    )
    claim = f"at {n_pairs} pairs of {len(rows)} rows the mean empirical Gram is the exact kernel"
    unit = verdict.scale
    low, high = verdict.interval
    verdict = replace(
        verdict,
        observed=verdict.observed / unit,
        exact=verdict.exact / unit,
        interval=(low / unit, high / unit),
        scale=1.0,
    )
    return Evidence.from_verdict(verdict, form="proved", check=one.label, claim=claim)


def small(one: MapUnderTest) -> Any:
    """Draw the map on the host with few features, for its kernel and its variance."""
    return one.draw(max(1, _WHOLE // one.multiple) * one.multiple, seed=0)


def design(one: MapUnderTest, variance: float, n_pairs: int, context: Context) -> tuple[float, int]:
    """Choose the resolution and the number of features before any draw.

    The level's resolution if the random numbers it takes are affordable, else the finest that is.
    """
    target, budget = (0.05, 20e6) if context.quick else (0.03, 600e6)
    rate, miss = _LAST * context.false_alarm / n_pairs, _MISS / n_pairs
    wanted = features_needed(max(variance, target**2), target, rate, miss)
    affordable = max(one.multiple, int(budget / one.cost))
    if wanted <= affordable:
        return target, wanted
    # The number of features needed is proportional to 1 / resolution^2.
    return min(1.0, target * math.sqrt(wanted / affordable)), affordable


def plan(one: MapUnderTest, seen: Chosen, n_rows: int) -> list[PlanRow]:
    """Plan the features that one map needs for each error on all pairs of all rows."""
    # Kernels of groups take an average for every pair.
    rows = seen.values[seen.measured] if one.unit else seen.values[: n_planned(seen)]
    found = []
    for error in ERRORS:
        planned = plan_map(
            small(one), one.rows(rows), eps=error, delta=1 - CONFIDENCE, n_samples=n_rows
        )
        rough, proved = planned.rows
        found.append(
            PlanRow(
                map=one.label,
                error=error,
                n_features=int(rough.features or 0),
                n_features_proved=int(proved.features or 0),
            )
        )
    return found


def n_planned(seen: Chosen) -> int:
    """Return the number of rows at whose pairs a plan looks at the variance."""
    n, d = seen.values.shape
    return min(n, _PLANNED_ROWS, max(2, _PLANNED_ENTRIES // d))
