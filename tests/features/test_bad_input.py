"""Bad input is refused before any work, by a message that names argument, value and remedy."""

import array_api_strict
import dask.array
import numpy as np
import pandas as pd
import pytest
import scipy.sparse

import mehler
from mehler.features import PackedCodes

PHI = mehler.MaxoutFeatures.draw(3, 5, 2, seed=0)
GOOD = np.ones((2, 3))
POOL = mehler.FourierFeatures.draw(3, 4, seed=0)
LEVERAGE = mehler.features.leverage.LeverageSampling(POOL, 2, lam=0.1, seed=0)


def rows(bad):
    x = GOOD.copy()
    x[1, 2] = bad
    return x


@pytest.mark.parametrize(
    ("x", "error", "words"),
    [
        (rows(np.nan), ValueError, "X holds NaN or infinity, first in row 1"),
        (rows(np.inf), ValueError, "first in row 1"),
        (np.ones((0, 3)), ValueError, "X is empty"),
        (np.ones(()), ValueError, "X must have shape"),
        (pd.DataFrame(GOOD > 2).astype(str), TypeError, "X is a DataFrame whose columns .* encode"),
        (pd.DataFrame(GOOD.astype("M8[s]")), TypeError, "dates as numbers of days"),
        (pd.DataFrame(GOOD).astype("Float64"), TypeError, r"nullable columns by astype\(float\)"),
        (None, TypeError, "is NoneType$"),
        (np.ones((2, 4)), ValueError, "4 columns but the map was drawn for n_inputs=3"),
        (GOOD * 1j, TypeError, "complex"),
        (GOOD.astype(np.float16), TypeError, "float16"),
        (GOOD.astype(str), TypeError, "convert"),
        ([[1.0, 2.0, 3.0]], TypeError, r"numpy.asarray\(X\)"),
        (array_api_strict.ones((2, 3)), TypeError, r"phi.to\(X\), or draw with like=X"),
        (np.ma.masked_array(GOOD, GOOD > 2), TypeError, "X is a masked array"),
        (scipy.sparse.csr_array(GOOD), TypeError, r"X.toarray\(\)"),
    ],
)
def test_rows(x, error, words):
    with pytest.raises(error, match=words):
        PHI(x)


def squares(seed=0):
    return mehler.KitchenSinks.draw(3, 4, activation="relu2", seed=seed)


HUGE = {
    "maxout": (PHI, 1e200),
    "decoupled": (mehler.DecoupledMaxoutFeatures.draw(3, 5, 2, seed=0), 1e200),
    "squares": (squares(), 1e100),
    "localised": (mehler.features.LocalisedLinearFeatures.draw(3, 6, seed=0), 1e170),
    "linear limit": (
        mehler.DeepFeatures.draw(3, (4,), activation="maxout", pool_size=2, seed=0),
        1e100,
    ),
}


@pytest.mark.parametrize("name", HUGE)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_moments_that_leave_the_floats_are_refused(name, dtype):
    """Those of float32 rows are computed in float64, and have to fit into float32."""
    phi, size = HUGE[name]
    rows = (size if dtype == "float64" else 1e37) * (1 + np.eye(3, dtype=dtype))
    with pytest.raises(ValueError, match=f"leave the floats of {dtype}: scale the rows"):
        phi.variance(rows)
    assert np.isfinite(phi.variance(rows / 1e36 if dtype == "float32" else rows / size)).all()


@pytest.mark.parametrize("bad", [None, 3, "x", [[1.0, 2.0, 3.0]]])
def test_products_name_what_is_no_array(bad):
    with pytest.raises(TypeError, match="Y must be an array"):
        PHI.products(GOOD, bad)
    with pytest.raises(TypeError, match="X must be an array"):
        PHI.products(bad, GOOD)


@pytest.mark.parametrize(
    "window", [10**400, "1", np.array(1.0), True], ids=["long", "text", "array", "flag"]
)
def test_a_window_is_one_number(window):
    shifts = mehler.features.groups.CyclicShifts(3)
    with pytest.raises((TypeError, ValueError), match="window"):
        mehler.GroupInvariantFeatures.draw(3, group=shifts, n_templates=2, window=window, seed=0)


def test_traced_options_are_refused_by_name():
    jax = pytest.importorskip("jax")
    shifts = mehler.features.groups.CyclicShifts(3)

    def drawn(**options):
        return mehler.GroupInvariantFeatures.draw(3, group=shifts, **options, seed=0)

    with pytest.raises(TypeError, match="window="):
        jax.jit(lambda s: drawn(n_templates=2, window=s).bins.window)(1.0)
    with pytest.raises(TypeError, match="templates is traced"):
        jax.jit(lambda s: drawn(templates=s * jax.numpy.eye(3)).bins.window)(1.0)
    with pytest.raises(TypeError, match="NumPy reads"):
        jax.jit(lambda s: shifts.apply(s * jax.numpy.eye(3)))(1.0)


def test_elements_are_drawn_by_a_generator():
    with pytest.raises(TypeError, match="rng must be a Generator"):
        mehler.features.groups.CyclicShifts(3).sample(2, 0)


@pytest.mark.parametrize("method", ["kernel", "variance", "gram_variance"])
def test_kernel_arguments(method):
    call = getattr(PHI, method)
    with pytest.raises(ValueError, match=r"reshape\(1, -1\)"):
        call(np.ones(3))
    with pytest.raises(ValueError, match="Y holds NaN"):
        call(GOOD, rows(np.nan))
    with pytest.raises(ValueError, match="Y has 2 columns"):
        call(GOOD, np.ones((2, 2)))
    with pytest.raises(TypeError, match="X is an array of numpy but Y of array_api_strict"):
        call(GOOD, array_api_strict.ones((2, 3)))


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"pool_size": 0}, ValueError, "pool_size=.* must be at least 1"),
        ({"pool_size": 2.0}, TypeError, "pool_size=.* must be an integer"),
        ({"n_features": 0}, ValueError, "n_features=.* must be at least 1"),
        ({"n_features": 2**62}, ValueError, "TiB of weights"),
        ({"seed": None}, TypeError, "seed must be a non-negative integer"),
        ({"dtype": "float16"}, TypeError, "float32"),
        ({"like": "numpy"}, TypeError, "like="),
        ({"n_projections": 1}, ValueError, "n_projections=1 cannot give each unit pool_size=2"),
    ],
)
def test_draw_arguments(change, error, words):
    arguments = {"n_inputs": 3, "n_features": 5, "pool_size": 2, "seed": 0} | change
    with pytest.raises(error, match=words):
        mehler.MaxoutFeatures.draw(**arguments)


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"n_features": 5}, ValueError, "two features a frequency: take 6, or form='offset'"),
        ({"kernel": "gaussian"}, ValueError, "kernel='gaussian' is not one of 'rbf', 'laplacian'"),
        ({"gamma": 0}, ValueError, "gamma=.* must be positive and finite"),
        ({"gamma": "wide"}, TypeError, "gamma=.* must be a real number"),
        ({"length_scale": 1.0}, ValueError, "kernel='rbf' has no length_scale: it takes gamma"),
        ({"kernel": "matern", "gamma": 1.0}, ValueError, "it takes nu and length_scale"),
        ({"kernel": "matern", "nu": 51}, ValueError, "nu=51.0 is more than 50"),
        ({"form": "complex"}, ValueError, "form='complex' is not one of 'pairs', 'offset'"),
        ({"projections": "fast"}, ValueError, "projections='fast' is not one of 'gaussian'"),
        (
            {"kernel": "laplacian", "projections": "orthogonal"},
            ValueError,
            "prefers axes.*take 'gaussian' or 'sobol'",
        ),
        ({"n_inputs": 30_000, "projections": "sobol"}, ValueError, "21201 coordinates a unit"),
        ({"n_features": 2**50}, ValueError, "TiB of weights"),
    ],
)
def test_fourier_arguments(change, error, words):
    arguments = {"n_inputs": 3, "n_features": 6, "seed": 0} | change
    with pytest.raises(error, match=words):
        mehler.FourierFeatures.draw(**arguments)


def test_projections_that_would_change_the_kernel():
    with pytest.raises(ValueError, match="take directions='fresh'"):
        mehler.DecoupledMaxoutFeatures.draw(3, 5, 2, seed=0, projections="orthogonal")
    with pytest.raises(ValueError, match="members of one pool must be independent"):
        mehler.MaxoutFeatures.draw(3, 5, 2, seed=0, n_projections=9, projections="hadamard")
    for cls in (mehler.MaxoutFeatures, mehler.MaxoutCodes, mehler.DecoupledMaxoutFeatures):
        with pytest.raises(ValueError, match="projections='fast' is not one of"):
            cls.draw(3, 5, 2, seed=0, projections="fast")


def test_products_want_pairs():
    with pytest.raises(ValueError, match="paired row by row"):
        PHI.products(GOOD, np.ones((3, 3)))


def test_codes():
    phi = mehler.MaxoutCodes.draw(3, 5, 2, seed=0)
    with pytest.raises(TypeError, match="integer codes"):
        phi.similarity(np.ones((2, 5)))
    with pytest.raises(ValueError, match=r"shape \(rows, 5\)"):
        phi.similarity(np.ones((2, 4), dtype=int))


def test_two_devices():
    here, there = (array_api_strict.Device(name) for name in ("CPU_DEVICE", "device1"))
    phi = PHI.to(array_api_strict.ones(1, device=here))
    with pytest.raises(ValueError, match=r"X lives on .*device1.* but the weights"):
        phi(array_api_strict.ones((2, 3), device=there))
    with pytest.raises(ValueError, match="Y lives on"):
        PHI.kernel(
            array_api_strict.ones((2, 3), device=here),
            array_api_strict.ones((2, 3), device=there),
        )


def test_dask_checks_what_it_can_see():
    with pytest.raises(ValueError, match="4 columns"):
        PHI(dask.array.ones((2, 4)))


FOURIER = mehler.FourierFeatures.draw
MAXOUT = mehler.MaxoutFeatures.draw


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: MAXOUT(4), "missing 2 .* 'n_features' and 'pool_size'"),
        (lambda: FOURIER(3, 4, "rbf", seed=0), "takes 3 positional arguments but 4 positional"),
        (lambda: FOURIER(3, 4, seed=0, sigma=1.0), "unexpected keyword argument 'sigma'"),
        (lambda: PackedCodes.pack(np.zeros((1, 2), int), 2.0), r"use int\(pool_size\)"),
        (lambda: LEVERAGE.law(1.5), "scores must be a LeverageScores, not 1.5"),
        (lambda: LEVERAGE.law(np.ones(4)), "scores must be a LeverageScores"),
        (
            lambda: FOURIER(3, 4, seed=np.random.default_rng(0)),
            "seed must be a non-negative integer",
        ),
        (lambda: FOURIER(3, 4, seed=np.array(3)), "seed must be a non-negative integer"),
        (lambda: FOURIER(3, np.float64(4), seed=0), r"use int\(n_features\)"),
        (lambda: FOURIER(3, 4, seed=0, gamma=np.array(1.0)), "takes no array: pass float"),
    ],
)
def test_calls_are_refused_by_the_names_of_their_arguments(call, words):
    with pytest.raises(TypeError, match=words):
        call()


def test_packed_codes_take_small_integers_of_numpy():
    words = PackedCodes.pack(np.array([[0, 2, 1]]), pool_size=3).words
    small = PackedCodes(words, np.int8(3), np.int8(3))
    assert (small.pool_size, small.unpack().tolist()) == (3, [[0, 2, 1]])


def test_a_data_frame_of_numbers_stands_for_its_array():
    x = np.random.default_rng(0).standard_normal((4, 3))
    frame = pd.DataFrame(x, columns=list("abc"))
    np.testing.assert_array_equal(PHI(frame), PHI(x))
    np.testing.assert_array_equal(PHI.gram(frame, frame), PHI.gram(x, x))
    np.testing.assert_array_equal(PHI.kernel(frame, frame), PHI.kernel(x, x))
    np.testing.assert_array_equal(PHI(frame.iloc[0]), PHI(x[0]))


@pytest.mark.parametrize("rows", [GOOD > 0, np.full((2, 3), -128, np.int8), GOOD.astype("u8")])
def test_waves_take_booleans_and_integers_of_any_kind(rows):
    phi = mehler.FourierFeatures.draw(3, 6, seed=0, stored=False)
    np.testing.assert_array_equal(phi(rows), phi(rows.astype(float)))


def test_a_gram_of_a_single_row_is_refused():
    for pair in ((GOOD[0],), (GOOD, GOOD[0])):
        with pytest.raises(ValueError, match=r"use [XY].reshape\(1, -1\) for a single row"):
            PHI.gram(*pair)


def test_a_row_gives_a_row():
    # Sums of three products below 10, in another order: a few eps.
    np.testing.assert_allclose(PHI(GOOD[0]), PHI(GOOD)[0], atol=1e-14)
