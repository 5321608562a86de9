"""Buckets of maxout codes: who shares one, how often, what is chosen, and what a query returns."""

from __future__ import annotations

import functools
import math
import pickle

import numpy as np
import pytest

import mehler
from mehler import _arrays, exact, learn
from mehler.learn._neighbours import _hash_tables, _index, _tuning
from mehler.verify import intervals
from tests.places import CPU

FALSE_ALARM = 1e-9


def rows(n, seed=0, d=4):
    return np.random.default_rng(seed).standard_normal((n, d))


def index_of(X, m=60, q=4, seed=0, like=None, **options):
    phi = mehler.MaxoutCodes.draw(X.shape[1], m, q, seed=seed, like=like)
    return learn.MaxoutIndex(phi, X, **options)


def buckets_by_hand(codes, queries, digits, tables):
    """Rows that agree with a query on all digits of some table."""
    agree = codes[None, :, :] == queries[:, None, :]
    agree = agree[:, :, : digits * tables].reshape(len(queries), len(codes), tables, digits)
    return agree.all(axis=3).any(axis=2)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Several blocks of queries and of pairs, the last ones short."""
    monkeypatch.setattr(_hash_tables, "_MARKS", 500)
    monkeypatch.setattr(_index, "_PAIRS", 64)
    monkeypatch.setattr(_tuning, "_BLOCK", 32)


@pytest.mark.parametrize(("digits", "tables", "q"), [(1, 1, 4), (3, 5, 3), (2, 30, 5), (20, 3, 3)])
def test_candidates_share_a_bucket_and_no_others_do(digits, tables, q):
    X, Q = rows(80), rows(33, seed=1)
    Q[5] = X[7]
    index = index_of(X, q=q, n_digits=digits, n_tables=tables)
    known = buckets_by_hand(index.phi(X), index.phi(Q), digits, tables)
    found = index.candidates(Q)
    assert [part.tolist() for part in found] == [np.flatnonzero(row).tolist() for row in known]
    assert 7 in found[5]


@pytest.mark.parametrize("rank", ["codes", "cosine"])
def test_queries_return_the_best_candidates(rank):
    X, Q = rows(80), rows(33, seed=1)
    X[50] = X[20]  # equally similar: the first comes first
    Q[4] = X[20]
    index = index_of(X, n_digits=2, n_tables=4, rank=rank)
    shared = buckets_by_hand(index.phi(X), index.phi(Q), 2, 4)
    score = (index.phi(Q)[:, None] == index.phi(X)[None]).mean(axis=2)
    if rank == "cosine":
        score = Q @ X.T / np.linalg.norm(X, axis=1) / np.linalg.norm(Q, axis=1)[:, None]
        score[:, 50] = score[:, 20]
    near, similarity = index.query(Q, 12)
    short = 0
    for i in range(33):
        order = [j for j in np.argsort(-score[i], kind="stable") if shared[i, j]][:12]
        assert near[i, : len(order)].tolist() == order
        np.testing.assert_allclose(similarity[i, : len(order)], score[i, order], atol=1e-12)
        assert (near[i, len(order) :] == -1).all()
        assert np.isnan(similarity[i, len(order) :]).all()
        short += len(order) < 12
    assert near[4, :2].tolist() == [20, 50]
    assert 0 < short < 33


def test_where_all_rows_share_a_bucket_neighbours_are_the_exact_ones():
    X, Q = rows(80), rows(20, seed=1)
    index = index_of(X, m=300, q=2, n_digits=1, n_tables=300)
    assert index.probability(0.0) > 1 - 1e-12
    near, similarity = index.query(Q, 5)
    known, apart = learn.nearest(index.phi, X, Q, 5)
    assert np.array_equal(near, known)
    np.testing.assert_allclose(similarity, 1 - apart, atol=1e-15)
    by_cosine = index_of(X, m=300, q=2, n_digits=1, n_tables=300, rank="cosine")
    assert by_cosine.recall(Q, 5) == 1.0
    assert index.recall(Q, 5) < 1.0
    one = index_of(X, q=1, n_digits=1, n_tables=1, rank="cosine")
    assert one.recall(Q, 80) == 1.0


COSINES = np.array([-0.9, 0.0, 0.5, 0.8, 0.95])


DRAWS = 1200


def collisions(digits, tables, q):
    """Over independent draws: how often rows at each cosine share a bucket with a query."""
    size = digits * tables
    X = np.stack([COSINES, np.sqrt(1 - COSINES**2)], axis=1) * np.array(
        [[1.0], [2], [0.1], [3], [1]]
    )
    # Units are independent: as many draws of a small map as parts of a large one.
    phi = mehler.MaxoutCodes.draw(2, size * DRAWS, q, seed=0)
    codes, query = phi(X), phi(np.array([[5.0, 0.0]]))
    shared = np.zeros(len(COSINES), dtype=int)
    for part in _arrays.slices(size * DRAWS, size):
        table = _hash_tables.Buckets(codes[:, part], q, digits, tables)
        shared[table.candidates(query[:, part])[1]] += 1
    return shared


def hold_probability(shared, digits, tables, q):
    index = index_of(rows(5), m=digits * tables, q=q, n_digits=digits, n_tables=tables)
    for count, promised in zip(shared.tolist(), index.probability(COSINES), strict=True):
        low, high = intervals.binomial(count, DRAWS, FALSE_ALARM / len(COSINES))
        assert low <= promised <= high


measured = functools.cache(collisions)


@pytest.mark.parametrize("sizes", [(2, 5, 4), (3, 2, 5)])
def test_rows_share_a_bucket_as_often_as_the_theory_says(sizes):
    hold_probability(measured(*sizes), *sizes)


def test_probability_is_the_formula_by_another_route():
    index = index_of(rows(5), q=2, n_digits=3, n_tables=7)
    for rho in (-0.99, -0.3, 0.0, 0.7, 0.999):
        # Two projections: the sign of their difference, and the angle (Grothendieck, Sheppard).
        kappa = 1 - math.acos(rho) / math.pi
        assert index.probability(rho) == pytest.approx(1 - (1 - kappa**3) ** 7, rel=1e-12)
    assert index.probability(1.0) == 1.0
    assert index.probability(np.array([[1.0, 0.0]])).shape == (1, 2)
    # Cosines of float32 leave [-1, 1] by rounding; no others do.
    assert index.probability(np.float32([1 + 1e-6]))[0] == 1.0
    with pytest.raises(ValueError, match="rho"):
        index.probability(1.5)
    # Small ones keep their digits: L kappa^k, less a second order of 1e-17 of it.
    far = index_of(rows(5), m=400, q=2, n_digits=40, n_tables=10)
    assert far.probability(-0.5) == pytest.approx(10 * (1 / 3) ** 40, rel=1e-11)


@pytest.mark.parametrize(("near", "far"), [(0.9, 0.0), (0.75, 0.3), (0.5, -0.5)])
def test_the_exponent_is_that_of_signs_at_two_and_falls_towards_its_limit(near, far):
    found = [
        index_of(rows(9), q=q, n_digits=1, n_tables=2).exponent(near, far) for q in (2, 8, 256)
    ]
    signs = [math.log1p(-math.acos(one) / math.pi) for one in (near, far)]
    assert found[0] == pytest.approx(signs[0] / signs[1], rel=1e-12)
    limit = (1 - near) * (1 + far) / ((1 + near) * (1 - far))
    assert found[0] > found[1] > found[2] > limit


@pytest.mark.parametrize(("near", "far"), [(0.5, 0.5), (0.2, 0.5), (0.5, -1.0), (1.5, 0.0)])
def test_no_exponent_of_cosines_out_of_order(near, far):
    with pytest.raises(ValueError, match=r"rho|near="):
        index_of(rows(9), n_digits=1, n_tables=2).exponent(near, far)


@pytest.mark.parametrize(("q", "near", "far"), [(16, 0.5, -0.8), (64, 0.0, -0.6), (4, 0.9, -0.98)])
@pytest.mark.sampled(1)
def test_the_exponent_of_rare_collisions_in_digits(q, near, far):
    found = index_of(rows(9), q=q, n_digits=1, n_tables=2).exponent(near, far)
    p, r = (exact.collision_probability(one, q, dps=30) for one in (near, far))
    assert found == pytest.approx(math.log(p) / math.log(r), rel=1e-5)


@pytest.mark.parametrize(("q", "far"), [(64, -0.99), (4096, -0.9)])
def test_no_exponent_of_collisions_that_are_rounding(q, far):
    """Of the second 1e-16 is computed for 1e-68, and 0.56 for what is below 0.2."""
    index = index_of(rows(9), q=q, n_digits=1, n_tables=2)
    with pytest.raises(ValueError, match=f"far={far}"):
        index.exponent(-0.5, far)


def test_equal_rows_need_one_table():
    assert index_of(rows(9), q=64, n_digits=1, n_tables=2).exponent(1.0, 0.0) == 0.0


def test_no_exponent_of_a_pool_of_one():
    with pytest.raises(ValueError, match="pool_size=1"):
        index_of(rows(9), q=1, n_digits=1, n_tables=2).exponent(0.5, 0.0)


def test_the_choice_is_the_cheapest_of_all():
    X, m, n_neighbours = rows(70, d=6), 120, 3
    index = index_of(X, m=m, recall=0.8, n_neighbours=n_neighbours)
    units = X / np.linalg.norm(X, axis=1, keepdims=True)
    rho = units @ units.T
    off = rho[~np.eye(70, dtype=bool)].reshape(70, 69)
    near = mehler.exact.collision_probability(np.sort(off, axis=1)[:, -n_neighbours:], 4)
    far = mehler.exact.collision_probability(off, 4)
    costs = {}
    for k in range(1, m + 1):
        for count in range(1, m // k + 1):
            recall = np.mean(1 - (1 - near**k) ** count)
            if recall >= 0.8:
                candidates = 70 * np.mean(1 - (1 - far**k) ** count)
                costs[candidates + 5 * count] = k, count, recall, candidates
    k, count, recall, candidates = costs[min(costs)]
    assert (index.n_digits, index.n_tables) == (k, count)
    assert index.expected_recall == pytest.approx(recall, rel=1e-9)
    assert index.expected_candidates == pytest.approx(candidates, rel=1e-9)


def test_a_size_that_is_given_stays():
    X = rows(70, d=6)
    one = index_of(X, m=120, recall=0.6, n_neighbours=3, n_digits=2)
    assert one.n_digits == 2
    assert one.expected_recall >= 0.6
    fewer = index_of(X, m=120, n_digits=2, n_tables=one.n_tables - 1)
    assert fewer.expected_recall is None
    other = index_of(X, m=120, recall=0.6, n_neighbours=3, n_tables=7)
    assert other.n_tables == 7
    with pytest.raises(ValueError, match=r"no buckets of the 4 units of phi find 0\.999"):
        index_of(X, m=4, recall=0.999)


def test_recall_is_what_was_expected_of_the_sample():
    """All rows are the sample, queries too: the mean over draws is known, not estimated."""
    X, wanted, draws = rows(60, d=6), 3, 150
    units = X / np.linalg.norm(X, axis=1, keepdims=True)
    rho = units @ units.T - 9.0 * np.eye(60)
    nearest = np.argsort(-rho, axis=1)[:, :wanted]
    chosen = index_of(X, m=100, recall=0.7, n_neighbours=wanted)
    sizes = {
        "n_digits": chosen.n_digits,
        "n_tables": chosen.n_tables,
    }  # they do not depend on the draw
    found = []
    for seed in range(draws):
        index = index_of(X, m=100, seed=seed, **sizes)
        shared = index.candidates(X)
        found.append(np.mean([np.isin(nearest[i], shared[i]).mean() for i in range(60)]))
    low, high = intervals.betting(np.array(found), 0.0, 1.0, false_alarm=FALSE_ALARM)
    assert low <= chosen.expected_recall <= high
    assert high - low < 0.2


def test_huge_tiny_and_zero_rows_have_their_cosines():
    X = rows(30)
    scaled = X * np.logspace(-300, 300, 30)[:, None]
    scaled[3] = 0.0
    X[3] = 0.0
    one, two = (index_of(x, n_digits=1, n_tables=60, rank="cosine") for x in (X, scaled))
    near = one.query(X, 30)
    again = two.query(scaled, 30)
    assert np.array_equal(near[0], again[0])
    np.testing.assert_allclose(near[1], again[1], atol=1e-12)


@pytest.mark.parametrize("place", [p for p in CPU if not p.jit], ids=lambda p: p.name)
def test_every_place_gives_the_same(place):
    X, Q = rows(40).astype(np.float32), rows(15, seed=1).astype(np.float32)
    there, queries = place.asarray(X), place.asarray(Q)
    for rank in ("codes", "cosine"):
        index = index_of(there, like=there, recall=0.8, n_neighbours=2, rank=rank)
        near, similarity = index.query(queries, 3)
        known = index_of(X, n_digits=index.n_digits, n_tables=index.n_tables, rank=rank)
        expected, values = known.query(Q, 3)
        assert np.array_equal(_arrays.to_host(near), expected)
        np.testing.assert_allclose(_arrays.to_host(similarity), values, atol=1e-5)
        if place.name != "dask":
            for array in (near, similarity):
                assert _arrays.array_namespace(array) is _arrays.array_namespace(queries)
                assert _arrays.place_of(array).device == _arrays.place_of(queries).device
        assert index.recall(queries, 3) == known.recall(Q, 3)


def test_an_index_travels():
    X = rows(40)
    index = index_of(X, n_digits=2, n_tables=9)
    other = pickle.loads(pickle.dumps(index))
    assert np.array_equal(other.query(X, 3)[0], index.query(X, 3)[0])
    assert repr(index) == "MaxoutIndex of 40 rows, 9 tables of 2 digits below 4, ranked by codes"
    # 8 bytes a row and table; 2 planes of one word a row.
    assert index.nbytes == 40 * 9 * 8 + 40 * 2 * 8


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"n_digits": 0, "n_tables": 1}, ValueError, "n_digits=.* must be at least 1"),
        ({"n_digits": 2.0, "n_tables": 1}, TypeError, "n_digits=.* must be an integer"),
        ({"n_digits": 7, "n_tables": 9}, ValueError, "read 63 digits, but phi has n_features=60"),
        ({"n_digits": 32, "n_tables": 1}, ValueError, "more than 2\\^63 buckets"),
        ({"recall": 1.0}, ValueError, "recall=1.0 is not a number between 0 and 1"),
        ({"recall": float("nan")}, ValueError, "recall=nan"),
        ({"rank": "euclid"}, ValueError, "rank='euclid' is not one of 'codes', 'cosine'"),
        ({"n_neighbours": 0}, ValueError, "n_neighbours=.* must be at least 1"),
    ],
)
def test_bad_arguments_are_refused(options, error, message):
    with pytest.raises(error, match=message):
        index_of(rows(9), **options)


def test_bad_rows_maps_and_queries_are_refused():
    X = rows(9)
    phi = mehler.MaxoutFeatures.draw(4, 10, 2, seed=0)
    with pytest.raises(TypeError, match=r"phi is MaxoutFeatures; pass maxout codes"):
        learn.MaxoutIndex(phi, X)
    with pytest.raises(ValueError, match="1 row, which has no neighbours"):
        index_of(X[:1])
    index = index_of(X, n_digits=1, n_tables=3)
    for bad in (np.full((1, 4), np.nan), X[:0], X[0], X[:, :3]):
        with pytest.raises(ValueError, match=r"Q|X has 3 columns"):
            index.query(bad)
    for wanted in (0, 10):
        with pytest.raises(ValueError, match=r"n_neighbours=.* must be at"):
            index.query(X, wanted)


def test_rows_of_dask_are_looked_at():
    import dask.array

    X = rows(9)
    index = index_of(X, n_digits=1, n_tables=3)
    X[4, 2] = np.nan
    bad = dask.array.from_array(X, chunks=(3, -1))
    with pytest.raises(ValueError, match="Q holds NaN or infinity, first in row 4"):
        index.query(bad)
    with pytest.raises(ValueError, match="X holds NaN or infinity"):
        index_of(bad, n_digits=1, n_tables=3)


def test_dependent_units_have_no_probability():
    phi = mehler.MaxoutCodes.draw(4, 60, 4, seed=0, projections="orthogonal")
    with pytest.raises(ValueError, match="choosing n_digits and n_tables needs the probability"):
        learn.MaxoutIndex(phi, rows(9))
    index = learn.MaxoutIndex(phi, rows(9), n_digits=1, n_tables=20)
    assert index.query(rows(9), 1)[0][:, 0].tolist() == list(range(9))
    with pytest.raises(ValueError, match="projections='gaussian'"):
        index.probability(0.5)


# -- planted defects: each must be seen by a test above -------------------------------------------

HONEST_KEY = _hash_tables.Buckets._key


def same_digits(self, codes, table):
    """Every table reads the digits of the first."""
    return HONEST_KEY(self, codes, 0)


def sliding_digits(self, codes, table):
    """Tables read digits t to t + k - 1: all but one of the table before."""
    _, k, _ = self._size
    first = codes[:, table : table + k]
    return HONEST_KEY(self, np.concatenate([codes[:, : table * k], first], axis=1), table)


def a_digit_short(self, codes, table):
    _, k, _ = self._size
    codes = codes.copy()
    codes[:, table * k] = 0
    return HONEST_KEY(self, codes, table)


def wrong_base(self, codes, table):
    """Digits added, not strung together: 01 and 10 share a bucket."""
    _, k, _ = self._size
    return codes[:, table * k : table * k + k].sum(axis=1).astype(self._keys.dtype)


@pytest.mark.parametrize("plant", [same_digits, sliding_digits, a_digit_short, wrong_base])
def test_planted_defects_of_tables_are_caught(plant, monkeypatch):
    monkeypatch.setattr(_hash_tables.Buckets, "_key", plant)
    with pytest.raises(AssertionError):
        test_candidates_share_a_bucket_and_no_others_do(3, 5, 3)
    with pytest.raises(AssertionError):
        hold_probability(collisions(2, 5, 4), 2, 5, 4)


HONEST_PROBABILITY = _tuning.probability


@pytest.mark.parametrize(
    "plant",
    [
        lambda kappa, k, count: HONEST_PROBABILITY(kappa, k + 1, count),
        lambda kappa, k, count: HONEST_PROBABILITY(kappa, k, count - 1),
        lambda kappa, k, count: 1 - (1 - kappa**count) ** k,
    ],
)
def test_planted_defects_of_the_probability_are_caught(plant, monkeypatch):
    monkeypatch.setattr(_tuning, "probability", plant)
    with pytest.raises(AssertionError):
        hold_probability(measured(3, 2, 5), 3, 2, 5)
    with pytest.raises(AssertionError):
        test_probability_is_the_formula_by_another_route()


def test_ranking_by_the_worst_is_caught(monkeypatch):
    honest = _index._best
    monkeypatch.setattr(_index, "_best", lambda values, k: honest(-values, k))
    with pytest.raises(AssertionError):
        test_queries_return_the_best_candidates("codes")


def test_a_row_taken_for_its_own_neighbour_is_caught(monkeypatch):
    honest = _tuning.cosines
    # A copy that cannot be written to keeps the row's own cosine of 1.
    monkeypatch.setattr(_tuning, "cosines", functools.partial(_kept, honest))
    with pytest.raises(AssertionError):
        test_the_choice_is_the_cheapest_of_all()


def _kept(honest, x, units):
    class Kept(np.ndarray):
        def __setitem__(self, at, value):
            pass

    return honest(x, units).view(Kept)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64])
def test_sizes_of_numpy_are_those_of_python(dtype):
    index = index_of(rows(9), q=2, n_digits=dtype(3), n_tables=dtype(7))
    again = index_of(rows(9), q=2, n_digits=3, n_tables=7)
    for found, same in zip(index.query(rows(9)[:2], 3), again.query(rows(9)[:2], 3)):
        assert np.array_equal(found, same)
