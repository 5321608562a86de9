"""The measuring and computing that checks share, each against another route."""

import dataclasses

import numpy as np
import pytest
from mehler.proofs_checks._comparisons import compute
from mehler.proofs_checks._measured_products import (
    Estimates,
    compare_with_claims,
    measure,
    measure_collisions,
)

from mehler import MaxoutCodes, MaxoutFeatures, exact


@pytest.mark.parametrize(
    ("relative", "ends"), [(False, (3.75, 4.25)), (True, (3.0, 5.0))], ids=["absolute", "relative"]
)
def test_a_computed_value_stands_within_its_rounding_on_both_sides(relative, ends):
    result = compute("a", 4.0, 0.25, relative=relative, exact=4.0, resolution=10.0)
    assert (result.observed, result.interval) == (4.0, ends)
    for claim in (ends[0] - 0.01, ends[1] + 0.01):
        assert compute("a", 4.0, 0.25, relative=relative, exact=claim).status == "refuted"


@pytest.mark.parametrize("seed", range(5))
def test_intervals_are_as_narrow_as_asked_and_contain_the_truth(context, seed):
    setting, rho = dataclasses.replace(context("maxout.q1-linear"), seed=seed), (-0.4, 0.8)
    options = {"variance": exact.maxout_variance(np.asarray(rho), 3), "width": (0.1, 0.1)}
    measurement = measure(setting, MaxoutFeatures.draw, 3, rho, false_alarm=1e-9, **options)
    codes = measure_collisions(setting, MaxoutCodes.draw, (3,), rho, 0.05)
    of_both = (measurement, exact.maxout_kernel, 0.1), (codes, exact.collision_probability, 0.05)
    for interval, truth, width in of_both:
        low, high = np.asarray(interval.low), np.asarray(interval.high)
        value = interval.claimed(truth)
        assert np.all((low < value) & (value < high) & (high - low <= width))


def points(low: float, high: float) -> Estimates:
    return Estimates(
        pool_size=(2, 2),
        rho=(0.0, 0.5),
        mean=(0.5, (low + high) / 2),
        low=(0.4, low),
        high=(0.6, high),
        n_units=(10, 10),
        detectable=(0.2, 0.2),
        false_alarm=1e-9,
        method="made up",
    )


@pytest.mark.parametrize(
    ("low", "high", "status"),
    [
        (0.3, 0.5, "holds"),
        (0.41, 0.5, "refuted"),
        (0.3, 0.39, "refuted"),
        (0.0, 1.0, "inconclusive"),
    ],
)
def test_one_point_decides_for_all(low, high, status):
    evidence = compare_with_claims(points(low, high), [0.5, 0.4], resolution=0.25, claim="k")
    assert evidence.status == status
    if status != "holds":
        assert evidence.interval == (low, high), "the point that decides is the one that is shown"
