"""Bounds for leverage scores: constants by hand, inverses that are inverses, bad input."""

import itertools
import math

import pytest
from mehler.proofs_checks.leverage import _published

from mehler.bounds import leverage


def test_bachs_condition_is_enough():
    sizes = [0.5, 0.6, 1.0, 18.12, 1e4], [1.0, 4.0, 100.0], [0.999999, 0.05, 1e-6, 1e-200]
    for d, ratio, delta in itertools.product(*sizes):
        numbers = {"degrees_of_freedom": d, "largest_ratio": ratio * d, "delta": delta}
        size = _published.features_of_proposition_6(**numbers)
        assert size == math.ceil(5 * ratio * d * math.log(16 * d / delta))
        assert leverage.approximation(size, ridge=1.0, **numbers).total <= 4.0, numbers


@pytest.mark.parametrize(
    ("changes", "met"),
    [
        ({}, None),
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


LEARNING = {"ridge": 1 / 400, "radius": 2.0, "lipschitz": 1.0, "delta": 0.03}
LEARNING |= dict.fromkeys(("degrees_of_freedom", "pool_degrees", "estimated"), 10.0)
LEARNING |= {"pool_size": 20_000, "n_scored": 10**7, "n_features": 25_000}


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
    size = f"n_features is at least {math.ceil(32 / 9 * 800.25 * math.log(80 / 0.03))}"
    assert size in [entry.text for entry in again.assumptions]
