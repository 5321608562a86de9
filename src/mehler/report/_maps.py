"""Maps that the report measures on the user's rows, each with its setting and its cost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from mehler import _arrays
from mehler.features import (
    DecoupledMaxoutFeatures,
    FourierFeatures,
    GroupInvariantFeatures,
    KitchenSinks,
    MaxoutCodes,
    MaxoutFeatures,
    groups,
    leverage,
)
from mehler.report._rows import WIDE, Sample, directions
from mehler.report.render._format import number

# Bins of a template of an invariant map, and the most elements of a group.
_BINS, LARGEST_GROUP = 8, 256
# Time to move a template by one group element, in random numbers that could be drawn meanwhile.
_MOVING = 20
# Rows on which leverage scores are computed, and how many features a pool has for one kept.
_SCORED, _POOL = 64, 2
# Above it none is selected: every draw, one sample, draws and scores a whole pool.
MOST_SCORED_COLUMNS = WIDE // 2
# Time of leverage scores, in random numbers a kept feature.
_SCORING = 6000


@dataclass(frozen=True, kw_only=True)
class MapUnderTest:
    """A map, its setting on these rows, and the cost of its measurement.

    ``draw(n_features, seed=, like=)`` draws it; `multiple` divides n_features. `cost` of a feature
    in random numbers, or as many as could be drawn meanwhile. `unit`: rows are divided by their
    norms first. `whole`: features depend on each other, so that a draw is one sample. `linear`:
    features are numbers on which a linear model can learn.
    """

    label: str
    setting: str
    draw: Callable[..., Any]
    cost: float
    multiple: int = 1
    unit: bool = False
    whole: bool = False
    linear: bool = True

    def rounded(self, n_features: int) -> int:
        """Return the largest number of features up to this that the map may have, or the least."""
        return max(1, n_features // self.multiple) * self.multiple

    def rows(self, values: np.ndarray) -> np.ndarray:
        """Return rows as the map takes them."""
        return directions(values) if self.unit else values

    def features(self, n_features: int, seed: int, like: Any) -> Any:
        """Draw the map; if it may have fewer columns than asked for, add columns of zeros."""
        phi = self.draw(n_features, seed=seed, like=like)
        missing = n_features - phi.n_features
        if not missing:
            return phi

        def padded(X: Any) -> Any:
            xp = _arrays.array_namespace(X)
            Z = phi(X)
            zeros = xp.zeros(
                (X.shape[0], missing), dtype=Z.dtype, device=_arrays.place_of(Z).device
            )
            return xp.concat([Z, zeros], axis=1)

        return padded


def maps_under_test(sample: Sample) -> tuple[MapUnderTest, ...]:
    """Return every kind of map, with settings that suit the rows."""
    d = sample.values.shape[1]
    return (*_fourier(sample, d), *_kitchen_sinks(sample, d), *_maxout(d), *_invariant(sample, d))


def _fourier(sample: Sample, d: int) -> list[MapUnderTest]:
    gamma, gamma1 = 0.5 / sample.median**2, 1.0 / sample.median_cityblock
    rule = "by the median rule"
    rbf = partial(FourierFeatures.draw, d, kernel="rbf", gamma=gamma)
    spectra = {
        "rbf": (rbf, f"gamma = {number(gamma)}"),
        "laplacian": (
            partial(FourierFeatures.draw, d, kernel="laplacian", gamma=gamma1),
            f"gamma = {number(gamma1)}",
        ),
        "matern": (
            partial(FourierFeatures.draw, d, kernel="matern", nu=1.5, length_scale=sample.median),
            f"nu = 1.5, length_scale = {number(sample.median)}",
        ),
    }
    candidates = [
        MapUnderTest(
            label=f"FourierFeatures, {name}",
            setting=f"{setting}, {rule}",
            draw=draw,
            cost=d / 2,
            multiple=2,
        )
        for name, (draw, setting) in spectra.items()
    ]
    if d > MOST_SCORED_COLUMNS:
        return candidates
    scored = sample.values[:_SCORED]
    candidates.append(
        MapUnderTest(
            label="LeverageSampling of rbf",
            setting=f"1 of {_POOL} features, scores on {len(scored)} rows",
            draw=partial(_selected, rbf, scored),
            cost=_POOL * d / 2 + _SCORING,
            multiple=2,
            whole=True,
        )
    )
    return candidates


def _selected(
    draw: Callable[..., Any], rows: np.ndarray, n_features: int, *, seed: int, like: Any = None
) -> Any:
    """Draw a pool, and select features of it by their leverage scores on rows."""
    pool = draw(_POOL * n_features, seed=seed)
    sampling = leverage.LeverageSampling(
        pool, n_features, lam=1e-3, mix=0.5, seed=seed, draws="iid", method="gram"
    )
    return sampling.fit(rows).to(like)


def _kitchen_sinks(sample: Sample, d: int) -> list[MapUnderTest]:
    # Projections of standard deviation 1 at the median row.
    scale = 1.0 / float(np.median(np.linalg.norm(sample.values, axis=1)))
    return [
        MapUnderTest(
            label=f"KitchenSinks, {name}",
            setting=f"weight_scale = {number(scale)}, 1 / median length",
            draw=partial(KitchenSinks.draw, d, activation=name, weight_scale=scale),
            cost=d,
        )
        for name in ("relu", "erf", "cos")
    ]


def _maxout(d: int) -> list[MapUnderTest]:
    candidates = [
        MapUnderTest(
            label=f"MaxoutFeatures, q = {q}",
            setting="",
            draw=partial(MaxoutFeatures.draw, d, pool_size=q),
            cost=q * d,
        )
        for q in ((2, 4, 8, 16) if d <= WIDE else (2, 4))
    ]
    return [
        *candidates,
        MapUnderTest(
            label="DecoupledMaxoutFeatures, q = 2",
            setting="",
            # Fresh directions make the units independent draws.
            draw=partial(DecoupledMaxoutFeatures.draw, d, pool_size=2, directions="fresh"),
            cost=4 * d,
        ),
        MapUnderTest(
            label="MaxoutCodes, q = 4",
            setting="",
            draw=partial(MaxoutCodes.draw, d, pool_size=4),
            cost=4 * d,
            linear=False,
        ),
    ]


def _invariant(sample: Sample, d: int) -> list[MapUnderTest]:
    """Return maps whose group suits images or sequences, if the rows look like them."""
    if not sample.layout:
        return []
    if len(sample.layout) == 2:
        side = sample.layout[0]
        acting = {
            "quarter turns": groups.QuarterTurns(side),
            "image shifts": groups.ImageShifts(side, side),
        }
    else:
        acting = {"cyclic shifts": groups.CyclicShifts(d)}
    return [
        MapUnderTest(
            label=f"GroupInvariantFeatures, {name}",
            setting=f"rows of norm 1, {group.order} elements, {_BINS} bins",
            draw=partial(GroupInvariantFeatures.draw, d, group=group, n_bins=_BINS),
            cost=d / (2 * _BINS) + _MOVING * group.order,
            multiple=2 * _BINS,
            unit=True,
        )
        for name, group in acting.items()
        if group.order <= LARGEST_GROUP
    ]
