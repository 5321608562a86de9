"""Counting violations: a bound at its own quantile passes, one that is too low is refuted."""

from dataclasses import replace

import numpy as np
import pytest
from mehler.proofs_checks._comparisons import Case, compare_with_bounds
from scipy import stats

from mehler.bounds import Bound, Term
from mehler.bounds.lower import LowerBound


def case(value: float, probability: float, *, seed: int = 3, n: int = 20_000) -> Case:
    """Draws of |N(0, 1)| beside a claimed bound for it."""
    bound = Bound(
        statement="a.b",
        form="proved",
        quantity="|g|",
        terms=[Term("all", value)],
        probability=probability,
    )
    errors = np.abs(np.random.default_rng(seed).standard_normal(n))
    return Case(draws=errors, bound=bound, where={"n": n})


def judge(*cases: Case):
    return compare_with_bounds("c", cases, 1e-9, n_features=1)


def test_a_bound_that_is_too_low_is_refuted_among_good_ones():
    verdict = judge(case(3.0, 0.95), case(1.5, 0.95), case(4.0, 0.95))
    assert verdict.status == "refuted"
    # P(|g| > 1.5) = 0.1336
    low, high = verdict.interval
    assert low < 2 * stats.norm.sf(1.5) < high
    assert verdict.exact == pytest.approx(0.05)


def test_a_draw_that_is_not_finite_is_an_error():
    bad = Case(draws=np.array([1.0, np.nan]), bound=case(3.0, 0.95).bound)
    with pytest.raises(ValueError, match="not finite"):
        judge(bad)


def test_each_case_reports_violations_and_looseness_with_intervals_that_hold_the_truth():
    below = LowerBound(
        statement="a.b", form="proved", quantity="|g|", terms=[Term("all", 1.5)], probability=0.05
    )
    results = judge(replace(case(3.0, 0.95), lower=below), case(2.5, 0.99, seed=4)).cases
    assert [result.where for result in results] == [{"n": 20_000}] * 2
    for result, value, failure in zip(results, (3.0, 2.5), (0.05, 0.01)):
        errors = np.abs(np.random.default_rng(3 if value == 3 else 4).standard_normal(20_000))
        assert (result.n_draws, result.bound) == (20_000, value)
        assert result.violations == int((errors > value).sum())
        assert result.frequency == result.violations / 20_000
        low, high = result.violation_interval
        assert low < 2 * stats.norm.sf(value) < high
        # Half of the check's false alarm each, and half of that on either side.
        assert stats.binom.sf(result.violations - 1, 20_000, low) == pytest.approx(
            2.5e-10, rel=1e-6
        )
        assert result.promised == pytest.approx(failure)
        truth = value / stats.norm.isf(failure / 2)
        low, high = result.ratio_interval
        assert low < truth < high
        assert low < result.ratio < high
    assert results[0].ratio_to_lower == pytest.approx(2.0)
    assert results[1].lower is results[1].ratio_to_lower is None


@pytest.mark.parametrize("value", [1.8, 1.9, 1.96, 2.0, 2.05, 2.2])
def test_the_ratio_is_certainly_above_1_exactly_where_the_check_holds(value):
    verdict = judge(case(value, 0.95))
    low, high = verdict.cases[0].ratio_interval
    status = "holds" if low >= 1 else "refuted" if high < 1 else "inconclusive"
    assert verdict.status == status
