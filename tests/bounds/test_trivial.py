"""No proved bound exceeds what is known without it, and none that does is called a promise."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mehler import exact
from mehler.bounds import group_invariant, kernel_error, kitchen_sinks, leverage, maxout, solve

RISK = {"n_samples": 1000, "pool_size": 4, "lipschitz": 1.0, "delta": 0.01}
LEMMA = {"n_features": 4, "pool_size": 4, "delta": 0.01}
SIGMA = exact.sigma2(4) ** 0.5


def test_theorem_2_of_tiny_functions():
    """0.0965 from the theorem, 0.0028 from the lengths of the functions."""
    bound = maxout.excess_risk(n_features=100, scale=1e-3, **RISK)
    assert bound.total == pytest.approx(0.0965, abs=5e-5)
    setting = 1e-3 * (2 * SIGMA + (2 * math.log(100) / 100) ** 0.5)
    assert bound.value == pytest.approx(setting, rel=1e-12)
    assert bound.value == pytest.approx(0.0028, abs=5e-5)
    assert bound.vacuous
    assert "below 0.0027" in str(bound)


def test_an_expectation_needs_no_bound_of_the_loss():
    sizes = {**RISK, "delta": None, "n_features": 100, "scale": 90.0}
    bound = maxout.excess_risk(loss_bound=math.inf, **sizes)
    assert 1 < bound.value == bound.total < bound.trivial
    assert maxout.excess_risk(**sizes).value == 1
    with pytest.raises(ValueError, match="loss_bound=inf is for an expectation"):
        maxout.excess_risk(loss_bound=math.inf, **{**sizes, "delta": 0.1})


def test_theorem_2_that_promises():
    bound = maxout.excess_risk(n_features=10**6, scale=0.5, **{**RISK, "n_samples": 10**6})
    assert bound.value == bound.total < bound.trivial
    assert not bound.vacuous


def test_lemma_4_of_few_units():
    bound = maxout.approximation_risk(scale=1e-3, lipschitz=1.0, **LEMMA)
    # A function of length 0 is in the box.
    assert bound.value == pytest.approx(1e-3 * SIGMA, rel=1e-12)
    assert bound.vacuous


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
        maxout.excess_risk(n_features=3, scale=1e3, **RISK),
        maxout.excess_risk(n_features=3, scale=1e-3, **{**RISK, "delta": None, "n_samples": 1}),
        maxout.excess_risk(n_features=3, scale=1.0, radius=1e-3, loss_bound=2.0, **RISK),
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
        leverage.score_error(10, ridge=0.1, degrees_of_freedom=5.0, delta=0.1),
        leverage.probability_error(10, pool_size=9, ridge=0.1, degrees_of_freedom=5.0, delta=0.1),
        leverage.excess_risk(
            10,
            ridge=0.5,
            radius=1.0,
            lipschitz=1.0,
            degrees_of_freedom=2.0,
            pool_degrees=2.0,
            estimated=2.0,
            pool_size=10**6,
            n_scored=10**9,
            n_features=10**6,
            delta=0.01,
        ),
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


def test_one_pair_takes_the_best_method():
    for delta in (0.9, 0.3, 1e-3):
        for setting in ({"pool_size": 4, "rho": 0.5}, {"width": 4.0}, {"collision": 0.3}):
            methods = {
                "pool_size": ("chernoff", "sub-gamma", "chebyshev"),
                "width": ("hoeffding", "chebyshev"),
                "collision": ("binomial", "hoeffding", "chebyshev"),
            }[next(iter(setting))]
            each = [
                kernel_error.one_pair(50, delta=delta, method=entry, **setting).value
                for entry in methods
            ]
            assert kernel_error.one_pair(50, delta=delta, **setting).value == min(each)


def test_a_set_takes_the_better_of_chaining_and_net():
    setting = {"pool_size": 4, "dimension": 10, "diameter": 2.0, "delta": 0.1, "n_inputs": 2}
    for m in (10, 10**8):
        each = [kernel_error.uniform(m, method=r, **setting).value for r in ("chaining", "net")]
        # At one level both sums share their first term.
        assert kernel_error.uniform(m, **setting).value == pytest.approx(min(each), rel=1e-12)


@pytest.mark.parametrize(
    ("eps", "setting"),
    [(1e-5, {"pool_size": 4}), (1e-5, {"pool_size": 4, "rho": 0.5}), (1e-7, {"pool_size": 1})],
)
def test_features_for_a_tiny_error(eps, setting):
    """Where m is huge Chernoff's bound is z^2 V/m with z^2 = 2 log(2/delta), up to its grid."""
    m = solve(kernel_error.one_pair, at_most=eps, n_features=None, delta=0.01, **setting)
    # Of one pool the largest variance is that of a squared normal, 3 - 1, at equal rows.
    of = {"variance": 2.0} if setting == {"pool_size": 1} else setting
    normal = solve(kernel_error.normal_quantile, at_most=eps, n_features=None, delta=0.01, **of)
    ratio = 2 * math.log(200) / 2.5758293035489004**2
    assert 1 <= m / normal / ratio < 1.01


@pytest.mark.parametrize("share", [0.5, 0.3, 0.9])
@pytest.mark.parametrize("m", [1, 3, 10, 30])
def test_codes_at_the_end_of_the_divergence(share, m):
    """delta = 2 p^m: all codes agree with just the chance that the bound allows."""
    for shift in (-1e-14, -1e-15, 0.0, 1e-15, 1e-14):
        delta = 2 * share**m * (1 + shift)
        if delta < 1:
            bound = kernel_error.one_pair(m, delta=delta, collision=share, method="binomial")
            assert 0 < bound.value <= max(share, 1 - share) + 1e-15
