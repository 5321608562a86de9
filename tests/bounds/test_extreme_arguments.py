"""Bounds at the ends of what floats and counts hold: a number, infinity, or a refusal by name."""

import math
from typing import Any

import numpy as np
import pytest

from mehler import exact
from mehler.bounds import group_invariant, kernel_error, kitchen_sinks, leverage, maxout
from mehler.bounds._bound import REGISTRY
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
    cases = []
    for i in range(SETTINGS):
        arguments = {**row.draw(rng), **row.branches[i % len(row.branches)]}
        ends = {key: extremes(key, value) for key, value in arguments.items()}
        keys = [key for key, values in ends.items() if values]
        for key in rng.choice(keys, size=min(len(keys), 1 + i % 2), replace=False):
            arguments[key] = ends[key][int(rng.integers(len(ends[key])))]
        if "block" in arguments:
            arguments["block"] = 1
        cases.append(arguments)
    return cases


@pytest.mark.slow
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", ROWS)
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
            # All elements of a group, a pool of its degrees of freedom, one feature.
            sizes = [value for value in arguments.values() if isinstance(value, int | float)]
            zero = zeros or len(set(sizes)) < len(sizes)
            assert bound.value > 0 or zero, arguments
    assert numbers > 0


SCORES = {"ridge": 0.1, "degrees_of_freedom": 5.0, "delta": 0.1}
POOL = {"ridge": 0.5, "radius": 1.0, "lipschitz": 1.0, "degrees_of_freedom": 2.0, "delta": 0.01}
POOL |= {"pool_degrees": 2.0, "estimated": 2.0, "pool_size": 10**6, "n_features": 10**6}
LEARNER = {"n_samples": 1000, "pool_size": 4, "lipschitz": 1.0, "delta": 0.01}
LEMMA = {"n_features": 4, "pool_size": 4, "delta": 0.01}
SIGMA = exact.sigma2(4) ** 0.5


def test_theorem_2_of_tiny_functions():
    """0.0965 from the theorem, 0.0028 from the lengths of the functions."""
    bound = maxout.excess_risk(n_features=100, scale=1e-3, **LEARNER)
    assert bound.total == pytest.approx(0.0965, abs=5e-5)
    setting = 1e-3 * (2 * SIGMA + (2 * math.log(100) / 100) ** 0.5)
    assert bound.value == pytest.approx(setting, rel=1e-12)
    assert bound.value == pytest.approx(0.0028, abs=5e-5)
    assert bound.vacuous
    assert "below 0.0027" in str(bound)


@pytest.mark.parametrize("function", ["nearest", "monte-carlo"])
def test_lengths_of_the_approximating_functions(function):
    """Drawn: no function of the box, nor f, is longer than `trivial` says."""
    bound = maxout.approximation(scale=1.0, function=function, **LEMMA)
    units = np.random.default_rng(0).standard_normal((10_000, 4, 4)).max(axis=2)
    farthest = SIGMA + (abs(units).mean(axis=1) if function == "monte-carlo" else 0.0)
    assert np.mean(farthest > bound.trivial) <= 0.01


@pytest.mark.parametrize(
    "bound",
    [
        maxout.excess_risk(n_features=3, scale=1e3, **LEARNER),
        maxout.excess_risk(n_features=3, scale=1e-3, **{**LEARNER, "delta": None, "n_samples": 1}),
        maxout.excess_risk(n_features=3, scale=1.0, radius=1e-3, loss_bound=2.0, **LEARNER),
        maxout.approximation(scale=1.0, **LEMMA),
        maxout.approximation(scale=1.0, function="monte-carlo", **LEMMA),
        maxout.approximation(scale=1.0, n_inputs=9, dimension=3, diameter=2.0, **LEMMA),
        maxout.approximation_risk(scale=1.0, lipschitz=9.0, **LEMMA),
        kernel_error.one_pair(1, delta=1e-6, width=4.0),
        kernel_error.one_pair(1, delta=1e-6, collision=0.3, method="hoeffding"),
        kitchen_sinks.approximation(2, scale=1.0, delta=0.01),
        kitchen_sinks.approximation_risk(2, scale=1.0, lipschitz=1.0, delta=0.01),
        kitchen_sinks.generalisation_gap(2, scale=1.0, lipschitz=1.0, delta=0.01),
        kitchen_sinks.excess_risk(2, 2, scale=1.0, lipschitz=1.0, delta=0.01),
        leverage.approximation(5000, ridge=1.0, degrees_of_freedom=0.5, delta=0.1),
        leverage.score_error(10, **SCORES),
        leverage.probability_error(10, pool_size=9, **SCORES),
        leverage.excess_risk(10, n_scored=10**9, **POOL),
        group_invariant.kernel_error(2, n_bins=9, n_rows=9, delta=0.1, window=1.3),
        group_invariant.approximation(2, n_bins=9, window=1.0, scale=1.0, delta=0.1),
        group_invariant.excess_risk(
            2, n_templates=2, n_bins=9, window=1.0, scale=1.0, lipschitz=1.0, delta=0.1
        ),
        group_invariant.cdf_error(1, delta=0.1),
    ],
    ids=lambda bound: bound.statement,
)
def test_too_few_of_anything_promises_nothing(bound):
    assert bound.total > bound.trivial
    assert bound.value == bound.trivial
    assert bound.vacuous
