"""The bounds for weighted sums of random features, each against a second route to its constants."""

from __future__ import annotations

import math

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mehler.proofs_checks.kitchen_sinks import _published

from mehler import bounds
from mehler.bounds import kitchen_sinks


def test_lemma_1_with_known_moments_is_the_exact_mean_square():
    """Two orthonormal features, each drawn with probability 1/2, f* = (phi_1 + phi_2) / 2."""
    k = 10
    # K times the average counts phi_1: the error is sqrt(2) |count/K - 1/2|, count binomial.
    mean_square = sum(math.comb(k, j) / 2**k * 2 * (j / k - 0.5) ** 2 for j in range(k + 1))
    bound = kitchen_sinks.approximation(
        k, scale=1.0, delta=0.1, mean_square=1.0, norm=math.sqrt(0.5)
    )
    assert bound["mean"] == pytest.approx(math.sqrt(mean_square), rel=1e-13)
    assert bound["mean"] < kitchen_sinks.approximation(k, scale=1.0, delta=0.1)["mean"]
    assert bound.trivial == math.sqrt(0.5)


def test_a_scale_of_the_features_multiplies_c():
    entry = kitchen_sinks.approximation(9, scale=3.0, delta=0.1)
    assert (
        kitchen_sinks.approximation(9, scale=1.5, feature_scale=2.0, delta=0.1).value == entry.value
    )
    for bound in (kitchen_sinks.approximation_risk, kitchen_sinks.generalisation_gap):
        assert bound(9, scale=1.5, lipschitz=2.0, feature_scale=2.0, delta=0.1).value == (
            bound(9, scale=3.0, lipschitz=2.0, delta=0.1).value
        )


def test_features_that_are_too_large_make_it_vacuous():
    good = {"scale": 1.0, "delta": 0.05}
    assert not kitchen_sinks.approximation(50, **good, largest_feature=1.0).vacuous
    assert kitchen_sinks.approximation(50, **good, largest_feature=1.01).vacuous
    risk = {**good, "lipschitz": 1.0, "largest_feature": 1.01}
    assert kitchen_sinks.approximation_risk(50, **risk).unmet
    assert kitchen_sinks.generalisation_gap(50, **risk).unmet
    assert kitchen_sinks.excess_risk(50, 50, **risk).unmet
    assert kitchen_sinks.approximation_greedy(50, total_weight=1.0, largest_feature=1.01).unmet


def test_the_average_is_farther_than_what_is_trivial():
    """One feature of value 1 with probability 0.9, else -1; f* is their mean, 0.8."""
    numbers = {"scale": 1.0, "delta": 0.05, "norm": 0.8}
    nearest = kitchen_sinks.approximation(1, **numbers)
    average = kitchen_sinks.approximation(1, **numbers, function="monte-carlo")
    # With probability 0.1 the average misses f* by 1.8, and the nearest weight by nothing.
    assert nearest.value == 0.8 < 1.8 == average.value < average.total
    assert average.trivial == 1.8
    assert "average" in average.quantity
    # Twenty of them: the same sum of terms for both.
    many = [kitchen_sinks.approximation(20, **numbers, function=f) for f in FUNCTIONS]
    assert many[0].total == many[1].total


FUNCTIONS = ("nearest", "monte-carlo")


def test_nothing_is_promised_where_the_zero_function_does_as_well():
    assert kitchen_sinks.approximation(10, scale=1.0, delta=0.05).vacuous
    assert not kitchen_sinks.approximation(12, scale=1.0, delta=0.05).vacuous
    assert kitchen_sinks.excess_risk(10**6, 10**6, scale=1.0, lipschitz=1.0, delta=0.5).vacuous


@given(st.integers(1, 10**9), st.integers(1, 10**9), st.floats(1e-12, 0.49999))
def test_the_proved_theorem_implies_the_printed_rate(k, n, delta):
    sizes = {"scale": 1.0, "lipschitz": 1.0, "delta": delta}
    proved = kitchen_sinks.excess_risk(k, n, **sizes)
    published = _published.theorem(k, n, **sizes, c=5.24)
    assert proved.value <= published.value
    assert published.probability == proved.probability


@given(st.floats(1e-3, 0.99), st.floats(1e-6, 0.9), st.floats(0.1, 20.0))
def test_the_least_number_of_features_is_the_formula(share, delta, scale):
    numbers = {"scale": scale, "delta": delta}
    k = bounds.solve(kitchen_sinks.approximation, at_most=share * scale, n_features=None, **numbers)
    # K = ceil((C/eps)^2 (1 + sqrt(2 log(1/delta)))^2), up to the rounding of an integer.
    exact = ((1 + math.sqrt(-2 * math.log(delta))) / share) ** 2
    assert k == math.ceil(exact) or abs(k - exact) < 1 + 1e-9 * exact


def test_a_target_that_is_trivial_takes_what_promises_something():
    """The function 0 is within C of f*; the formula is below C from 12 features on."""
    for target, k in ((5.0, 12), (1.0, 12), (0.999, 12)):
        numbers = {"scale": 1.0, "delta": 0.05, "n_features": None}
        assert bounds.solve(kitchen_sinks.approximation, at_most=target, **numbers) == k


def test_too_few_samples_are_solved_for_at_endless_features():
    numbers = {"scale": 1.0, "lipschitz": 1.0, "delta": 0.05, "at_most": 0.1}
    with pytest.raises(ValueError, match="out of reach"):
        bounds.solve(kitchen_sinks.excess_risk, n_features=None, n_samples=1000, **numbers)
    n = bounds.solve(kitchen_sinks.excess_risk, n_features=10**18, n_samples=None, **numbers)
    # 2 (1 + sqrt(2 log 20))/sqrt(N) at most 0.1, less what 1e18 features miss.
    assert n == math.ceil((20 * (1 + math.sqrt(2 * math.log(20)))) ** 2)
    k = bounds.solve(kitchen_sinks.excess_risk, n_features=None, n_samples=n + 1, **numbers)
    assert k > 10**6


def test_greedy_on_equal_weights():
    """n orthonormal features of weight 1/n: K steps leave (1/K)(1 - K/n), by hand."""
    n, k = 100, 10
    bound = kitchen_sinks.approximation_greedy(k, total_weight=1.0, norm=n**-0.5)
    # The error with K equal weights: K (1/K - 1/n)^2 + (n - K)/n^2.
    assert math.sqrt(k * (1 / k - 1 / n) ** 2 + (n - k) / n**2) < bound.value
    assert bound.value**2 == pytest.approx((1 - 1 / n) / k, rel=1e-13)
    published = _published.greedy(k, total_weight=2.0, c=3.0)
    assert published.value == pytest.approx(6 / math.sqrt(10))


def test_mean_lengths_in_closed_form():
    scale = kitchen_sinks.feature_scale_maxout
    # |g|; the longer of two of them; a normal vector in the plane and in space.
    assert scale(1, 1, radius=1.0) == pytest.approx(math.sqrt(2 / math.pi), rel=1e-13)
    assert scale(1, 2, radius=1.0, by="longest") == pytest.approx(2 / math.sqrt(math.pi), rel=1e-12)
    for by in ("frobenius", "longest"):
        assert scale(2, 1, radius=3.0, by=by) == pytest.approx(
            3 * math.sqrt(math.pi / 2), rel=1e-12
        )
        assert scale(3, 1, radius=1.0, by=by) == pytest.approx(math.sqrt(8 / math.pi), rel=1e-12)
    # The longest of q plane vectors: squared lengths are exponential with mean 2,
    # E max = sum over j of (-1)^(j+1) C(q, j) sqrt(pi / (2 j)).
    q = 7
    exact = mpmath.fsum(
        (-1) ** (j + 1) * mpmath.binomial(q, j) * mpmath.sqrt(mpmath.pi / (2 * j))
        for j in range(1, q + 1)
    )
    assert scale(2, q, radius=1.0, by="longest") == pytest.approx(float(exact), rel=1e-12)


@pytest.mark.parametrize("d", [1, 3, 80, 784, 10**6])
@pytest.mark.parametrize("q", [1, 4, 1000, 10**6])
def test_mean_lengths_keep_their_bounds(d, q):
    scale = kitchen_sinks.feature_scale_maxout
    assert scale(d, q, radius=1.0) <= math.sqrt(d * q)
    longest = scale(d, q, radius=1.0, by="longest")
    assert scale(d, 1, radius=1.0) * (1 - 1e-12) <= longest
    assert longest <= math.sqrt(d) + math.sqrt(2 * math.log(q))


OK = {"n_features": 5, "scale": 1.0, "delta": 0.05}
RISK = {**OK, "lipschitz": 1.0}
FIT = {**RISK, "n_samples": 5}
GAP = {"n_samples": 5, "scale": 1.0, "delta": 0.05, "lipschitz": 1.0}
STEPS = {"n_features": 5, "total_weight": 1.0}
UNITS = {"n_inputs": 5, "pool_size": 2, "radius": 1.0}


@pytest.mark.parametrize(
    ("function", "right", "wrong", "message"),
    [
        (kitchen_sinks.approximation, OK, {"scale": 1.7e308}, "too large to be squared"),
        (kitchen_sinks.approximation, OK, {"feature_scale": 1.7e308}, "too large to be squared"),
        (kitchen_sinks.approximation, OK, {"norm": 1.5}, "norm=1.5 is not a number from 0 to 1"),
        (kitchen_sinks.approximation, OK, {"mean_square": 1.1}, "exceeds C"),
        (kitchen_sinks.approximation, OK, {"mean_square": 0.2, "norm": 0.5}, "below the square"),
        (kitchen_sinks.approximation_greedy, STEPS, {"norm": 1.5}, "norm=1.5"),
        # 0 times infinity: the difference of the squares of two equal numbers.
        (
            kitchen_sinks.approximation_greedy,
            STEPS,
            {"total_weight": 1.7e308, "norm": 1.7e308},
            "use other units",
        ),
    ],
)
def test_bad_arguments_are_refused(function, right, wrong, message):
    with pytest.raises((TypeError, ValueError), match=message):
        function(**{**right, **wrong})


@pytest.mark.parametrize("name", ["lipschitz", "scale", "feature_scale"])
def test_sizes_near_the_largest_float_promise_nothing(name):
    for bound in (kitchen_sinks.approximation_risk, kitchen_sinks.generalisation_gap):
        assert bound(5, **{**RISK_ALONE, name: 1.7e308}).vacuous
    assert kitchen_sinks.excess_risk(5, 5, **{**RISK_ALONE, name: 1.7e308}).vacuous
    # Each term is a float, and their sum is not.
    assert kitchen_sinks.generalisation_gap(1, **{**RISK_ALONE, name: 4e307}).total == math.inf


RISK_ALONE = {"scale": 1.5, "lipschitz": 1.5, "delta": 0.05}
