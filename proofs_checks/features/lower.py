"""Lower bounds: the kernel's error, the approximation, the risk, the spectral error."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

import numpy as np

from mehler import MaxoutFeatures, _arrays
from mehler.bounds import Bound
from mehler.bounds import lower as bounds
from mehler.statements import Context, Evidence, check
from mehler.verify import intervals

from .._worlds import hold_worlds
from ._gram_draws import Draw
from .worlds import _lower as worlds

Bounding = Callable[..., Bound]
_CLAIM = "what is claimed over what happens"


@check("features.lower", form="printed", name="one pair")
def one_pair(context: Context, *, bound: Bounding = bounds.one_pair) -> Evidence:
    """Hold the bound of one pair for squares of normals, and for codes."""
    return hold_worlds(
        [*worlds.squares(bound), *worlds.codes(bound)],
        form="printed",
        claim=f"error at one pair, {_CLAIM}",
    )


@check("features.lower", form="proved", name="all pairs")
def all_pairs(context: Context, *, bound: Bounding = bounds.all_pairs) -> Evidence:
    """Hold the bound of all pairs for orthonormal rows."""
    return hold_worlds(
        [*worlds.lengths(bound)],
        form="proved",
        claim=f"largest error of orthonormal rows, {_CLAIM}",
    )


@check("features.lower", form="proved", name="a packing")
def uniform(context: Context, *, bound: Bounding = bounds.uniform) -> Evidence:
    """Hold the bound of a set for a packing."""
    return hold_worlds(
        [*worlds.packing(bound)], form="proved", claim=f"largest error over a set, {_CLAIM}"
    )


@check("features.lower", form="proved", name="the best learner of two laws")
def risk(context: Context, *, bound: Bounding = bounds.excess_risk) -> Evidence:
    """Hold the bound of the risk against the best learner of two laws."""
    return hold_worlds(
        [*worlds.majority(bound)], form="proved", claim=f"mean excess risk, {_CLAIM}"
    )


@check("features.lower", form="proved", name="the best learner of many laws")
def many_laws(context: Context, *, bound: Bounding = bounds.excess_risk) -> Evidence:
    """Hold the bound of the risk against the best learner of two laws for each row."""
    return hold_worlds(
        [*worlds.majorities(bound)], form="proved", claim=f"mean excess risk, {_CLAIM}"
    )


@check("features.lower", form="proved", name="estimators of normal means")
def rows(context: Context, *, bound: Bounding = bounds.fixed_design_error) -> Evidence:
    """Hold the bound of the risk at the rows against the largest risk of good estimators."""
    return hold_worlds(
        [*worlds.normal_means(bound)],
        form="proved",
        claim=f"mean excess risk at the rows, {_CLAIM}",
    )


@check("features.lower", form="proved", name="a missing row")
def rank(context: Context, *, bound: Bounding = bounds.gram_error) -> Evidence:
    """Hold the bound by rank where one row is missing."""
    return hold_worlds(
        [*worlds.distinct_rows(bound)], form="proved", claim=f"spectral error, {_CLAIM}"
    )


@check("features.lower", form="proved", name="one direction")
def direction(context: Context, *, bound: Bounding = bounds.gram_error_direction) -> Evidence:
    """Hold the bound by one direction where there is no other."""
    return hold_worlds(
        [*worlds.one_direction(bound)],
        form="proved",
        claim=f"spectral error, one row, {_CLAIM}",
    )


@check("features.lower", form="proved", name="a rare draw")
def rare(context: Context, *, bound: Bounding = bounds.gram_error_rare) -> Evidence:
    """Hold the bound by a rare draw for a row whose feature is seldom not 0."""
    return hold_worlds(
        [*worlds.rare_draws(bound)], form="proved", claim=f"spectral error, one row, {_CLAIM}"
    )


@check("features.lower", form="proved", name="one frequency")
def grid(context: Context, *, bound: Bounding = bounds.gram_error_grid) -> Evidence:
    """Hold the bound on equally spaced rows for one frequency, whose errors are computed."""
    return hold_worlds(
        [*worlds.rare_frequencies(bound)],
        form="proved",
        claim=f"spectral error, rows of a line, {_CLAIM}",
    )


@check("features.lower", form="proved", name="the nearest function", pays=True)
def nearest(
    context: Context, *, bound: Bounding = bounds.approximation, draw: Draw = MaxoutFeatures.draw
) -> Evidence:
    """Measure the nearest function in the world of the proof, where the bound is an equality."""
    q, m, n_draws = 4, 8, 4000 if context.quick else 40_000
    d = 2 * m
    seed = context.seed_for("nearest")
    phi = draw(d, m * n_draws, q, seed=seed, like=context.like())
    rows = np.asarray(_arrays.to_host(phi(context.asarray(np.eye(d)))), dtype=np.float64)
    parts = rows.reshape(d, n_draws, m).transpose(1, 0, 2)
    left = np.linalg.qr(parts)[0]
    missed = 1 - np.sum(left[:, 0, :] ** 2, axis=1)
    value = bound(m, pool_size=q, scale=1.0).value
    # The target is E|M - med M| at the first of d rows, 0 at the others.
    distance = _mean_distance(q) ** 2 / d * missed
    most = _mean_distance(q) ** 2 / d
    resolution = 0.2
    low, high = intervals.bounded(distance / value**2, 0.0, most / value**2, context.false_alarm)
    return Evidence(
        form="proved",
        status=_status(low, high, resolution),
        claim="mean square distance over the square of the bound is 1 in the world of the proof",
        observed=float(distance.mean() / value**2),
        exact=1.0,
        interval=(low, high),
        n_features=m * n_draws,
        false_alarm=context.false_alarm,
        resolution=resolution,
        detectable=high - low,
        method=f"empirical Bernstein interval of {n_draws} draws",
        assumptions=("draws are independent",),
    )


def _status(
    low: float, high: float, resolution: float
) -> Literal["holds", "refuted", "inconclusive"]:
    """Whether an interval has 1 in it, and is narrow."""
    if not low <= 1 <= high:
        return "refuted"
    return "holds" if high - low <= resolution else "inconclusive"


def _mean_distance(q: int) -> float:
    """E|M - med M| by a sum over the density of M."""
    t = np.linspace(-12, 12, 200_001)
    cdf = (np.array([math.erf(one / math.sqrt(2)) for one in t]) + 1) / 2
    power = cdf**q
    middle = np.interp(0.5, power, t)
    return float(np.sum(np.abs((t[1:] + t[:-1]) / 2 - middle) * np.diff(power)))
