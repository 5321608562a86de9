"""Rows that come in chunks: the same answers as from rows at hand, and never all rows at once."""

from __future__ import annotations

import tracemalloc

import dask
import dask.array as da
import numpy as np
import pytest

import mehler
from mehler import _arrays, doubling, learn


@pytest.fixture(autouse=True)
def _one_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


def made(n, d=4, size=500):
    """Rows that are made chunk by chunk, in whole or in part."""

    def rows(block_info=None):
        start, stop = block_info[None]["array-location"][0]
        return np.random.default_rng(start).standard_normal((stop - start, d))

    sizes = (size,) * (n // size) + ((n % size,) if n % size else ())
    return da.map_blocks(rows, chunks=(sizes, (d,)), dtype=np.float64, meta=np.empty((0, 0)))


def peak(run):
    tracemalloc.start()
    run()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


# -- logistic regression ------------------------------------------------------------------


@pytest.mark.parametrize("intercept", [True, False])
def test_logistic_regression_is_that_of_rows_at_hand(intercept):
    x = made(1100, 3, 300)
    labels = (x[:, 0] > 0).astype(np.int64) + 2 * (x[:, 1] > 0)
    phi = mehler.MaxoutFeatures.draw(3, 25, 3, seed=0)
    options = {"lam": 1e-2, "intercept": intercept, "tolerance": 1e-8}
    fit = learn.logistic(phi, x, labels, **options)
    rows, known = x.compute(), labels.compute()
    same = learn.logistic(phi, rows, known, **options)
    assert fit.converged
    assert fit.classes.tolist() == [0, 1, 2, 3]
    # F is 2 lambda-strongly convex in W: |W - W*| <= |gradient| / (2 lambda), for either fit.
    assert np.linalg.norm(fit.weights - same.weights) <= (1e-8 + 1e-8) / (2 * 1e-2)
    assert fit.objective == pytest.approx(same.objective, abs=1e-12)
    found = fit.predict(x)
    assert _arrays.is_chunked(found)
    assert found.chunks == labels.chunks
    np.testing.assert_array_equal(found.compute(), same.predict(rows))


def test_functions_of_the_user_are_given_rows_and_never_a_dask_array():
    def phi(rows):
        assert isinstance(rows, np.ndarray)
        return np.tanh(rows)

    x = made(600, 3, 200)
    labels = (x[:, 0] > 0).astype(np.int64)
    fit = learn.logistic(phi, x, labels, lam=0.1)
    assert fit.predict(x).compute().shape == (600,)
    assert learn.principal_components(phi, x, 2).transform(x).compute().shape == (600, 2)
    assert learn.ridge(phi, x, x[:, 0], lambdas=0.1).predict(x).compute().shape == (600,)


def test_what_is_as_long_as_the_rows_stays_lazy():
    def never(block_id):
        raise AssertionError("a chunk was computed")

    x = da.map_blocks(never, chunks=((50, 50), (4,)), dtype=np.float64, meta=np.empty((0, 0)))
    phi = mehler.MaxoutFeatures.draw(4, 20, 3, seed=0)
    codes = mehler.MaxoutCodes.draw(4, 20, 3, seed=0)
    y = np.random.default_rng(0).standard_normal((60, 4))
    fit = learn.ridge(phi, y, y[:, 0], lambdas=0.1)
    plane = learn.principal_components(phi, y, 2)
    classes = learn.logistic(phi, y, (y[:, 0] > 0).astype(np.int64), lam=0.1)
    for found in (
        *(phi(x), phi.gram(x, x[:10]), phi.kernel(x, x[:10]), codes(x), codes.gram(x, x[:10])),
        *(fit.predict(x), plane.transform(x), classes.predict(x), classes.predict_log_proba(x)),
    ):
        assert _arrays.is_chunked(found)
        assert found.chunks[0] == (50, 50)


def test_sum_of_gradients_is_that_of_all_rows():
    # One evaluation, so that a block that is lost or doubled is no matter of convergence.
    from mehler.learn._logistic._logistic import _Objective

    x = made(1100, 3, 300)
    codes, _ = learn.one_vs_all((x[:, 0] > 0).astype(np.int64))
    phi = mehler.MaxoutFeatures.draw(3, 25, 3, seed=0)
    at = np.random.default_rng(1).standard_normal(52)
    value, gradient = _Objective(phi, x, codes, 0.1, True)(at)
    whole = _Objective(phi, x.compute(), codes.compute(), 0.1, True)(at)
    assert value == pytest.approx(whole[0], rel=1e-13)
    # Means of 1100 terms below 4, added in another order: sqrt(1100) 4 2^-53 = 1.5e-14.
    np.testing.assert_allclose(gradient, whole[1], atol=1e-13)
    lost = _Objective(phi, x[300:].compute(), codes[300:].compute(), 0.1, True)(at)
    assert abs(value - lost[0]) > 1e-4


def test_the_map_is_shared_by_all_steps(monkeypatch):
    calls = []
    share = _arrays.share
    monkeypatch.setattr(_arrays, "share", lambda value: calls.append(value) or share(value))
    x = made(600, 3, 300)
    learn.logistic(lambda rows: rows, x, (x[:, 0] > 0).astype(np.int64), lam=0.1)
    assert len(calls) == 1


def test_labels_of_any_kind_are_predicted_lazily():
    x = made(400, 3, 150)
    names = np.array(["no", "yes"])
    labels = (x[:, 0] > 0).astype(np.int64).map_blocks(lambda i: names[i], dtype=names.dtype)
    codes, classes = learn.one_vs_all(labels)
    assert classes.tolist() == ["no", "yes"]
    np.testing.assert_array_equal(codes[:, 1].compute() > 0, x[:, 0].compute() > 0)
    fit = learn.logistic(lambda rows: rows, x, labels, lam=1e-4)
    found = fit.predict(x)
    assert found.dtype == names.dtype
    assert (found.compute() == labels.compute()).mean() > 0.98


def test_classes_are_found_chunk_by_chunk():
    n = 2_000_000
    labels = da.map_blocks(lambda a: a % 7, da.arange(n, chunks=50_000), dtype=np.int64)
    assert peak(lambda: learn.one_vs_all(labels)) < n * 8 / 4
    assert learn.one_vs_all(labels)[1].tolist() == list(range(7))
    with pytest.raises(ValueError, match="NaN or infinity"):
        learn.one_vs_all(da.where(da.arange(100, chunks=10) == 77, np.nan, 1.0))


# -- ridge, components ---------------------------------------------------------------------


def test_ridge_and_components_hold_few_chunks():
    # 60 chunks of 320 kB. Each takes 20 kB of graph besides, read off runs with 60 and 240 chunks.
    n, d = 60_000, 40
    x = made(n, d, 1000)
    phi = mehler.MaxoutFeatures.draw(d, 30, 3, seed=0)
    whole = n * d * 8
    # The first call imports what it needs: 15 MB that are no rows.
    learn.ridge(phi, x[:1000], x[:1000, 0], lambdas=1e-3)
    assert peak(lambda: learn.ridge(phi, x, x[:, 0], lambdas=1e-3)) < whole / 3
    assert peak(lambda: learn.principal_components(phi, x, 2)) < whole / 3
    embedded = learn.principal_components(phi, x, 2).transform(x)
    assert _arrays.is_chunked(embedded)
    assert embedded.shape == (n, 2)


@pytest.mark.parametrize(
    "run",
    [
        lambda phi, x: learn.principal_components(phi, x),
        lambda phi, x: learn.ridge(phi, x, x[:, 0], lambdas=1e-3),
        lambda phi, x: learn.logistic(phi, x, x[:, 0] > 1, lam=1e-3),
        lambda phi, x: learn.nearest(phi, x, x),
        lambda phi, x: doubling.doubling_dimension(x),
        lambda phi, x: doubling.diameter(x),
    ],
    ids=["components", "ridge", "logistic", "nearest", "dimension", "diameter"],
)
def test_unknown_sizes_are_refused_before_anything_is_computed(run):
    x = made(400, 3, 100)
    kept = x[x[:, 0] > 0]
    with pytest.raises(ValueError, match="compute_chunk_sizes"):
        run(mehler.MaxoutFeatures.draw(3, 500, 3, seed=0), kept)


@pytest.mark.parametrize(
    "run",
    [
        doubling.diameter,
        doubling.doubling_dimension,
        lambda x: doubling.packing_number(x, 1.0),
        lambda x: doubling.covering_number(x, 1.0),
        lambda x: learn.nearest(lambda rows: rows, x, x[:10]),
    ],
)
def test_what_compares_all_rows_refuses_rows_that_cannot_be_held(run):
    x = da.zeros((10**9, 20), chunks=(10**6, -1))
    with pytest.raises(ValueError, match=r"X is a Dask array of 149.0 GiB"):
        run(x)
