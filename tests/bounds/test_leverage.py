"""Bounds for leverage scores: constants by hand, inverses that are inverses, bad input."""

from __future__ import annotations

import math

import pytest
from mehler.proofs_checks.leverage import _published
from scipy import stats

from mehler.bounds import leverage


def test_approximation_by_hand():
    """The published target 4 ridge B^2, at the delta that so many features reach it with."""
    delta = 48 * math.exp(-0.28125 * 400 / 6.25)  # 8 d exp(-(9/32) M/(d + 1/4))
    numbers = {"ridge": 0.02, "degrees_of_freedom": 6.0, "delta": delta, "norm": 3.0}
    assert leverage.approximation(400, **numbers).value == pytest.approx(0.72, rel=1e-12)
    assert leverage.approximation(399, **numbers).value > 0.72


@pytest.mark.parametrize(("d", "ratio"), [(0.5, None), (0.9, 2.0), (18.1, None), (18.1, 1000.0)])
@pytest.mark.parametrize("delta", [0.5, 0.05, 1e-9])
@pytest.mark.parametrize("m", [1000, 10**5, 10**9])
def test_the_relative_error_spends_delta(d, ratio, delta, m):
    """Matrix Bernstein: 8 d exp(-M t^2/2/(D + a t/3)) is delta, and t >= |V|^(1/2) + l/3."""
    numbers = {"degrees_of_freedom": d, "largest_ratio": ratio, "delta": delta}
    value = leverage.approximation(m, ridge=1.0, **numbers).total
    largest, side = ratio or d, min(1.0, d)
    if value == math.inf:
        assert 8 * d * math.exp(-m / 2 / (largest + side / 3)) >= delta
        return
    t = 1 - 1 / value
    assert t >= math.sqrt(largest / m) + side / (3 * m)
    # t is a difference: its digits below 1e-16.
    spent = m * t**2 / 2 / (largest + side * t / 3)
    assert spent == pytest.approx(math.log(8 * d / delta), rel=1e-9 + 1e-15 / t)


def test_the_error_falls_to_the_ridge():
    values = leverage.approximation(
        [50, 200, 600, 10**4, 10**12], ridge=1e-3, degrees_of_freedom=18.1, delta=0.05
    ).value
    assert values[0] == math.inf
    assert all(values[1:-1] > values[2:])
    assert values[-1] == pytest.approx(1e-3, rel=1e-4)


@pytest.mark.parametrize("d", [0.5, 0.6, 1.0, 18.12, 1e4])
@pytest.mark.parametrize("ratio", [1.0, 4.0, 100.0])
@pytest.mark.parametrize("delta", [0.999999, 0.05, 1e-6, 1e-200])
def test_bachs_condition_is_enough(d, ratio, delta):
    numbers = {"degrees_of_freedom": d, "largest_ratio": ratio * d, "delta": delta}
    needed = _published.features_of_proposition_6(**numbers)
    assert needed == math.ceil(5 * ratio * d * math.log(16 * d / delta))
    assert leverage.approximation(needed, ridge=1.0, **numbers).total <= 4.0


def test_features_at_one_half():
    """32/9 (1/2 + 1/8) log(4e6) = 33.8; with 1/4 for min(1, d)/4 it was 41, more than Bach's 40."""
    numbers = {"degrees_of_freedom": 0.5, "delta": 1e-6}
    enough = [leverage.approximation(m, ridge=1.0, **numbers).total <= 4 for m in (33, 34)]
    assert enough == [False, True]
    published = [_published.proposition_6(m, ridge=1.0, **numbers).value for m in (39, 40)]
    assert published == [math.inf, 4.0]


@pytest.mark.parametrize(
    ("changes", "met"),
    [
        ({}, None),
        ({"gram_norm": 0.01}, True),
        ({"gram_norm": 0.0099}, False),
        # The norm is at most the mean square of the features, and d at least 1/2 below it.
        ({"ridge": 1.1}, False),
        ({"ridge": 1.1, "feature_bound": 2**0.5}, None),
        ({"degrees_of_freedom": 0.4}, False),
    ],
)
def test_a_ridge_above_the_norm_of_the_gram_matrix_promises_nothing(changes, met):
    numbers = {"ridge": 0.01, "degrees_of_freedom": 2.0, "delta": 0.1, **changes}
    for bound in (
        leverage.score_error(10**9, **numbers),
        leverage.probability_error(10**9, pool_size=3, **numbers),
        leverage.score_ratio(10**9, pool_size=300, estimated=2.0, mix=0.01, **numbers),
    ):
        (result,) = [entry for entry in bound.assumptions if "norm" in entry.text]
        assert result.met is met
        assert bound.vacuous or met is not False


def test_no_assumption_on_the_ridge_where_the_ratio_is_certain():
    bound = leverage.score_ratio(
        10, pool_size=3, ridge=9.0, degrees_of_freedom=0.3, estimated=0.3, mix=0.5, delta=0.1
    )
    assert (bound.value, bound.probability) == (2 / 9, 1.0)
    assert not bound.vacuous


def test_the_ratio_is_the_better_of_two():
    setting = {"pool_size": 100, "ridge": 0.01, "degrees_of_freedom": 5.0, "estimated": 5.0}
    certain = leverage.score_ratio(10, **setting, mix=0.1, delta=0.1)
    assert (certain.value, certain.probability) == (pytest.approx(1000.0), 1.0)
    likely = leverage.score_ratio(10**9, **setting, mix=0.1, delta=0.1)
    assert (likely.value, likely.probability) == (pytest.approx(10 / 0.9), 0.9)


LEARNING = {
    "ridge": 1 / 400,
    "radius": 2.0,
    "lipschitz": 1.0,
    "degrees_of_freedom": 10.0,
    "pool_degrees": 10.0,
    "estimated": 10.0,
    "pool_size": 20_000,
    "n_scored": 10**7,
    "n_features": 25_000,
    "delta": 0.03,
}


def test_risk_at_the_ridge_1_over_n():
    """17.4 L B/sqrt(N)."""
    bound = leverage.excess_risk(400, **LEARNING)
    assert bound.value == pytest.approx((6 + 8 * 2**0.5) * 2 / 20, rel=1e-12)
    assert bound.probability == pytest.approx(0.91)
    assert not bound.vacuous
    again = leverage.excess_risk(400, **{**LEARNING, "n_scored": None})
    # a = 2 M_0/M = 1.6, t = log(20000/0.03): Bernstein's bound of all counts together.
    cost = 1.6 * math.log(20_000 / 0.03)
    assert again["statistical"] == pytest.approx(
        32 * (1 + (2 * cost) ** 0.5 + cost / 3) ** 0.5 / 20, rel=1e-12
    )
    assert again.probability == pytest.approx(0.88)
    # 400 rows buy no score: the ratio is the certain one, 2/ridge, and asks for more features.
    needed = f"n_features is at least {math.ceil(32 / 9 * 800.25 * math.log(80 / 0.03))}"
    assert needed in [entry.text for entry in again.assumptions]


def test_counts_of_independent_draws_keep_the_bound_of_their_ratio():
    """By binomial tails: the chance that one member is drawn oftener than `reuse` allows."""
    pool, m, delta = 40, 100, 0.05
    least = pool / (0.5 * m)
    cost = math.log(pool / delta)
    ratio = 1 + math.sqrt(2 * least * cost) + least * cost / 3
    for q in (0.5 / pool, 0.05, 0.3):
        assert stats.binom.sf(math.floor(ratio * m * q), m, q) <= delta / pool


@pytest.mark.parametrize(("norm", "met"), [(None, None), (7 / 400, True), (6.9 / 400, False)])
def test_risk_wants_a_ridge_below_a_seventh_of_the_largest_eigenvalue(norm, met):
    bound = leverage.excess_risk(400, **LEARNING, kernel_norm=norm)
    (result,) = [entry for entry in bound.assumptions if "seventh" in entry.text]
    assert result.met is met
    assert bound.vacuous == (met is False)


@pytest.mark.parametrize("name", ["pool_size", "n_features"])
def test_risk_is_vacuous_with_too_few(name):
    bound = leverage.excess_risk(400, **{**LEARNING, name: 100})
    assert bound.vacuous
    assert next(entry.text for entry in bound.unmet).startswith(f"{name} is at least")


SCORES = {"n_scored": 9, "ridge": 0.1, "degrees_of_freedom": 2.0, "delta": 0.5}
BALL = {"n_features": 9, "ridge": 0.1, "degrees_of_freedom": 5.0, "delta": 0.1}
RISK = {"n_samples": 400, **LEARNING}


@pytest.mark.parametrize(
    ("function", "right", "wrong", "message"),
    [
        (leverage.approximation, BALL, {"largest_ratio": 4.0}, "its mean"),
        (
            leverage.approximation,
            {**BALL, "n_features": 10**6},
            {"norm": 1e200},
            r"norm=1e\+200 is too large to be squared",
        ),
        (leverage.score_error, SCORES, {"feature_bound": 1e200}, "to be squared"),
        (leverage.score_error, SCORES, {"degrees_of_freedom": 1e-3}, "below 1/16"),
        (leverage.probability_error, {**SCORES, "pool_size": 1}, {}, "exceed pool_size"),
    ],
)
def test_bad_arguments_are_refused(function, right, wrong, message):
    with pytest.raises((TypeError, ValueError), match=message):
        function(**{**right, **wrong})
