"""Kernels of Dask rows, pair of chunks by pair: those of NumPy, and refused before any work."""

from __future__ import annotations

import numpy as np
import pytest

import mehler

da = pytest.importorskip("dask.array")

X = np.random.default_rng(0).standard_normal((7, 3))
ROWS = da.from_array(X, chunks=((3, 1, 3), (2, 1)))
MAPS = {
    "maxout": mehler.MaxoutFeatures.draw(3, 8, 4, seed=0),
    "fourier": mehler.FourierFeatures.draw(3, 8, gamma=0.3, seed=0),
    "deep": mehler.DeepFeatures.draw(3, (8,), activation="maxout", pool_size=4, seed=0),
}


@pytest.mark.parametrize("name", MAPS)
@pytest.mark.parametrize("method", ["kernel", "variance"])
def test_pairs_of_chunks_are_the_pairs_of_rows(name, method):
    compute = getattr(MAPS[name], method)
    one, two = compute(ROWS), compute(ROWS[:4], ROWS)
    assert one.chunks == ((3, 1, 3), (3, 1, 3))
    assert np.asarray(one) == pytest.approx(compute(X), rel=1e-12)
    assert np.asarray(two) == pytest.approx(compute(X[:4], X), rel=1e-12)
    # A row beside itself is told from one that is merely near, in every chunk.
    assert np.array_equal(np.diagonal(np.asarray(one)), np.diagonal(compute(X)))


@pytest.mark.parametrize("method", ["kernel", "variance", "product_kurtosis"])
def test_what_a_map_does_not_know_is_refused_before_any_work(method):
    phi = mehler.KitchenSinks.draw(3, 8, activation="tanh", law="stumps", bias=1.0, seed=0)
    with pytest.raises(ValueError, match="law='stumps'"):
        getattr(phi, method)(ROWS)
