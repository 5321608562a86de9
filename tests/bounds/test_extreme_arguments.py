"""Bounds at the ends of what floats and counts hold: a number, infinity, or a refusal by name."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from mehler.proofs_checks.group_invariant.kernel.energy_quotient import least_energy
from mehler.proofs_checks.maxout.growth.remark_1_codes import agree_at_most
from mpmath import mp

from mehler.bounds import kernel_error, kitchen_sinks, leverage, lower, maxout, spectral
from mehler.bounds._function import REGISTRY
from tests.bounds.formulas import Arguments, rows

ROWS = rows()
NUMBERS = (5e-324, 1e-300, 1e-160, 1e-20, 1e20, 1e160, 1e300, 1.7e308)
COUNTS = (1, 2, 10**6, 10**18)
# Exponents of the largest pool take seconds: see `test_the_largest_pool`.
POOLS = (1, 2, 1024, 10**18)
PROBABILITIES = (1e-300, 1e-16, 1 - 1e-16)
SETTINGS = 24


def extremes(name: str, value: Any) -> tuple[Any, ...]:
    """Return what an argument may be at its ends; nothing for flags, words and arrays."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ()
    if isinstance(value, int):
        return POOLS if name == "pool_size" else COUNTS
    return PROBABILITIES if name in ("delta", "epsilon", "collision") else NUMBERS


def settings(name: str) -> list[Arguments]:
    """Return random arguments, of which one or two are extreme."""
    row, rng = ROWS[name], np.random.default_rng(0)
    drawn = []
    for i in range(SETTINGS):
        arguments = {**row.draw(rng), **row.branches[i % len(row.branches)]}
        ends = {key: extremes(key, value) for key, value in arguments.items()}
        keys = [key for key, values in ends.items() if values]
        for key in rng.choice(keys, size=min(len(keys), 1 + i % 2), replace=False):
            arguments[key] = ends[key][int(rng.integers(len(ends[key])))]
        if "block" in arguments:
            arguments["block"] = 1
        drawn.append(arguments)
    return drawn


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", [name for name in ROWS])
def test_a_bound_is_a_number_or_refused(name):
    """No bound from above is rounded to 0, and none from below to infinity."""
    numbers = 0
    for arguments in settings(name):
        try:
            bound = REGISTRY[name](**arguments)
        except (TypeError, ValueError):
            continue
        numbers += 1
        values = [bound.value, bound.probability, *(term.value for term in bound.terms)]
        assert not any(math.isnan(value) for value in values), arguments
        if name.startswith("lower."):
            assert 0 <= bound.value < math.inf, arguments
        elif name != "group_invariant.kernel_bias":
            zeros = [key for key, value in arguments.items() if np.ndim(value) == 0 and value == 0]
            zero = zeros or all(term.formula == "0" for term in bound.terms)
            assert bound.value > 0 or zero, arguments
    assert numbers > 0


@pytest.mark.full
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("rho", [None, -1.0, -0.96, 0.0, 1.0])
@pytest.mark.parametrize("delta", PROBABILITIES)
def test_the_largest_pool(rho, delta):
    for m in (1, 10**18):
        bound = kernel_error.one_pair(m, delta=delta, pool_size=10**6, rho=rho)
        assert 0 < bound.value < math.inf


@pytest.mark.parametrize("templates", ["zero", "redraw"])
@pytest.mark.parametrize("epsilon", [1e-9, 0.3, 40.0, 1e6])
def test_the_bias_below_is_never_negative(templates, epsilon):
    """Templates that are drawn again lose no mass, and few of them are at a large margin."""
    for n_inputs in (2, 40, 10**6):
        arguments = {"epsilon": epsilon, "templates": templates}
        below = REGISTRY["group_invariant.kernel_bias"](n_inputs, side="below", **arguments)
        assert below.total >= 0
        assert (below.total == 0) == (templates == "redraw")
        if templates == "redraw":
            above = REGISTRY["group_invariant.kernel_bias"](n_inputs, side="above", **arguments)
            assert above.total > 0


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("kernel_error.one_pair", {"n_features": 10**18, "delta": 0.1, "variance": 5e-324}),
        (
            "kitchen_sinks.approximation",
            {"n_features": 1, "scale": 1e-200, "feature_scale": 1e-200},
        ),
        ("leverage.approximation", {"n_features": 10**6, "ridge": 5e-324, "norm": 1e-9}),
    ],
)
def test_what_underflows_is_refused(name, arguments):
    others = {"delta": 0.1}
    if name.startswith("leverage"):
        others["degrees_of_freedom"] = 2.0
    with pytest.raises(ValueError, match=r"other units|to be squared"):
        REGISTRY[name](**{**others, **arguments})


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
    value = agree_at_most(rho, pool_size=q).value
    assert value > 0.0
    assert mp.mpf(value) <= max(2 * least, mp.mpf(2) ** -1073)


@pytest.mark.parametrize("share", [1e-300, 1e-3, 0.2])
@pytest.mark.parametrize("radius", [0.0, 0.9, 1.0 - 1e-12])
def test_a_lower_bound_of_a_distance_is_not_negative(share, radius):
    assert least_energy(1.0, share=share, radius=radius).value >= 0.0


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


@pytest.mark.parametrize(
    ("function", "arguments", "name"),
    [
        (kitchen_sinks.feature_scale_maxout, {"n_inputs": 10**400, "pool_size": 2}, "n_inputs"),
        (kitchen_sinks.feature_scale_maxout, {"n_inputs": 3, "pool_size": 10**5000}, "pool_size"),
    ],
)
def test_numbers_that_are_no_bounds_refuse_what_overflows(function, arguments, name):
    arguments = {**arguments, "radius": 1.0}
    with pytest.raises(ValueError, match=rf"^{name}=.*(leave the floats|a float holds)"):
        function(**arguments)


def test_a_count_beyond_the_floats_is_named():
    with pytest.raises(ValueError, match=r"^n_features=a number of about 400 digits"):
        kernel_error.one_pair(10**400, delta=0.1, variance=1.0)


@pytest.mark.parametrize("loss_bound", ["inf", math.nan, 0.0])
def test_a_loss_bound_is_a_number_or_infinity(loss_bound):
    setting = {"n_features": 9, "n_samples": 9, "pool_size": 2, "delta": 0.1, **RISK}
    with pytest.raises((TypeError, ValueError), match=r"^loss_bound="):
        maxout.excess_risk(**setting, loss_bound=loss_bound)
