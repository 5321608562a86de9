"""Weighted sums on every library: a row of weight 2 is that row twice."""

from __future__ import annotations

import dask.array as da
import numpy as np
import pytest

import mehler
from mehler import _arrays, learn
from tests.places import CPU

RNG = np.random.default_rng(0)
X = RNG.standard_normal((3000, 3))
Y = np.column_stack([np.sin(X[:, 0]), X[:, 1] ** 2])
COUNTS = RNG.integers(0, 4, 3000).astype(float)
COUNTS[:1200] = 0.0  # whole blocks and chunks count nothing
TWICE = np.repeat(np.arange(3000), COUNTS.astype(int))
PHI = mehler.FourierFeatures.draw(3, 40, seed=0)


def expected():
    return learn.RidgeSums(PHI).add(X[TWICE], Y[TWICE])


def same(sums, digits):
    other = expected()
    assert sums.n_rows == other.n_rows
    scale = np.abs(other.gram).max()
    np.testing.assert_allclose(_arrays.to_host(sums.gram), other.gram, atol=digits * scale)
    weights, intercept = (
        _arrays.to_host(part)
        for part in (sums.solve(1e-3)[0].weights, sums.solve(1e-3)[0].intercept)
    )
    fit = other.solve(1e-3)[0]
    np.testing.assert_allclose(weights, fit.weights, atol=1e3 * digits)
    np.testing.assert_allclose(intercept, fit.intercept, atol=1e3 * digits)


@pytest.mark.slow
@pytest.mark.parametrize(
    "place",
    # Dask has a test of its own.
    [pytest.param(p, id=p.name) for p in CPU if not p.jit and p.name != "dask"],
)
def test_weighted_sums_are_those_of_copies(place):
    phi = mehler.FourierFeatures.draw(3, 40, seed=0, like=place.asarray(X[:1]))
    parts = [slice(0, 1000), slice(1000, 3000)]
    sums = learn.RidgeSums(phi)
    for rows in parts:
        sums.add(*(place.asarray(one[rows]) for one in (X, Y, COUNTS)))
    wide = str(sums.gram.dtype).endswith("float64") and sums._layout.dtype == "float64"
    same(sums, 1e-12 if wide else 1e-4)


def test_weighted_sums_of_chunks_are_those_of_copies():
    chunked = [da.from_array(one, chunks=(700, *one.shape[1:])) for one in (X, Y, COUNTS)]
    same(learn.RidgeSums(PHI).add(*chunked), 1e-12)


@pytest.mark.parametrize(
    ("weights", "error", "message"),
    [
        (-COUNTS, ValueError, "weights must be one number of at least 0"),
        (Y, ValueError, "weights must be one number of at least 0"),
        (COUNTS[:5], ValueError, "weights has 5 rows"),
        (COUNTS * np.nan, ValueError, "weights"),
        (COUNTS > 0, TypeError, "weights has dtype bool"),
    ],
)
def test_weights_that_are_none(weights, error, message):
    with pytest.raises(error, match=message):
        learn.RidgeSums(PHI).add(X, Y, weights)
