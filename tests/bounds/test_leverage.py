"""Bounds for leverage scores: constants by hand, inverses that are inverses, bad input."""

from __future__ import annotations

import math

import pytest
from scipy import stats

from mehler.bounds import leverage


def test_approximation_by_hand():
    bound = leverage.approximation(400, ridge=0.02, degrees_of_freedom=6.0, norm=3.0)
    assert bound.value == pytest.approx(0.72, rel=1e-14)
    # 8 d exp(-(9/32) M/(d + 1/4))
    assert 1 - bound.probability == pytest.approx(48 * math.exp(-0.28125 * 400 / 6.25), rel=1e-9)
    printed = leverage.approximation(400, ridge=0.02, degrees_of_freedom=6.0, form="printed")
    assert 1 - printed.probability == pytest.approx(96 * math.exp(-400 / 30), rel=1e-9)


@pytest.mark.parametrize("form", ["proved", "printed"])
@pytest.mark.parametrize(("d", "ratio"), [(0.5, None), (18.1, None), (18.1, 1000.0)])
@pytest.mark.parametrize("delta", [0.5, 0.05, 1e-9])
def test_features_are_the_inverse(form, d, ratio, delta):
    known = {"degrees_of_freedom": d, "largest_ratio": ratio, "form": form}
    m = leverage.approximation_features(delta=delta, **known)
    assert leverage.approximation(m, ridge=0.1, **known).probability >= 1 - delta
    assert leverage.approximation(m - 1, ridge=0.1, **known).probability < 1 - delta


@pytest.mark.parametrize("d", [0.5, 3.0, 200.0])
@pytest.mark.parametrize("ratio", [1.0, 4.0, 100.0])
def test_the_proved_form_is_sharper(d, ratio):
    known = {"degrees_of_freedom": d, "largest_ratio": ratio * d, "delta": 0.01}
    proved = leverage.approximation_features(**known)
    assert proved <= leverage.approximation_features(**known, form="printed")


@pytest.mark.parametrize("d", [0.5, 1.0, 18.1, 1e4])
def test_where_the_bound_says_something_the_inequality_applies(d):
    """Matrix Bernstein asks t >= |V|^(1/2) + l/3 at t = 3/4, |V| = D/M, l = 1/M."""
    m = leverage.approximation_features(degrees_of_freedom=d, delta=0.999999)
    assert math.sqrt(d / m) + 1 / (3 * m) <= 0.75


def test_score_error_by_hand():
    # Delta^2 = 8 * 2 log(16 * 5/0.1)/(3 * 0.01 * 10^5)
    spread = math.sqrt(16 * math.log(800) / 3000)
    known = {"ridge": 0.01, "degrees_of_freedom": 5.0, "delta": 0.1, "feature_bound": 2**0.5}
    bound = leverage.score_error(10**5, **known)
    assert bound.value == pytest.approx(spread / (1 - spread), rel=1e-12)
    assert bound.probability == 0.9
    whole = leverage.probability_error(10**5, pool_size=50, **known)
    assert whole.total == pytest.approx(2 * bound.value * 9, rel=1e-12)
    # No two laws are further apart.
    assert whole.value == 2.0
    assert leverage.score_error(100, **known).vacuous


@pytest.mark.parametrize("eps", [0.01, 0.5, 3.0])
def test_score_samples_are_the_inverse(eps):
    known = {"ridge": 0.01, "degrees_of_freedom": 5.0, "delta": 0.1}
    n = leverage.score_error_samples(eps, **known)
    assert leverage.score_error(n, **known).value <= eps
    assert leverage.score_error(n - 1, **known).value > eps


def test_mixed_ratio_takes_the_better():
    known = {"pool_size": 100, "ridge": 0.01, "degrees_of_freedom": 5.0, "estimated": 5.0}
    certain = leverage.mixed_ratio(10, **known, mix=0.1, delta=0.1)
    assert (certain.value, certain.probability) == (pytest.approx(1000.0), 1.0)
    likely = leverage.mixed_ratio(10**9, **known, mix=0.1, delta=0.1)
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
    bound = leverage.risk(400, **LEARNING)
    assert bound.value == pytest.approx((6 + 8 * 2**0.5) * 2 / 20, rel=1e-12)
    assert bound.probability == pytest.approx(0.91)
    assert not bound.vacuous
    again = leverage.risk(400, **LEARNING, reuse=True)
    # a = 2 M_0/M = 1.6, t = log(20000/0.03): Bernstein's bound of all counts together.
    cost = 1.6 * math.log(20_000 / 0.03)
    assert again["statistical"] == pytest.approx(
        32 * (1 + (2 * cost) ** 0.5 + cost / 3) ** 0.5 / 20, rel=1e-12
    )
    assert again.probability == pytest.approx(0.88)


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
    bound = leverage.risk(400, **LEARNING, kernel_norm=norm)
    (found,) = [one for one in bound.assumptions if "seventh" in one.text]
    assert found.met is met
    assert bound.vacuous == (met is False)


@pytest.mark.parametrize("name", ["pool_size", "n_features"])
def test_risk_is_vacuous_with_too_few(name):
    bound = leverage.risk(400, **{**LEARNING, name: 100})
    assert bound.vacuous
    assert next(one.text for one in bound.unmet).startswith(f"{name} is at least")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: leverage.approximation(0, ridge=0.1, degrees_of_freedom=1.0), "n_features"),
        (lambda: leverage.approximation(9, ridge=0.0, degrees_of_freedom=1.0), "ridge"),
        (
            lambda: leverage.approximation(9, ridge=0.1, degrees_of_freedom=5.0, largest_ratio=4.0),
            "its mean",
        ),
        (lambda: leverage.approximation_features(degrees_of_freedom=5.0, delta=1.0), "delta"),
        (
            lambda: leverage.score_error(9, ridge=0.1, degrees_of_freedom=1e-3, delta=0.5),
            "below 1/16",
        ),
        (
            lambda: leverage.probability_error(
                9, pool_size=3, ridge=0.1, degrees_of_freedom=5.0, delta=0.5
            ),
            "exceed pool_size",
        ),
        (
            lambda: leverage.mixed_ratio(
                9,
                pool_size=3,
                ridge=0.1,
                degrees_of_freedom=2.0,
                estimated=2.0,
                mix=1.0,
                delta=0.5,
            ),
            "mix=1.0",
        ),
        (lambda: leverage.risk(400, **{**LEARNING, "radius": -1.0}), "radius"),
    ],
)
def test_bad_input(call, words):
    with pytest.raises(ValueError, match=words):
        call()
