"""Dask rows: lazy results, NumPy's kernels, and what is wrong refused before any work."""

import numpy as np
import pytest

import mehler
from mehler import _arrays, doubling, exact, learn
from tests.verify.map_kinds import DRAWS

da = pytest.importorskip("dask.array")

X = np.random.default_rng(0).standard_normal((7, 3))
ROWS = da.from_array(X, chunks=((3, 1, 3), (2, 1)))


@pytest.mark.parametrize("name", ["maxout", "pairs", "deep"])
@pytest.mark.parametrize("method", ["kernel", "variance"])
def test_pairs_of_chunks_are_the_pairs_of_rows(name, method):
    compute = getattr(DRAWS[name](8, seed=0), method)
    first, second = compute(ROWS), compute(ROWS[:4], ROWS)
    assert first.chunks == ((3, 1, 3), (3, 1, 3))
    assert np.asarray(first) == pytest.approx(compute(X), rel=1e-12)
    assert np.asarray(second) == pytest.approx(compute(X[:4], X), rel=1e-12)
    # A row beside itself is told from one that is merely near, in every chunk.
    assert np.array_equal(np.diagonal(np.asarray(first)), np.diagonal(compute(X)))


@pytest.mark.parametrize("method", ["kernel", "variance", "product_kurtosis"])
def test_what_a_map_does_not_know_is_refused_before_any_work(method):
    phi = mehler.KitchenSinks.draw(3, 8, activation="tanh", law="stumps", bias=1.0, seed=0)
    with pytest.raises(ValueError, match="law='stumps'"):
        getattr(phi, method)(ROWS)


RHO = np.linspace(-1.0, 1.0, 7)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
@pytest.mark.parametrize("function", [exact.maxout_kernel, exact.collision_probability])
def test_chunks_of_correlations_give_what_the_whole_gives(function, dtype):
    rho = RHO.astype(dtype)
    values, expected = function(da.from_array(rho, chunks=3), 4), function(rho, 4)
    assert values.dtype == expected.dtype
    assert np.array_equal(values.compute(), expected)


@pytest.mark.parametrize("bad", [1.1, np.nan])
def test_a_chunk_out_of_range_is_refused(bad):
    rho = da.from_array(np.append(RHO, bad), chunks=3)
    cause = "as do the rows" if np.isnan(bad) else "divide inner products"
    with pytest.raises(ValueError, match=rf"rho must lie in \[-1, 1\].*{cause}"):
        exact.maxout_kernel(rho, 4).compute()


def test_results_as_long_as_the_rows_stay_lazy():
    def never(block_id):
        raise AssertionError("a chunk was computed")

    x = da.map_blocks(never, chunks=((50, 50), (4,)), dtype=np.float64, meta=np.empty((0, 0)))
    phi = mehler.MaxoutFeatures.draw(4, 20, 3, seed=0)
    codes = mehler.MaxoutCodes.draw(4, 20, 3, seed=0)
    y = np.random.default_rng(0).standard_normal((60, 4))
    fit = learn.ridge(phi, y, y[:, 0], lambdas=0.1)
    for result in (
        *(phi(x), phi.gram(x, x[:10]), phi.kernel(x, x[:10]), codes(x), codes.gram(x, x[:10])),
        fit.predict(x),
    ):
        assert _arrays.stays_lazy(result)
        assert result.chunks[0] == (50, 50)


@pytest.mark.parametrize("run", ["ridge", "doubling_dimension", "diameter"])
def test_unknown_sizes_and_sizes_beyond_memory_are_refused(run):
    phi = mehler.MaxoutFeatures.draw(3, 500, 3, seed=0)
    ridge = lambda x: learn.ridge(phi, x, x[:, 0], lambdas=1e-3)  # noqa: E731
    act = ridge if run == "ridge" else getattr(doubling, run)
    with pytest.raises(ValueError, match="compute_chunk_sizes"):
        act(ROWS[ROWS[:, 0] > 0])
    if run != "ridge":
        with pytest.raises(ValueError, match=r"X is a Dask array of 149.0 GiB"):
            act(da.zeros((10**9, 20), chunks=(10**6, -1)))
