"""Maps of waves at rows of so many turns that floats lose the phase: served, or refused."""

import functools

import mpmath
import numpy as np
import pytest

import mehler
from mehler import _arrays
from mehler.features import _block, projections
from tests.places import CPU, Place

D, M = 3, 4000
IDS = 1_700_000_000_000_000_000
REFUSAL = r"X has the length .* in row 0, .* centre the columns, scale them, or take a larger"

SINKS = functools.partial(mehler.KitchenSinks.draw, D, M, seed=1)
WAVES = functools.partial(mehler.FourierFeatures.draw, D, M, seed=1)
MAPS = {
    "pairs": functools.partial(WAVES, gamma=0.5),
    "offset": functools.partial(WAVES, form="offset"),
    "not stored": functools.partial(WAVES, stored=False),
    **{name: functools.partial(WAVES, kernel=name) for name in ("laplacian", "matern")},
    **{n: functools.partial(WAVES, projections=n) for n in ("orthogonal", "hadamard", "sobol")},
    "localised": functools.partial(
        mehler.features.LocalisedLinearFeatures.draw, D, D * M, seed=1, gamma=0.5
    ),
    "cosines": functools.partial(SINKS, activation="cos", bias="uniform"),
    "sines": functools.partial(SINKS, activation="sin"),
}


def rows(size, dtype="float64"):
    """Rows of that size, of which the first two are near each other and others are not far."""
    near = max(0.25, float(np.spacing(np.asarray(size, dtype=dtype))))
    x = np.array([[size, 1.0, -1.0], [size + near, 1.0, -1.0], [1.3, 0.4, 0.2], [1.0, 0.0, 0.0]])
    return x.astype(dtype)


@pytest.mark.parametrize("size", [1e3, 1e8, 1e12])
@pytest.mark.parametrize("name", MAPS)
@pytest.mark.sampled(24)
def test_grams_at_rows_that_are_served(name, size):
    phi = MAPS[name]()
    x = rows(size)
    gram, kernel = phi.gram(x), phi.kernel(x)
    length = np.linalg.norm(x, axis=1)
    scale = np.multiply.outer(length, length) if name == "localised" else 1.0
    # Products within [-1, 1] in the mean, over 2,000 frequencies or more: six deviations, for
    # dependent frequencies too, whose variance is smaller at far rows or at most 3 times as large.
    assert (np.abs(gram - kernel) / scale).max() < 6 * np.sqrt(2 / (M // 2))


@pytest.mark.parametrize("name", MAPS)
def test_rows_that_lose_their_phase_are_refused(name):
    phi = MAPS[name]()
    for size in (1e15, float(IDS), 1e160, 1.7e308):
        with pytest.raises(ValueError, match=REFUSAL):
            phi(rows(size))
        with pytest.raises(ValueError, match=REFUSAL):
            phi(rows(size), check_finite=False)
    assert np.isfinite(phi(rows(1e15)[2:])).all()


@pytest.mark.parametrize("place", CPU, ids=lambda place: place.name)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_every_library_refuses_them(place: Place, dtype):
    if dtype == "float64" and not place.has_float64:
        return
    near, far = (place.asarray(rows(size, dtype)) for size in (1e3, 1e18))
    phi = MAPS["pairs"](like=near)
    assert np.isfinite(_arrays.to_host(phi(near))).all()
    if place.jit:
        return
    with pytest.raises(ValueError, match=REFUSAL):
        _arrays.to_host(phi(far))


def test_the_remedy_in_float32_is_float64():
    x = rows(1e8, "float32")
    with pytest.raises(ValueError, match="or compute in float64"):
        MAPS["pairs"]()(x)
    with pytest.raises(ValueError, match="or compute in float64"):
        MAPS["pairs"](dtype="float32")(x.astype(float))
    assert np.isfinite(MAPS["pairs"]()(x.astype(float))).all()
    with pytest.raises(ValueError, match=r"length scale$"):
        MAPS["pairs"]()(rows(1e18))


def test_traced_code_cannot_look():
    jax = pytest.importorskip("jax")
    x = jax.numpy.asarray(rows(1e8, "float32"))
    phi = mehler.FourierFeatures.draw(D, 200, seed=1, like=jax.numpy)
    assert np.isfinite(jax.jit(phi)(x)).all()
    with pytest.raises(ValueError, match=REFUSAL):
        jax.jit(lambda scale: scale * phi(x))(2.0)


@pytest.mark.slow
def test_far_rows_are_found_among_many_and_in_chunks():
    x = np.tile(rows(1.0), (1500, 1))
    x[4321] = 1e17
    with pytest.raises(ValueError, match="in row 4321"):
        MAPS["pairs"]()(x)
    dask = pytest.importorskip("dask.array")
    for in_memory in (True, False):
        lazy = MAPS["pairs"](stored=in_memory)(dask.from_array(x, chunks=(1000, 3)))
        assert np.isfinite(lazy[:4000].compute()).all()
        with pytest.raises(ValueError, match=r"a chunk of X has the length .* in row \d+,"):
            lazy.compute()


def test_rows_with_nan_have_no_angle():
    x = rows(1.0)
    x[1] = np.nan
    features = MAPS["pairs"]()(x, check_finite=False)
    assert np.isnan(features[1]).all()
    assert np.array_equal(features[2:], MAPS["pairs"]()(x[2:]))


def test_integers_that_floats_do_not_hold_are_refused():
    phi, ids = MAPS["pairs"](), np.array([[IDS] * 3, [IDS + 1] * 3])
    for function in (phi, phi.kernel):
        with pytest.raises(ValueError, match=REFUSAL):
            function(ids)
        assert np.isfinite(function(ids - IDS)).all()
    # A map without a period loses nothing by it.
    assert np.isfinite(mehler.MaxoutFeatures.draw(3, 10, 2, seed=0)(ids)).all()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("d", "m"), [(2, 400), (100, 400), (784, 100)])
@pytest.mark.sampled(3)
def test_the_error_of_angles_is_below_what_the_limit_takes_it_for(d, m, dtype):
    """Root mean square over frequencies, of angles just below the limit, against 60 digits."""
    rng = np.random.default_rng(2)
    x = rng.standard_normal((2, d))
    rounding = 0.5 * np.finfo(dtype).eps * np.sqrt(d + 3)
    x = (x / np.linalg.norm(x, axis=1, keepdims=True) * 0.99 * _block.LIMIT / rounding).astype(
        dtype
    )
    w = rng.standard_normal((1, d, m)).astype(dtype)
    angles = _block.Angles(1.0)
    most = angles.longest(dtype, d, 1.0)
    angles.require(x, dtype, most, "X")
    # As the map computes them, in turns or radians.
    unit = _arrays.angle_unit(x)
    (rounded,) = projections.named("gaussian").pieces(np, x * np.asarray(unit, dtype), w)
    with mpmath.workdps(60):
        radians = 2 * mpmath.pi if unit != 1.0 else 1
        exact = mpmath.matrix(x.tolist()) * mpmath.matrix(w[0].tolist())
        errors = [
            float(radians * float(rounded[i, j]) - exact[i, j]) for i in range(2) for j in range(m)
        ]
    assert np.sqrt(np.mean(np.square(errors))) < _block.LIMIT
    with pytest.raises(ValueError, match=REFUSAL):
        angles.require(x * np.asarray(1.05, dtype), dtype, most, "X")
