"""Two distances of orbits {gx: g in G}: d_G of Mroueh, Voinea, Poggio (2015), and the energy.

d_G is D/sqrt(2 pi d), D(x, z) the mean of |gx - hz|: not 0 between a row and its images. The energy
distance 2 D(x, z) - D(x, x) - D(z, z) is 0 there and only there. Both are computed; the energy is
compared with distances of features Phi, distribution functions of <t, gx> for random t.
"""

import math
from typing import Any

import numpy as np

from mehler import GroupInvariantFeatures, verify
from mehler.features.groups import energy_distance, mean_distance
from mehler.statements import Context, Evidence, check

from ..._comparisons import compute
from .._shared import BLOCKS, DITHER, SPHERE, unit_rows

_SCALE, _ROUNDING = 1 / math.sqrt(2 * math.pi * 6), 1e-7


@check("group-invariant.orbit-distance", form="printed", name="all pairs of points")
def average(context: Context, *, distance: Any = mean_distance) -> Evidence:
    """Compare the mean distance of two orbits with all pairs of their points."""
    x = unit_rows(context, 4 if context.quick else 40, 6)
    orbit = [act(x) for act in BLOCKS.actions]
    one_by_one = np.mean(
        [np.linalg.norm(a[:, None] - b[None], axis=2) for a in orbit for b in orbit], axis=0
    )
    gap = distance(BLOCKS, x) - one_by_one
    worst = float(gap.flat[np.argmax(np.abs(gap))])
    # Means of 36 distances, each of which may come out as 1e-8 where it is 0.
    claim = (
        r"$D = \sqrt{2\pi d}\,d_G$ is the mean distance of all points of one orbit from all of "
        f"the other: largest difference of {gap.size} pairs of rows"
    )
    return compute(claim, worst, _ROUNDING, exact=0.0)


@check("group-invariant.orbit-distance", form="proved", name="a row and itself, permuted")
def same_orbit(context: Context, *, distance: Any = mean_distance) -> Evidence:
    """Compute d_G = D / sqrt(2 pi d), D the mean distance, between a row and itself, permuted."""
    x = unit_rows(context, 1, 6)
    gap = _SCALE * float(distance(BLOCKS, x, BLOCKS.actions[4](x))[0, 0])
    claim = "$d_G(x, gx) > 0.01$: a mean of distances is not 0 on one orbit, and is no metric"
    return compute(claim, gap, _ROUNDING, lower=0.01)


@check("group-invariant.orbit-distance", form="proved", name="a row and itself, permuted, energy")
def energy_on_an_orbit(context: Context, *, distance: Any = energy_distance) -> Evidence:
    """Compute the energy distance 2 D(x, z) - D(x, x) - D(z, z) of a row and itself, permuted."""
    x = unit_rows(context, 1, 6)
    energy = float(distance(BLOCKS, x, BLOCKS.actions[4](x))[0, 0])
    return compute(r"$\mathcal{E}(x, gx) = 0$", energy, _ROUNDING, exact=0.0)


@check("group-invariant.orbit-distance", form="proved", name="rows of different orbits")
def energy_off_it(context: Context, *, distance: Any = energy_distance) -> Evidence:
    """Compute the energy distance between rows of different orbits."""
    x = unit_rows(context, 10 if context.quick else 60, 6)
    between = distance(BLOCKS, x)[np.triu_indices(len(x), 1)]
    claim = rf"$\mathcal{{E}}(x, z) > 0$, least of {between.size} pairs"
    return compute(claim, float(between.min()), _ROUNDING, lower=0.0)


@check("group-invariant.orbit-distance", form="proved", name="squared distances of features")
def features(context: Context, *, distance: Any = energy_distance) -> Evidence:
    """Compare kappa = E|t_1|/2, t a template, times the energy with squared distances of Phi."""
    x = unit_rows(context, 2, 6)
    phi = GroupInvariantFeatures.draw(
        6,
        **DITHER,
        n_templates=40_000 if context.quick else 400_000,
        window=1.0,
        seed=context.seed_for("templates"),
    )
    a, b = x[:1], x[1:]
    square_a, square_b, across = (phi.products(*pair)[0] for pair in ((a, a), (b, b), (a, b)))
    verdict = verify.check_mean(
        square_a + square_b - 2 * across,
        SPHERE.slope * float(distance(BLOCKS, a, b)[0, 0]),
        # Squared differences of distribution functions, summed over the window.
        bounds=(-1e-9, 2 + 1e-9),
        false_alarm=context.false_alarm,
        resolution=0.02 if context.quick else 0.006,
        ledger=context.ledger,
        name=f"{context.statement}: features",
    )
    return Evidence.from_verdict(
        verdict, claim=r"$E\|\Phi(x) - \Phi(z)\|^2 = \kappa\,\mathcal{E}(x, z)$"
    )
