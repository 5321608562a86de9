"""Factors of lower bounds in the table of mutations: the least that exact laws can see."""

from __future__ import annotations

import math

import pytest
from mehler.proofs_checks.features import lower as checks
from scipy import optimize, stats

from mehler.bounds import lower
from tests.proofs_checks.mutations import features


def factor(term):
    """How many times the bound the table has."""
    rows = [row for row in features.ROWS if row.statement == "features.lower" and row.term == term]
    return float(rows[0].change.removeprefix("times "))


def quantile(n_rows, m, failure):
    """What the largest of independent means of m squares exceeds with this chance."""
    law = stats.chi2(m)

    def chance(t):
        one = law.sf(m * (1 + t)) + law.cdf(m * (1 - t))
        return -math.expm1(n_rows * math.log1p(-one)) / failure - 1

    return optimize.brentq(chance, 1e-6, 5.0, xtol=1e-14, rtol=1e-12)


ONE = [(1, m, failure) for m in (10, 1000, 10**6) for failure in (0.3, 1e-3, 1e-12)]
ALL = [(n, m, f) for n, m in ((5, 100), (1000, 10**4), (10**6, 10**6)) for f in (0.3, 1e-3)]
SETS = [(8, 10**4, 0.3), (512, 10**4, 0.3)]


@pytest.mark.parametrize(
    ("term", "sizes"), [("one pair", ONE), ("all pairs", ALL), ("a set", SETS)]
)
def test_the_factor_is_the_quantile_over_the_bound(term, sizes):
    """In the instance of the check where that is least, rounded up to two digits."""
    ratios = []
    for n, m, failure in sizes:
        value = lower.all_pairs(m, n_rows=n, delta=failure, pool_size=1).value
        if value > 0:
            ratios.append(quantile(n, m, failure) / value)
    assert min(ratios) <= factor(term) <= min(ratios) + 0.01


def test_the_factor_of_the_risk_is_the_step_of_its_grid():
    """The best learner is no better than the bound, up to how finely biases are tried."""
    for n in (1, 10, 301):

        def wrong(away, n=n):
            tie = stats.binom.pmf(n // 2, n, 0.5 + away) / 2 if n % 2 == 0 else 0
            return stats.binom.cdf(math.ceil(n / 2) - 1, n, 0.5 + away) + tie

        found = optimize.minimize_scalar(
            lambda away, wrong=wrong: -away * wrong(away),
            bounds=(1e-6, 0.5),
            method="bounded",
            options={"xatol": 1e-10},
        )
        best = -4 * found.fun * math.sqrt(2 / math.pi)
        value = lower.excess_risk(n, pool_size=1, scale=1.0, lipschitz=1.0, dimension=1).value
        assert value * (1 - 1e-9) <= best < value * (factor("the risk") - 0.005)


def test_the_factor_of_the_rank_is_any():
    """The error of the missing row is the bound."""
    value = lower.gram_error(3, ridge=0.7, eigenvalues=[1.0] * 4).value
    assert value == pytest.approx(1 / 1.7, rel=1e-12)
    assert factor("the spectral error") == 1.01


def test_the_factor_of_the_nearest_function_is_that_of_its_draws(context):
    """The square is 1 in the mean of draws; the interval's upper end says what is seen."""
    high = checks.nearest(context("features.lower")).interval[1]
    assert math.sqrt(high) < factor("the nearest function") < math.sqrt(high) + 0.02
