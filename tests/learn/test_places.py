"""The same fits on every library and device, back from a pickle too; Dask stays lazy."""

import pickle

import dask.array as da
import numpy as np
import pytest

import mehler
from mehler import _arrays, learn
from tests.learn.problems import NAMES, problem
from tests.places import CPU, GPU, Place

LAMBDAS = (1e-4, 1e-2)
RNG = np.random.default_rng(0)
X = RNG.standard_normal((1500, 3))
Y = np.stack([np.sin(X[:, 0]), X[:, 1] * X[:, 2]], axis=1)
COUNTS = RNG.integers(0, 4, 1500).astype(float)
COUNTS[:1100] = 0.0  # whole blocks and chunks count nothing
COPIES = np.repeat(np.arange(1500), COUNTS.astype(int))
FOLDS = np.arange(1500) % 4
EAGER = [place for place in CPU if not place.jit]
JITTED = [place for place in CPU if place.jit]


def maxout(m=30, like=None):
    return mehler.MaxoutFeatures.draw(3, m, 3, seed=0, like=like)


def everywhere(places):
    """Those of the CPU, and all of GPUs."""
    return pytest.mark.parametrize(
        "here",
        [pytest.param(place, id=place.name) for place in places]
        + [pytest.param(place, id=place.name, marks=pytest.mark.gpu) for place in GPU],
    )


FITS = {
    "rows left out": lambda phi, x, y: learn.ridge(phi, x, y, lambdas=LAMBDAS),
    "few rows": lambda phi, x, y: learn.ridge(phi, x[:20, :], y[:20, :], lambdas=LAMBDAS),
    "one lambda": lambda phi, x, y: learn.ridge(phi, x, y, lambdas=1e-3),
    "one target": lambda phi, x, y: learn.ridge(phi, x, y[:, 0], lambdas=1e-3),
    "folds": lambda phi, x, y: learn.ridge(phi, x, y, lambdas=LAMBDAS, folds=FOLDS),
    "few rows in folds": lambda phi, x, y: learn.ridge(
        phi, x[:20, :], y[:20, :], lambdas=LAMBDAS, folds=FOLDS[:20]
    ),
}


@everywhere(EAGER)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("kind", FITS)
@pytest.mark.sampled(20)
def test_ridge_fits_agree(here: Place, dtype, kind):
    if here.name == "dask" and "folds" in kind:
        return  # refused, see test_refusals.py
    dtype = dtype if here.has_float64 else "float32"
    x, y = X.astype(dtype), Y.astype(dtype)
    rows, targets = here.asarray(x, dtype), here.asarray(y, dtype)
    usual = maxout(50 if "few" in kind else 30)
    fit, same = FITS[kind](usual.to(rows), rows, targets), FITS[kind](usual, x, y)
    digits = 1e-9 if dtype == "float64" else 1e-4
    assert fit.lam == same.lam
    assert (fit.errors is None) == (same.errors is None)
    if fit.errors is not None:
        assert isinstance(fit.errors, np.ndarray)
        np.testing.assert_allclose(fit.errors, same.errors, rtol=digits)
    values, again = fit.predict(rows), pickle.loads(pickle.dumps(fit)).predict(rows)
    assert _arrays.array_namespace(values) is _arrays.array_namespace(rows)
    assert _arrays.place_of(values).device == _arrays.place_of(rows).device
    assert _arrays.dtype_name(values.dtype) == dtype
    np.testing.assert_allclose(_arrays.to_host(values), same.predict(x), atol=digits)
    np.testing.assert_array_equal(_arrays.to_host(again), _arrays.to_host(values))


@everywhere(EAGER)
def test_a_row_of_weight_two_is_that_row_twice(here: Place):
    phi = maxout(like=here.asarray(X[:1]))
    sums = learn.RidgeSums(phi)
    for rows in (slice(0, 1000), slice(1000, 1500)):
        if here.name == "dask":
            parts = (da.from_array(a[rows], chunks=(400, *a.shape[1:])) for a in (X, Y, COUNTS))
        else:
            parts = (here.asarray(part[rows]) for part in (X, Y, COUNTS))
        sums.add(*parts)
    twice = learn.RidgeSums(maxout()).add(X[COPIES], Y[COPIES])
    assert sums.n_rows == twice.n_rows
    digits = 1e-12 if sums._layout.dtype == "float64" else 1e-4
    scale = np.abs(twice.gram).max()
    np.testing.assert_allclose(_arrays.to_host(sums.gram), twice.gram, atol=digits * scale)
    fits = sums.solve(1e-3) + twice.solve(1e-3)
    for name in ("weights", "intercept"):
        ours, theirs = (_arrays.to_host(getattr(fit, name)) for fit in fits)
        np.testing.assert_allclose(ours, theirs, atol=1e3 * digits)


@everywhere(EAGER)
def test_one_against_all_beside_the_labels(here: Place):
    labels = here.asarray(np.array([[4], [1], [4], [9]], dtype=np.int32))[:, 0]
    codes, classes = learn.one_vs_all(labels)
    assert _arrays.array_namespace(codes) is _arrays.array_namespace(labels)
    assert classes.tolist() == [1, 4, 9]
    expected = [[-1, 1, -1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]
    assert _arrays.to_host(codes).tolist() == expected


@pytest.mark.parametrize("place", JITTED, ids=lambda place: place.name)
def test_fits_are_not_traced_but_predictions_are(place: Place):
    x, y = (place.asarray(part, "float32") for part in (X, Y))
    phi = maxout(like=x)
    with pytest.raises(TypeError, match=r"traced.*outside of jax.jit"):
        place.apply(lambda x: learn.RidgeSums(phi).add(x, x[:, 0]), x)
    (fit,) = learn.RidgeSums(phi).add(x, y).solve(1e-3)
    there, here = (_arrays.to_host(f) for f in (place.apply(fit.predict, x), fit.predict(x)))
    np.testing.assert_allclose(there, here, atol=1e-5)


def test_dask_adds_up_with_numpy_and_says_what_it_cannot_know():
    sums = learn.RidgeSums(maxout()).add(X[:500], Y[:500])
    sums.add(da.from_array(X[500:], chunks=(300, 2)), da.from_array(Y[500:]))
    whole = learn.RidgeSums(maxout()).add(X, Y)
    assert sums.n_rows == 1500
    np.testing.assert_allclose(sums.gram, whole.gram, atol=1e-10 * whole.gram.max())
    x, y = (da.from_array(part, chunks=(400, -1)) for part in (X, Y))
    keep = x[:, 0] > 0
    with pytest.raises(ValueError, match="compute_chunk_sizes"):
        learn.RidgeSums(maxout()).add(x[keep], y[keep])
    with pytest.raises(ValueError, match="NaN or infinity"):
        learn.RidgeSums(maxout()).add(da.where(x > 3.0, np.nan, x), y)


TORCH = pytest.mark.parametrize(
    "place", [p for p in CPU if p.name == "torch:cpu"], ids=lambda p: p.name
)


@TORCH
def test_gradients_of_ridge_are_not_recorded(place: Place):
    x, y = (place.asarray(part) for part in (X, Y))
    x.requires_grad_()
    phi = maxout(like=x)
    fit = learn.ridge(phi, x, y, lambdas=LAMBDAS)
    copy = pickle.loads(pickle.dumps(fit))
    assert type(copy.weights) is type(fit.weights)
    for weights in (fit.weights, copy.weights, fit.predict(x)):
        assert not weights.requires_grad
    sums = pickle.loads(pickle.dumps(learn.RidgeSums(phi).add(x, y)))
    host = learn.RidgeSums(phi.to(np)).add(X, Y)
    np.testing.assert_allclose((sums + host).gram, 2 * host.gram, rtol=1e-10, atol=1e-10)


# -- the box ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "place", [p for p in CPU if p.jit or p.name == "dask"], ids=lambda place: place.name
)
def test_lazy_arrays_are_refused(place: Place):
    z = place.asarray(np.ones((3, 2)), "float32")
    with pytest.raises(TypeError, match=r"Z is lazy .*traced by jax.jit.*Z = Z.compute\(\)"):
        place.apply(lambda z: learn.box_erm(z, z[:, 0], scale=1.0), z)


@everywhere([place for place in EAGER if place.name != "dask"])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.sampled(10)
def test_risks_of_the_box_agree(here: Place, name, dtype):
    """Within their certificates, which are float64 whatever the device has."""
    dtype = dtype if here.has_float64 else "float32"
    z, y = problem(3, 1500, 20)
    z = z.astype(dtype)
    x, labels = here.asarray(z, dtype), here.asarray(y.astype(np.int32))
    fit = learn.box_erm(x, labels, scale=7.0, loss=name)
    usual = learn.box_erm(z, y, scale=7.0, loss=name)
    # Each pair of ends holds the same minimum.
    assert fit.lower <= usual.surrogate_risk + usual.rounding
    assert usual.lower <= fit.surrogate_risk + fit.rounding
    assert abs(fit.risk_lower - usual.risk_lower) <= fit.wanted_gap
    assert (fit.status, fit.convex, fit.n_rows) == ("solved", usual.convex, usual.n_rows)
    assert fit.rounding == usual.rounding < 1e-11
    alpha = _arrays.to_host(fit.alpha)
    assert alpha.dtype == np.dtype(dtype)
    assert np.abs(alpha.astype(np.float64)).max() <= 7.0 / 20
    assert _arrays.array_namespace(fit.alpha) is _arrays.array_namespace(x)
    assert _arrays.place_of(fit.alpha).device == _arrays.place_of(x).device
    predicted = fit.predict(x)
    assert predicted.dtype == labels.dtype
    assert set(np.unique(_arrays.to_host(predicted))) <= {-1, 1}
    exact = z.astype(np.float64) @ alpha.astype(np.float64)
    eps = {"float32": 2.0**-23, "float64": 2.0**-52}[dtype]
    assert np.abs(_arrays.to_host(fit.decision(x)) - exact).max() <= 22 * eps * fit.largest_output


@TORCH
def test_features_of_a_network_are_cut_off_from_its_graph(place: Place):
    z, y = problem(6, 40, 8)
    traced = place.asarray(z)
    traced.requires_grad_()
    fit = learn.box_erm(traced, place.asarray(y), scale=4.0)
    assert not fit.alpha.requires_grad
    assert not fit.decision(traced).requires_grad
    plain = learn.box_erm(place.asarray(z), place.asarray(y), scale=4.0)
    assert np.array_equal(_arrays.to_host(fit.alpha), _arrays.to_host(plain.alpha))
