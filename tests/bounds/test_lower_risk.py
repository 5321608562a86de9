"""The lower bound of the risk: values at orthonormal rows, and learners that are best."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from mehler import exact
from mehler.bounds import lower, maxout
from mehler.bounds.lower import _risk

SIZES = {"scale": 1.0, "lipschitz": 1.0}


@pytest.mark.parametrize("q", [1, 2, 5, 64])
def test_values_at_two_rows_by_the_mean_of_the_larger_pool(q):
    """E sgn(M - M') M = E max(M, M') - E M, and max(M, M') is the largest of 2 q."""
    expected = exact.max_moment(1, 2 * q) - exact.max_moment(1, q)
    assert _risk._amplitude(2, q) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("k", [2, 3, 50, 10**9])
def test_values_of_linear_units_are_those_of_a_ball(k):
    """The class of q = 1 is a ball of radius C E|g|, whose largest cube has its half edge."""
    assert _risk._amplitude(k, 1) == pytest.approx(math.sqrt(2 / (math.pi * k)), rel=1e-12)


@pytest.mark.parametrize(("k", "q"), [(3, 2), (5, 16)])
def test_all_signs_are_reached_at_once(k, q):
    """Values of C sgn(sum v_i Z_i) at the rows, by draws of the units."""
    from scipy.special import log_ndtr, ndtri_exp

    units = np.random.default_rng(0).standard_normal((100_000, k, q)).max(axis=2)
    scores = ndtri_exp(q * log_ndtr(units))
    value = _risk._amplitude(k, q)
    for signs in itertools.product((-1, 1), repeat=k):
        drawn = np.sign(scores @ signs)[:, None] * units
        error = drawn.std(axis=0) / math.sqrt(len(drawn))
        assert np.all(abs(drawn.mean(axis=0) - value * np.array(signs)) < 6 * error)


@pytest.mark.parametrize("q", [2, 64, 10**6])
@pytest.mark.parametrize("k", [2, 10, 1000])
def test_no_weights_reach_more_than_the_second_moment(q, k):
    """At half the signs + and half - the mean of v_i M_i has the deviation sqrt(V/k)."""
    deviation = math.sqrt((exact.sigma2(q) - exact.max_moment(1, q) ** 2) / k)
    assert 0.77 * deviation < _risk._amplitude(k, q) <= deviation


def test_half_of_twice_the_samples_is_never_seen():
    """Targets without noise at 2 N rows: 2 a (1 - 1/(2 N))^N / 2 for a zero at rows not seen."""
    n = 10**6
    value = lower.excess_risk(n, pool_size=1, **SIZES).value
    expected = math.sqrt(2 / (math.pi * 2 * n)) * (1 - 1 / (2 * n)) ** n
    assert value == pytest.approx(expected, rel=1e-9)
    assert value / lower.excess_risk(n, pool_size=1, dimension=1, **SIZES).value > 1.25


@pytest.mark.parametrize("q", [1, 2, 4, 64])
def test_below_the_upper_bound(q):
    for centred in (False, True):
        below = lower.excess_risk(60_000, pool_size=q, centred=centred, **SIZES).value
        sizes = {"n_features": 10**18, "n_samples": 60_000, "pool_size": q, **SIZES}
        above = maxout.excess_risk(centred=centred, **sizes).value
        assert below < above < 7.4 * below


def test_more_rows_never_lower_it_and_one_row_is_two_laws():
    for q in (1, 8):
        values = [
            lower.excess_risk(50, pool_size=q, dimension=d, **SIZES).value
            for d in (1, 2, 25, 400, None)
        ]
        assert values == sorted(values)
        assert values[-1] == values[-2]
    # Numbers of rows that fit in no integer of an array are not tried.
    assert lower.excess_risk(10**19, pool_size=1, **SIZES).value > 0
    alone = lower.excess_risk(10**9, pool_size=1, dimension=3, **SIZES).value
    assert alone == lower.excess_risk(10**9, pool_size=1, dimension=1, **SIZES).value
