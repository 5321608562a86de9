"""Pool sizes advised for an index: cheapest by a search by hand, and as good as they say."""

from __future__ import annotations

import math

import numpy as np
import pytest

import mehler
from mehler import exact, learn
from mehler._arrays import slices
from mehler.learn._neighbours import _advice, _hash_tables, _tuning
from mehler.verify import intervals

FALSE_ALARM = 1e-9
LOOK = 5  # of the documented cost
CASES = [(0.9, 0.3, 3000, 1.0), (0.75, 0.0, 800, 0.1), (0.6, -0.5, 5000, 0.0)]


def advised(near, far, n, price, pools=(2, 3, 8), recall=0.85):
    return learn.MaxoutIndex.advise(
        near, far, n, pool_sizes=pools, recall=recall, projection_cost=price
    )


def by_hand(p, r, n, q, price, recall):
    """Every k and L, products spelled out: (cost, k, L, candidates), the least cost first."""
    tables = np.arange(1, 3000)
    found = []
    for k in range(1, 30):
        enough = tables[1 - (1 - p**k) ** tables >= recall]
        for count in enough[:3].tolist():
            many = n * (1 - (1 - r**k) ** count)
            found.append((price * q * k * count + LOOK * count + many, k, count, many))
    return min(found)


def hold(one, p, r, n, price, recall):
    cost, k, count, many = by_hand(p, r, n, one.pool_size, price, recall)
    assert (one.n_digits, one.n_tables, one.n_units) == (k, count, k * count)
    assert one.n_projections == one.pool_size * k * count
    assert one.cost == pytest.approx(cost, rel=1e-9)
    assert one.expected_candidates == pytest.approx(many, rel=1e-9)
    assert one.recall == pytest.approx(1 - (1 - p**k) ** count, rel=1e-9)
    assert one.recall >= recall
    assert one.exponent == pytest.approx(math.log(p) / math.log(r), rel=1e-9)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.sampled(1)
def test_the_advice_is_the_cheapest_of_a_search_by_hand(case):
    near, far, n, price = case
    found = advised(*case)
    assert {one.pool_size for one in found} == {2, 3, 8}
    assert found == sorted(found, key=lambda one: one.cost)
    for one in found:
        # Thirty digits, by another route than float64's tables.
        p, r = (float(exact.collision_probability(v, one.pool_size, dps=30)) for v in (near, far))
        hold(one, p, r, n, price, 0.85)


@pytest.mark.parametrize("case", CASES)
def test_pools_of_two_are_hashing_by_signs(case):
    near, far, n, price = case
    (one,) = advised(*case, pools=[2])
    # Charikar (2002): the sign of one projection is the same with probability 1 - angle/pi.
    p, r = (1 - math.acos(v) / math.pi for v in (near, far))
    hold(one, p, r, n, price, 0.85)


def test_rows_share_buckets_of_the_advised_sizes_as_often_as_advised():
    near, far, draws = 0.9, 0.3, 800
    one = advised(near, far, 500, 0.0, pools=[4], recall=0.8)[0]
    size = one.n_units
    phi = mehler.MaxoutCodes.draw(2, size * draws, 4, seed=0)
    codes = phi(np.array([[c, math.sqrt(1 - c * c)] for c in (near, far)]))
    query = phi(np.array([[1.0, 0.0]]))
    shared = np.zeros(2, dtype=int)
    for part in slices(size * draws, size):
        table = _hash_tables.Buckets(codes[:, part], 4, one.n_digits, one.n_tables)
        shared[table.candidates(query[:, part])[1]] += 1
    promised = one.recall, one.expected_candidates / 500
    for count, value in zip(shared.tolist(), promised, strict=True):
        low, high = intervals.binomial(count, draws, FALSE_ALARM / 2)
        assert low <= value <= high
        assert high - low < 0.25


def test_cheap_projections_make_large_pools_and_dear_ones_small():
    best = [
        learn.MaxoutIndex.advise(0.9, 0.3, 10**6, projection_cost=price)[0].pool_size
        for price in (0.0, 0.1, 1.0, 100.0)
    ]
    assert best == sorted(best, reverse=True)
    assert best[0] > 64
    assert best[-1] <= 4


def test_a_row_that_is_equal_is_found_by_one_table():
    for one in learn.MaxoutIndex.advise(1.0, 0.0, 1000):
        assert (one.n_tables, one.recall, one.exponent) == (1, 1.0, 0.0)


@pytest.mark.parametrize(
    ("p", "digits", "tables"), [(0.5, 1, 3), (0.5, 2, 6), (0.9, 1, 9), (0.25, 3, 40)]
)
def test_a_recall_that_is_just_reached_takes_no_further_table(p, digits, tables):
    """The quotient of logarithms is an integer there, and rounds to either side."""
    recall = float(_tuning.probability(np.float64(p), digits, tables))
    assert _advice._tables(p, digits, recall) == tables
    assert _advice._tables(p, digits, np.nextafter(recall, 2)) == tables + 1


def test_an_index_of_the_advised_sizes_promises_the_advised_recall():
    one = learn.MaxoutIndex.advise(0.9, 0.3, 300)[0]
    phi = mehler.MaxoutCodes.draw(6, one.n_units, one.pool_size, seed=0)
    X = np.random.default_rng(0).standard_normal((300, 6))
    index = learn.MaxoutIndex(phi, X, n_digits=one.n_digits, n_tables=one.n_tables)
    assert index.probability(0.9) == pytest.approx(one.recall, rel=1e-12)
    assert index.exponent(0.9, 0.3) == one.exponent


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"near": 0.3}, ValueError, "near=0.3 and far=0.3"),
        ({"far": -1.0}, ValueError, "far=-1.0"),
        ({"near": "0.9"}, TypeError, "near="),
        ({"n_rows": 0}, ValueError, "n_rows=0"),
        ({"n_rows": 2**63}, ValueError, "n_rows="),
        ({"n_rows": 1e3}, TypeError, "n_rows="),
        ({"pool_sizes": []}, ValueError, "pool_sizes is empty"),
        ({"pool_sizes": [4, 1]}, ValueError, r"pool_sizes\[1\]=1"),
        ({"pool_sizes": [10**7]}, ValueError, "pool_sizes holds 10000000"),
        ({"pool_sizes": 4}, TypeError, "pool_sizes=4"),
        ({"recall": 1.0}, ValueError, "recall=1.0"),
        ({"projection_cost": -1.0}, ValueError, "projection_cost=-1.0"),
        ({"projection_cost": 1e308}, ValueError, "projection_cost=1e"),
        ({"far": -0.99, "pool_sizes": [64]}, ValueError, "far=-0.99 shares a digit"),
    ],
)
def test_bad_arguments_are_refused_by_name(change, error, message):
    given = {"near": 0.9, "far": 0.3, "n_rows": 1000} | change
    with pytest.raises(error, match=message):
        learn.MaxoutIndex.advise(**given)


# -- planted defects: each must be seen by a test above -------------------------------------------

RATES, EXPONENT, TABLES = _advice.rates, _advice.exponent, _advice._tables
CHEAPEST = _advice._cheapest


@pytest.mark.parametrize(
    ("where", "name", "plant"),
    [
        (_advice, "exponent", lambda p, r: EXPONENT(r, p)),
        (_advice, "rates", lambda near, far, q: RATES(near, far, q + 1)),
        (_advice, "_tables", lambda p, k, recall: TABLES(p, k, recall) + 1),
        (_advice, "_tables", lambda p, k, recall: max(1, TABLES(p, k, recall) - 1)),
        (_advice, "_tables", lambda p, k, recall: TABLES(p, 1, recall)),
        (_advice, "_cheapest", lambda n, q, p, r, a, c: CHEAPEST(n, q, p, r, a, c / q)),
        (_advice, "_cheapest", lambda n, q, p, r, a, c: CHEAPEST(n, q, p, p**2, a, c)),
        (_tuning, "LOOK", 0),
    ],
)
def test_planted_defects_are_caught(where, name, plant, monkeypatch):
    monkeypatch.setattr(where, name, plant)
    with pytest.raises(AssertionError):
        test_the_advice_is_the_cheapest_of_a_search_by_hand(CASES[0])
    with pytest.raises(AssertionError):
        test_pools_of_two_are_hashing_by_signs(CASES[0])
