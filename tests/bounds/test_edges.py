"""Arguments at the edge of what a bound can promise: refused, or nothing is promised."""

from __future__ import annotations

import math

import numpy as np
import pytest
from mpmath import mp

from mehler.bounds import kernel_error, kitchen_sinks, leverage, lower, maxout, spectral

RISK = {"scale": 1.0, "lipschitz": 1.0}
LEARNING = {
    **{"ridge": 0.01, "radius": 1.0, "lipschitz": 1.0, "n_scored": 10**9, "n_features": 10**6},
    **{"degrees_of_freedom": 9.0, "pool_degrees": 9.0, "estimated": 9.0, "pool_size": 10**6},
}


@pytest.mark.parametrize(
    "bound",
    [
        lambda: leverage.excess_risk(10**6, delta=0.4, **LEARNING),
        lambda: kitchen_sinks.excess_risk(100, 100, delta=0.9, **RISK),
        lambda: maxout.excess_risk(n_features=9, n_samples=9, pool_size=2, delta=0.9, **RISK),
    ],
)
def test_a_union_bound_beyond_one_promises_nothing(bound):
    result = bound()
    assert result.probability == 0.0
    assert result.vacuous


def test_probabilities_of_arrays_are_clipped_entry_by_entry():
    result = kitchen_sinks.excess_risk(100, 100, delta=np.array([0.01, 0.9]), **RISK)
    assert result.probability.tolist() == [0.98, 0.0]
    assert result.vacuous.tolist() == [False, True]


@pytest.mark.parametrize(("rho", "q"), [(-0.9967, 84291), (-0.99, 10**6), (-0.5, 10**6)])
def test_an_upper_bound_of_a_positive_probability_is_positive(rho, q):
    """The proved formula at the best of many levels, in mpmath."""
    with mp.workdps(40):
        spread = mp.sqrt((1 + mp.mpf(rho)) / 2)
        least = min(
            2 * mp.ncdf(a) ** q + q * mp.ncdf(-a / spread) for a in np.linspace(0.01, 9.0, 400)
        )
    value = maxout.collision_probability(rho, pool_size=q).value
    assert value > 0.0
    assert mp.mpf(value) <= max(2 * least, mp.mpf(2) ** -1073)


@pytest.mark.parametrize("share", [1e-300, 1e-3, 0.2])
@pytest.mark.parametrize("radius", [0.0, 0.9, 1.0 - 1e-12])
def test_a_lower_bound_of_a_distance_is_not_negative(share, radius):
    assert lower.energy_distance(1.0, share=share, radius=radius).value >= 0.0


def test_a_leverage_below_the_mean_is_unmet_and_ends():
    result = spectral.gram_error(100, ridge=0.1, delta=0.1, eigenvalues=[5.0, 1.0], leverage=1e-320)
    assert result.vacuous
    assert [entry.met for entry in result.assumptions].count(False) == 1


@pytest.mark.parametrize("function", ["nearest", "monte-carlo"])
def test_an_approximation_without_delta_is_the_mean_square(function):
    setting = {"n_features": 200, "pool_size": 2, "scale": 0.3}
    # sigma^2(2) = 1.
    bound = maxout.approximation(**setting, function=function)
    assert bound.value == pytest.approx(0.3 / math.sqrt(200), rel=1e-12)
    assert bound.probability == 1


@pytest.mark.parametrize("rho", [math.nan, 0.5, 5.0])
@pytest.mark.parametrize("setting", [{"variance": 1.0, "third": 2.0}, {"collision": 0.3}])
def test_a_correlation_belongs_to_maxout_units(rho, setting):
    with pytest.raises(ValueError, match=r"^rho"):
        lower.one_pair(100, delta=0.1, rho=rho, **setting)


def test_a_square_beyond_floats_is_refused_by_name():
    with pytest.raises(ValueError, match=r"feature_scale=1\.7e"):
        kitchen_sinks.approximation(100, scale=1.0, delta=0.1, feature_scale=1.7e308)


def test_a_dimension_beyond_all_sizes_warns_of_nothing():
    result = kernel_error.uniform(1000, pool_size=3, dimension=1e300, diameter=1.0, delta=0.01)
    assert result.value > 1e100
