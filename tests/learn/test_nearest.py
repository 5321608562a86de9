"""Nearest neighbours by features and by codes, against brute force and scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

import mehler
from mehler import _arrays, learn
from mehler.learn._neighbours import _nearest
from tests.places import CPU


def rows(n, seed=0, d=3):
    return np.random.default_rng(seed).standard_normal((n, d))


def phi(**options):
    return mehler.MaxoutFeatures.draw(3, 40, 3, seed=0, **(options or {"dtype": "float64"}))


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Several blocks of rows and of queries, the last ones short."""
    monkeypatch.setattr(_nearest, "_BLOCK", 16)


@pytest.mark.parametrize("k", [1, 5, 50])
def test_neighbours_are_those_of_scikit_learn(k) -> None:
    X, Q = rows(50), rows(37, seed=1)
    index, distance = learn.nearest(phi(), X, Q, k)
    known = NearestNeighbors(n_neighbors=k, algorithm="brute").fit(phi()(X))
    apart, expected = known.kneighbors(phi()(Q))
    assert np.array_equal(index, expected)
    np.testing.assert_allclose(distance, apart, atol=1e-7)


def test_codes_are_compared_by_their_digits() -> None:
    codes = mehler.MaxoutCodes.draw(3, 60, 4, seed=0)
    X, Q = rows(50), rows(20, seed=1)
    index, distance = learn.nearest(codes, X, Q, 3)
    # Brute force: shares of unequal digits, stable order.
    apart = (codes(Q)[:, None] != codes(X)[None]).mean(axis=2)
    order = np.argsort(apart, axis=1, kind="stable")[:, :3]
    assert np.array_equal(index, order)
    np.testing.assert_allclose(distance, np.take_along_axis(apart, order, 1), atol=1e-6)


def test_of_equal_rows_the_first_wins_across_blocks() -> None:
    X = np.repeat(rows(1), 40, axis=0)
    index, _ = learn.nearest(phi(), X, X[:2], 4)
    assert index.tolist() == [[0, 1, 2, 3]] * 2


def test_a_row_is_its_own_neighbour() -> None:
    X = rows(50)
    index, distance = learn.nearest(phi(), X, X)
    assert index[:, 0].tolist() == list(range(50))
    assert distance.max() < 1e-6


@pytest.mark.parametrize("place", [p for p in CPU if not p.jit], ids=lambda p: p.name)
@pytest.mark.sampled(1)
def test_every_place_gives_the_same(place) -> None:
    X, Q = rows(40).astype(np.float32), rows(20, seed=1).astype(np.float32)
    there = place.asarray(X)
    index, distance = learn.nearest(phi(like=there), there, place.asarray(Q), 2)
    expected, apart = learn.nearest(phi(), X.astype(np.float64), Q.astype(np.float64), 2)
    assert np.array_equal(_arrays.to_host(index), expected)
    np.testing.assert_allclose(_arrays.to_host(distance), apart, atol=1e-3)


def test_numbers_of_numpy_are_numbers() -> None:
    index, _ = learn.nearest(phi(), rows(50), rows(3), np.int64(2))
    assert np.array_equal(index, learn.nearest(phi(), rows(50), rows(3), 2)[0])
    assert learn.principal_components(phi(), rows(50), np.int32(3)).directions.shape == (40, 3)
    labels = np.arange(50) % 2
    fit = learn.logistic(phi(), rows(50), labels, lam=1.0, max_iterations=np.int64(5))
    assert fit.objective <= np.log(2)


@pytest.mark.parametrize("k", [0, 51, 1.0, True])
def test_impossible_numbers_are_refused(k) -> None:
    with pytest.raises((TypeError, ValueError), match=f"n_neighbours={k!r} must be"):
        learn.nearest(phi(), rows(50), rows(3), k)


def test_bad_rows_are_refused() -> None:
    with pytest.raises(ValueError, match="Q has 4 columns but X has 3"):
        learn.nearest(phi(), rows(5), rows(5, d=4))
    X = rows(5)
    X[0, 0] = np.nan
    with pytest.raises(ValueError, match="Q"):
        learn.nearest(phi(), rows(5), X)


@pytest.mark.parametrize(
    ("phi", "scale", "dtype", "error", "message"),
    [
        (lambda rows: rows * np.nan, 1.0, "float64", ValueError, "holds NaN or infinity"),
        (lambda rows: rows[:-1], 1.0, "float64", ValueError, r"has shape \(4, 3\) for 5 rows"),
        # Bytes: a difference of squares would run over.
        (lambda rows: rows, 9.0, "uint8", TypeError, "dtype uint8: codes, it seems"),
        (lambda rows: rows, 1e30, "float32", ValueError, "squared distances overflow in float32"),
        (lambda rows: rows, 1e300, "float64", ValueError, "squared distances overflow in float64"),
    ],
)
def test_features_without_distances_are_refused(phi, scale, dtype, error, message) -> None:
    X = (scale * (1 + np.abs(rows(5)))).astype(dtype)
    with pytest.raises(error, match=message):
        learn.nearest(phi, X, X)


def test_large_features_below_overflow_have_distances() -> None:
    X = (1e18 * rows(30)).astype(np.float32)
    index, distance = learn.nearest(lambda rows: rows, X, X + np.float32(0))
    assert index[:, 0].tolist() == list(range(30))
    assert np.isfinite(distance).all()
