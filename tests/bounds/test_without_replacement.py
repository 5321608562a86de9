"""Inequalities for means of r of n numbers, against all hypergeometric tails in fractions.

The page on sampled elements compares ours with those of Serfling (1974), Bardenet and Maillard
(2015) and El-Yaniv and Pechyony (2007), which are recalled; here none of them is contradicted by
any population of zeros and ones of up to `MOST` numbers, and a form that forgets a factor is.
"""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from mehler.bounds.group_invariant._elements import distinct_factors

MOST = 20


def serfling(r, n):
    return 1 - Fraction(r - 1, n)


def bardenet(r, n):
    return serfling(r, n) if 2 * r <= n else (1 - Fraction(r, n)) * (1 + Fraction(1, r))


def pechyony(r, n):
    return (n - r) / (n - Fraction(1, 2)) / (1 - Fraction(1, 2 * max(r, n - r)))


def ours(r, n):
    return Fraction(distinct_factors(r, n)[1])


def one_fewer(r, n):
    return 1 - Fraction(r, n)


def samples():
    """Yield n, r, the number of ones and the law of those drawn, as numbers of subsets."""
    for n in range(2, MOST + 1):
        for r in range(1, n):
            for ones in range(1, n):
                drawn = range(max(0, r - n + ones), min(r, ones) + 1)
                law = {k: math.comb(ones, k) * math.comb(n - ones, r - k) for k in drawn}
                yield n, r, ones, law


def largest_ratio(factor):
    """Return the exponent promised over that of the tail, at all values above the mean."""
    worst = 0.0
    for n, r, ones, law in samples():
        tail = 0
        for k in range(max(law), r * ones // n, -1):
            tail += law[k]
            promised = 2 * r * (Fraction(k, r) - Fraction(ones, n)) ** 2 / factor(r, n)
            worst = max(worst, float(promised) / math.log(Fraction(math.comb(n, r), tail)))
    return worst


@pytest.mark.parametrize("factor", [serfling, bardenet, pechyony, ours])
def test_no_tail_is_above_what_is_promised(factor):
    # The worst is about 0.81, so that digits of floats do not decide.
    assert largest_ratio(factor) < 1


@pytest.mark.parametrize("factor", [one_fewer])
def test_a_forgotten_factor_is_found(factor):
    assert largest_ratio(factor) > 1


def kappa(r, n):
    if 2 * r <= n:
        return 4 / 3 + (math.sqrt(r / n / (n / (r - 1) - 1)) if r > 1 else 0.0)
    return 4 / 3 + math.sqrt((n / (r + 1) - 1) * (1 - r / n))


def allowed(deviation, factor, r, n, delta):
    rare = math.log(1 / delta) / r
    return deviation * math.sqrt(2 * bardenet(r, n) * rare) + factor * rare


@pytest.mark.parametrize("delta", [0.3, 0.1, 1e-2, 1e-6])
def test_the_recalled_bernstein_forms_are_not_contradicted(delta):
    for n, r, ones, law in samples():
        size = math.sqrt(ones * (n - ones)) / n
        setting = empirical = 0
        for k, ways in law.items():
            off, sample = k / r - ones / n, math.sqrt(k * (r - k)) / r
            setting += ways * (off > allowed(size, kappa(r, n), r, n, delta))
            empirical += ways * (off > allowed(sample, 7 / 3 + 3 / math.sqrt(2), r, n, delta))
        # Both are loose here: the page says that at most 0.4 % of the mass allowed is seen.
        assert setting <= 0.004 * 2 * delta * math.comb(n, r)
        assert empirical <= 0.004 * 5 * delta * math.comb(n, r)
