"""Counting violations: a bound at its own quantile passes, one that is too low is refuted."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from mehler.bounds import Bound, Term
from proofs_checks._violations import Case, hold_bounds


def case(value: float, probability: float, *, seed: int = 3, n: int = 20_000) -> Case:
    """Draws of |N(0, 1)| beside a claimed bound for it."""
    bound = Bound(
        statement="a.b",
        form="proved",
        quantity="|g|",
        terms=[Term("all", value)],
        probability=probability,
    )
    drawn = np.abs(np.random.default_rng(seed).standard_normal(n))
    return Case(drawn=drawn, bound=bound, where={"n": n})


def judge(*cases: Case):
    return hold_bounds(cases, form="proved", claim="c", false_alarm=1e-9, n_features=1)


def test_a_valid_bound_holds_and_its_looseness_is_the_ratio_of_quantiles():
    # P(|g| > 3) = 0.0027, promised 0.05, whose quantile is 1.95996.
    good = case(3.0, 0.95)
    assert judge(good).status == "holds"
    assert good.looseness == pytest.approx(3.0 / stats.norm.ppf(0.975), rel=0.03)


def test_a_bound_that_is_too_low_is_refuted_among_good_ones():
    found = judge(case(3.0, 0.95), case(1.5, 0.95), case(4.0, 0.95))
    assert found.status == "refuted"
    # P(|g| > 1.5) = 0.1336
    low, high = found.interval
    assert low < 2 * stats.norm.sf(1.5) < high
    assert found.exact == pytest.approx(0.05)


def test_a_bound_at_its_own_quantile_is_left_open():
    assert judge(case(stats.norm.ppf(0.975), 0.95)).status == "inconclusive"


def test_a_draw_that_is_not_finite_is_an_error():
    bad = Case(drawn=np.array([1.0, np.nan]), bound=case(3.0, 0.95).bound)
    with pytest.raises(ValueError, match="not finite"):
        judge(bad)
