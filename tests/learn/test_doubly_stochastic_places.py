"""The doubly stochastic gradient on every library, in bounded memory; and what it refuses."""

from __future__ import annotations

import pickle
import tracemalloc

import dask
import dask.array as da
import numpy as np
import pytest

import mehler
from mehler import _arrays, learn
from tests.places import CPU, GPU, Place

ROWS = np.random.default_rng(0).standard_normal((90, 3)).astype(np.float32)
Y = np.stack([np.sin(ROWS[:, 0]), ROWS[:, 1] * ROWS[:, 2]], axis=1)
OPTIONS = {"lam": 1e-3, "rows_per_step": 20, "units_per_step": 32, "seed": 0}


@pytest.fixture(
    params=[
        pytest.param(place, id=place.name) for place in CPU if not place.name.startswith("dask")
    ]
    + [pytest.param(place, id=place.name, marks=pytest.mark.gpu) for place in GPU]
)
def here(request: pytest.FixtureRequest) -> Place:
    return request.param


def draw(**options):
    return mehler.MaxoutFeatures.draw(3, 150, 4, seed=0, stored=False, **options)


@pytest.mark.parametrize("keep_values", [True, False])
def test_fits_agree(here: Place, keep_values):
    x, y = here.asarray(ROWS), here.asarray(Y)
    fit = learn.doubly_stochastic(draw(like=x), x, y, keep_values=keep_values, **OPTIONS)
    same = learn.doubly_stochastic(draw(), ROWS, Y, **OPTIONS)
    assert isinstance(fit.weights, np.ndarray)
    np.testing.assert_allclose(fit.weights, same.weights, atol=2e-5)
    values = here.apply(fit.predict, x)
    assert _arrays.array_namespace(values) is _arrays.array_namespace(x)
    if not here.jit:
        assert _arrays.place_of(values).device == _arrays.place_of(x).device
    np.testing.assert_allclose(_arrays.to_host(values), same.predict(ROWS), atol=2e-5)


def test_logistic_agrees(here: Place):
    codes, _ = learn.one_vs_all(np.arange(90) % 3)
    x, y = here.asarray(ROWS), here.asarray(codes, "float32")
    options = {**OPTIONS, "loss": "logistic"}
    fit = learn.doubly_stochastic(draw(like=x), x, y, **options)
    same = learn.doubly_stochastic(draw(), ROWS, codes, **options)
    np.testing.assert_allclose(fit.weights, same.weights, atol=2e-5)


def test_dask_rows_are_predicted_lazily():
    fit = learn.doubly_stochastic(draw(), ROWS, Y, **OPTIONS)
    with dask.config.set(scheduler="synchronous"):
        values = fit.predict(da.from_array(ROWS, chunks=(40, 2)))
        assert isinstance(values, da.Array)
        assert values.shape == (90, 2)
        np.testing.assert_allclose(values.compute(), fit.predict(ROWS), atol=1e-5)
    with pytest.raises(TypeError, match="X is a Dask array"):
        learn.doubly_stochastic(draw(), da.from_array(ROWS), da.from_array(Y), **OPTIONS)


def test_fits_travel_and_gradients_do_not():
    fit = pickle.loads(pickle.dumps(learn.doubly_stochastic(draw(), ROWS, Y, **OPTIONS)))
    assert not fit.phi.stored
    again = learn.doubly_stochastic(draw(), ROWS, Y, **OPTIONS)
    assert np.array_equal(fit.predict(ROWS), again.predict(ROWS))
    for place in (p for p in CPU if p.name == "torch:cpu"):
        x, y = place.asarray(ROWS), place.asarray(Y)
        x.requires_grad_()
        ours = learn.doubly_stochastic(draw(like=x), x, y, **OPTIONS)
        np.testing.assert_allclose(ours.weights, again.weights, atol=2e-5)


def peak(m, n, **options):
    """Bytes that fit and predictions hold at their peak, less the solution and the values."""
    rows = np.random.default_rng(0).standard_normal((n, 20)).astype(np.float32)
    target = rows[:, :1]
    fit_of = {"lam": 1e-3, "rows_per_step": 64, "units_per_step": 64, "seed": 0, **options}

    def run():
        phi = mehler.MaxoutFeatures.draw(20, m, 16, seed=0, stored=False)
        learn.doubly_stochastic(phi, rows, target, n_steps=4, **fit_of).predict(rows[:256])

    run()
    tracemalloc.start()
    run()
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # Weights twice, as they are handed out scaled; targets, values and a step's change of them.
    return found - 16 * m - 4 * 8 * n


@pytest.mark.parametrize("keep_values", [True, False])
@pytest.mark.sampled(1)
def test_memory_grows_neither_with_units_nor_with_rows(keep_values):
    small = peak(4096, 2048, keep_values=keep_values)
    # A block of at most a million weights in float32 is 4 MiB, and two may be there at once;
    # features of 1024 rows are as much.
    assert small < 24 << 20
    # Held, the weights of the map would be 20 MiB more; features of all rows and units, 512 MiB.
    assert peak(16_384 + 4096, 2048, keep_values=keep_values) < small + (1 << 20)
    assert peak(4096, 8 * 2048, keep_values=keep_values) < small + (4 << 20)


def test_what_is_refused():
    fit = learn.doubly_stochastic
    phi = draw()
    for name, value in (("lam", 0), ("lam", -1.0), ("step", np.nan), ("step", "a"), ("lam", [1])):
        with pytest.raises((TypeError, ValueError), match=f"{name}=.* must be"):
            fit(phi, ROWS, Y, **{**OPTIONS, name: value})
    for name in ("n_steps", "rows_per_step", "units_per_step"):
        with pytest.raises(ValueError, match=f"{name}=0 must be at least 1"):
            fit(phi, ROWS, Y, **{**OPTIONS, name: 0})
        for value in (1.5, True):
            with pytest.raises(TypeError, match=f"{name}=.* must be an integer"):
                fit(phi, ROWS, Y, **{**OPTIONS, name: value})
    with pytest.raises(ValueError, match="loss='hinge' is not one of"):
        fit(phi, ROWS, Y, loss="hinge", **OPTIONS)
    with pytest.raises(TypeError, match="keep_values=2 must be True or False"):
        fit(phi, ROWS, Y, keep_values=2, **OPTIONS)
    with pytest.raises(TypeError, match="seed must be"):
        fit(phi, ROWS, Y, **{**OPTIONS, "seed": None})
    with pytest.raises(ValueError, match=r"step=1e\+03 is too large for lam=0.001"):
        fit(phi, ROWS, Y, step=1000.0, **OPTIONS)
    with pytest.raises(ValueError, match=r"the steps diverge, at step \d+ of size 50"):
        fit(phi, ROWS, Y, step=50.0, n_steps=100, **OPTIONS)
    with pytest.raises(ValueError, match="features of the rows are 0"):
        fit(phi, 0 * ROWS, Y, **OPTIONS)
    with pytest.raises(ValueError, match="NaN or infinity"):
        fit(phi, ROWS * np.float32(np.nan), Y, **OPTIONS)
    with pytest.raises(ValueError, match="80 rows but X has 90"):
        fit(phi, ROWS, Y[:80], **OPTIONS)
    with pytest.raises(ValueError, match="2 columns but the map"):
        fit(phi, ROWS[:, :2], Y, **OPTIONS)
    codes, _ = learn.one_vs_all(np.arange(90) % 3)
    for wrong in (Y, codes[:, :1], -codes, 0 * codes):
        with pytest.raises(ValueError, match="Y must be codes for loss='logistic'"):
            fit(phi, ROWS, wrong, loss="logistic", **OPTIONS)


def test_maps_without_units_of_their_own_are_refused():
    for phi in (lambda rows: rows, mehler.MaxoutCodes.draw(3, 10, 4, seed=0)):
        with pytest.raises(TypeError, match="units that are drawn alone have the maps of mehler"):
            learn.doubly_stochastic(phi, ROWS, Y, **OPTIONS)
    together = mehler.FourierFeatures.draw(3, 10, seed=0, projections="hadamard")
    with pytest.raises(ValueError, match="draws its units together"):
        learn.doubly_stochastic(together, ROWS, Y, **OPTIONS)
