"""d_G is the mean distance of the points of two orbits; the energy distance is a metric."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mehler import GroupInvariantFeatures, verify
from mehler.exact.orbits import TemplateLaw
from mehler.features.groups import energy_distance, mean_distance
from mehler.statements import Context, Evidence, check

from .._measured_kernel import BLOCKS, unit_rows

_SCALE = 1 / math.sqrt(2 * math.pi * 6)


@check("group-invariant.orbit-distance", form="printed", name="all pairs of points")
def average(context: Context, *, distance: Any = mean_distance) -> Evidence:
    """Hold the mean distance of two orbits against all pairs of their points, one by one."""
    x = unit_rows(context, 4 if context.quick else 40, 6)
    moved = [act(x) for act in BLOCKS.actions]
    one_by_one = np.mean(
        [np.linalg.norm(a[:, None] - b[None], axis=2) for a in moved for b in moved], axis=0
    )
    gap = distance(BLOCKS, x) - one_by_one
    worst = float(gap.flat[np.argmax(np.abs(gap))])
    return Evidence.exact_comparison(
        form="printed",
        claim=(
            r"$D = \sqrt{2\pi d}\,d_G$ is the mean distance of all points of one orbit from all of "
            f"the other: largest difference of {gap.size} pairs of rows"
        ),
        observed=worst,
        exact=0.0,
        # Means of 36 distances, each of which may come out as 1e-8 where it is 0.
        interval=(worst - 1e-7, worst + 1e-7),
        method="computed, with its rounding",
    )


@check("group-invariant.orbit-distance", form="proved", name="a row and itself, permuted")
def same_orbit(context: Context, *, distance: Any = mean_distance) -> Evidence:
    """Compute d_G between a row and the same row permuted."""
    x = unit_rows(context, 1, 6)
    found = _SCALE * float(distance(BLOCKS, x, BLOCKS.actions[4](x))[0, 0])
    return Evidence.bound_comparison(
        form="proved",
        claim="$d_G(x, gx) > 0.01$: a mean of distances is not 0 on one orbit, and is no metric",
        observed=found,
        interval=(found - 1e-7, found + 1e-7),
        lower=0.01,
        method="computed, with its rounding",
    )


@check("group-invariant.orbit-distance", form="proved", name="a row and itself, permuted, energy")
def energy_on_an_orbit(context: Context, *, distance: Any = energy_distance) -> Evidence:
    """Compute the energy distance between a row and itself, permuted."""
    x = unit_rows(context, 1, 6)
    found = float(distance(BLOCKS, x, BLOCKS.actions[4](x))[0, 0])
    return Evidence.exact_comparison(
        form="proved",
        claim=r"$\mathcal{E}(x, gx) = 0$",
        observed=found,
        exact=0.0,
        interval=(found - 1e-7, found + 1e-7),
        method="computed, with its rounding",
    )


@check("group-invariant.orbit-distance", form="proved", name="rows of different orbits")
def energy_off_it(context: Context, *, distance: Any = energy_distance) -> Evidence:
    """Compute the energy distance between rows of different orbits."""
    x = unit_rows(context, 10 if context.quick else 60, 6)
    between = distance(BLOCKS, x)[np.triu_indices(len(x), 1)]
    least = float(between.min())
    return Evidence.bound_comparison(
        form="proved",
        claim=rf"$\mathcal{{E}}(x, z) > 0$, least of {between.size} pairs",
        observed=least,
        interval=(least - 1e-7, least + 1e-7),
        lower=0.0,
        method="computed, with its rounding",
    )


@check("group-invariant.orbit-distance", form="proved", name="squared distances of features")
def features(context: Context, *, distance: Any = energy_distance) -> Evidence:
    """Hold kappa times the energy distance against measured squared distances of features."""
    x = unit_rows(context, 2, 6)
    law = TemplateLaw("sphere", 6)
    phi = GroupInvariantFeatures.draw(
        6,
        group=BLOCKS,
        n_templates=40_000 if context.quick else 400_000,
        rule="dither",
        n_bins=10,
        window=1.0,
        seed=context.seed_for("templates"),
    )
    (a, b), s = (x[:1], x[1:]), 1.0
    own, other, across = (phi.products(*one)[0] for one in ((a, a), (b, b), (a, b)))
    verdict = verify.check_mean(
        own + other - 2 * across,
        law.slope * float(distance(BLOCKS, a, b)[0, 0]),
        # Squared differences of distribution functions, summed over the window.
        bounds=(-1e-9, 2 * s + 1e-9),
        false_alarm=context.false_alarm,
        resolution=0.02 if context.quick else 0.006,
        ledger=context.ledger,
        name=f"{context.statement}: features",
    )
    return Evidence.from_verdict(
        verdict, form="proved", claim=r"$E\|\Phi(x) - \Phi(z)\|^2 = \kappa\,\mathcal{E}(x, z)$"
    )
