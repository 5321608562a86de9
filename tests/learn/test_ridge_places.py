"""The same ridge regression on every library and device; Dask stays lazy where it can."""

from __future__ import annotations

import pickle

import dask
import dask.array as da
import numpy as np
import pytest

import mehler
from mehler import _arrays, learn
from tests.places import CPU, GPU, Place

LAMBDAS = (1e-4, 1e-2)


@pytest.fixture(
    params=[pytest.param(place, id=place.name) for place in CPU if not place.jit]
    + [pytest.param(place, id=place.name, marks=pytest.mark.gpu) for place in GPU]
)
def here(request: pytest.FixtureRequest) -> Place:
    return request.param


def data():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((1500, 3))
    return x, np.stack([np.sin(x[:, 0]), x[:, 1] * x[:, 2]], axis=1)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("folds", [None, np.arange(1500) % 2 - 1], ids=["one", "held out"])
@pytest.mark.sampled(10)
def test_fits_agree(here: Place, dtype, folds):
    if not here.has_float64:
        dtype = "float32"
    x, y = (part.astype(dtype) for part in data())
    rows, targets = here.asarray(x, dtype), here.asarray(y, dtype)
    usual = mehler.MaxoutFeatures.draw(3, 30, 3, seed=0)
    phi = usual.to(rows)
    folds = None if here.name == "dask" else folds
    fit = learn.ridge(phi, rows, targets, lambdas=LAMBDAS, folds=folds)
    same = learn.ridge(usual, x, y, lambdas=LAMBDAS, folds=folds)
    digits = 1e-9 if dtype == "float64" else 1e-4
    np.testing.assert_allclose(fit.errors, same.errors, rtol=digits)
    assert fit.lam == same.lam
    values = fit.predict(rows)
    assert _arrays.array_namespace(values) is _arrays.array_namespace(rows)
    assert _arrays.place_of(values).device == _arrays.place_of(rows).device
    assert _arrays.dtype_name(values.dtype) == dtype
    np.testing.assert_allclose(_arrays.to_host(values), same.predict(x), atol=digits)


def test_fewer_rows_than_features(here: Place):
    dtype = "float64" if here.has_float64 else "float32"
    x, y = (part[:20].astype(dtype) for part in data())
    rows, targets = here.asarray(x, dtype), here.asarray(y, dtype)
    usual = mehler.MaxoutFeatures.draw(3, 50, 3, seed=0)
    fit = learn.ridge(usual.to(rows), rows, targets, lambdas=LAMBDAS)
    same = learn.ridge(usual, x, y, lambdas=LAMBDAS)
    digits = 1e-9 if dtype == "float64" else 1e-4
    np.testing.assert_allclose(fit.errors, same.errors, rtol=digits)
    np.testing.assert_allclose(_arrays.to_host(fit.predict(rows)), same.predict(x), atol=digits)


def test_one_against_all_beside_the_labels(here: Place):
    labels = here.asarray(np.array([[4], [1], [4], [9]], dtype=np.int32))[:, 0]
    codes, classes = learn.one_vs_all(labels)
    assert _arrays.array_namespace(codes) is _arrays.array_namespace(labels)
    assert classes.tolist() == [1, 4, 9]
    expected = [[-1, 1, -1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]
    assert _arrays.to_host(codes).tolist() == expected


@pytest.mark.parametrize("place", [p for p in CPU if p.jit], ids=lambda place: place.name)
def test_tracers_are_refused(place: Place):
    phi = mehler.MaxoutFeatures.draw(3, 30, 3, seed=0, like=place.asarray(np.ones(1)))
    with pytest.raises(TypeError, match=r"traced by jax.jit.*outside of jit"):
        place.apply(
            lambda x: learn.RidgeSums(phi).add(x, x[:, 0]), place.asarray(data()[0], "float32")
        )


def test_predictions_compile():
    jitted = [p for p in CPU if p.jit]
    for place in jitted:
        x, y = (place.asarray(part, "float32") for part in data())
        phi = mehler.MaxoutFeatures.draw(3, 30, 3, seed=0, like=x)
        (fit,) = learn.RidgeSums(phi).add(x, y).solve(1e-3)
        one, other = (_arrays.to_host(f) for f in (place.apply(fit.predict, x), fit.predict(x)))
        np.testing.assert_allclose(one, other, atol=1e-5)


def test_dask_is_lazy_where_it_can_be():
    x, y = data()
    phi = mehler.MaxoutFeatures.draw(3, 30, 3, seed=0)
    rows, targets = da.from_array(x, chunks=(400, 2)), da.from_array(y, chunks=(700, 1))
    with dask.config.set(scheduler="synchronous"):
        fit = learn.ridge(phi, rows, targets, lambdas=LAMBDAS)
        values = fit.predict(rows)
        assert isinstance(values, da.Array)
        assert values.shape == (1500, 2)
        np.testing.assert_allclose(values.compute(), fit.predict(x), atol=1e-12)
    same = learn.ridge(phi, x, y, lambdas=LAMBDAS)
    np.testing.assert_allclose(fit.weights, same.weights, atol=1e-8 * np.abs(same.weights).max())
    np.testing.assert_allclose(fit.errors, same.errors, rtol=1e-10)


def test_dask_and_numpy_add_up():
    x, y = data()
    phi = mehler.MaxoutFeatures.draw(3, 30, 3, seed=0)
    sums = learn.RidgeSums(phi).add(x[:500], y[:500])
    with dask.config.set(scheduler="synchronous"):
        sums.add(da.from_array(x[500:], chunks=(300, -1)), da.from_array(y[500:]))
    whole = learn.RidgeSums(phi).add(x, y)
    assert sums.n_rows == 1500
    np.testing.assert_allclose(sums.gram, whole.gram, atol=1e-10 * whole.gram.max())


def test_dask_says_what_it_cannot_know():
    x, y = (da.from_array(part, chunks=(400, -1)) for part in data())
    phi = mehler.MaxoutFeatures.draw(3, 30, 3, seed=0)
    with dask.config.set(scheduler="synchronous"):
        keep = x[:, 0] > 0
        with pytest.raises(ValueError, match="compute_chunk_sizes"):
            learn.RidgeSums(phi).add(x[keep], y[keep])
        spoiled = da.where(x > 3.0, np.nan, x)
        with pytest.raises(ValueError, match="NaN or infinity"):
            learn.RidgeSums(phi).add(spoiled, y)


@pytest.mark.parametrize("place", [p for p in CPU if p.name == "torch:cpu"], ids=lambda p: p.name)
def test_gradients_are_not_recorded(place: Place):
    x, y = (place.asarray(part) for part in data())
    x.requires_grad_()
    phi = mehler.MaxoutFeatures.draw(3, 30, 3, seed=0, like=x)
    fit = learn.ridge(phi, x, y, lambdas=LAMBDAS)
    assert not fit.weights.requires_grad
    copy = pickle.loads(pickle.dumps(fit))
    assert type(copy.weights) is type(fit.weights)
    assert not copy.weights.requires_grad
    sums = pickle.loads(pickle.dumps(learn.RidgeSums(phi).add(x, y)))
    host = learn.RidgeSums(phi.to(np)).add(*data())
    np.testing.assert_allclose((sums + host).gram, 2 * host.gram, rtol=1e-10, atol=1e-10)
    assert not fit.predict(x).requires_grad
