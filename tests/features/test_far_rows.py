"""Maps of waves at rows of so many turns that floats lose the phase.

The truth is the angle <w, x> of the very numbers, in integers and in 400 digits.
"""

from __future__ import annotations

import functools

import mpmath
import numpy as np
import pytest

import mehler
from mehler import _arrays
from mehler.features import _phases, _turns
from tests.places import CPU, Place

D, M = 3, 4000
IDS = 1_700_000_000_000_000_000

SINKS = functools.partial(mehler.KitchenSinks.draw, D, M, seed=1)
MAPS = {
    "pairs": functools.partial(mehler.FourierFeatures.draw, D, M, gamma=0.5, seed=1),
    "offset": functools.partial(mehler.FourierFeatures.draw, D, M, form="offset", seed=1),
    "laplacian": functools.partial(mehler.FourierFeatures.draw, D, M, kernel="laplacian", seed=1),
    "matern": functools.partial(mehler.FourierFeatures.draw, D, M, kernel="matern", seed=1),
    "orthogonal": functools.partial(
        mehler.FourierFeatures.draw, D, M, projections="orthogonal", seed=1
    ),
    "hadamard": functools.partial(
        mehler.FourierFeatures.draw, D, M, projections="hadamard", seed=1
    ),
    "sobol": functools.partial(mehler.FourierFeatures.draw, D, M, projections="sobol", seed=1),
    "not stored": functools.partial(mehler.FourierFeatures.draw, D, M, stored=False, seed=1),
    "cosines": functools.partial(SINKS, activation="cos", bias="uniform"),
    "sines": functools.partial(SINKS, activation="sin"),
    "cosines, biased": functools.partial(SINKS, activation="cos", bias=1e17),
    "cosines of a law": functools.partial(
        SINKS,
        activation="cos",
        law=lambda rng, d, n: rng.standard_normal((d, n)),
        kernel=lambda X, Y: mehler.KitchenSinks.draw(D, 1, activation="cos", seed=0).kernel(X, Y),
    ),
}


def rows(size, dtype="float64"):
    """Rows of that size, of which the first two are near each other and a fourth is not far."""
    near = max(0.25, float(np.spacing(np.asarray(size, dtype=dtype))))
    x = np.array([[size, 1.0, -1.0], [size + near, 1.0, -1.0], [1.3, 0.4, 0.2], [1.0, 0.0, 0.0]])
    return x.astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("size", [0.3, 1e6, 1e15, 1e19, 1e30, 1.6e38, 1e300, 1.7e308])
def test_turns_in_many_digits(size, dtype):
    if size > float(np.finfo(dtype).max):
        return
    rng = np.random.default_rng(0)
    x = rng.uniform(-1.0, 1.0, (3, 5)).astype(dtype)
    x = x / np.abs(x).max() * np.asarray(size, dtype)
    w = rng.standard_normal((5, 4)).astype(dtype)
    with np.errstate(all="ignore"):
        found = _turns.turns_of(np, x, w)
    assert found.dtype == dtype
    with mpmath.workdps(800):
        exact = mpmath.matrix(x.tolist()) * mpmath.matrix(w.tolist()) / (2 * mpmath.pi)
        off = [exact[i, j] - float(found[i, j]) for i in range(3) for j in range(4)]
        worst = max(abs(float(one - mpmath.nint(one))) for one in off)
    # d numbers of at most half a turn, each a sum of parts that are rounded.
    assert worst <= 8 * 5 * np.finfo(dtype).eps


@pytest.mark.parametrize("size", [1e3, 1e12, 1e14, 1e16, float(IDS), 1e40, 1e160, 1e300])
@pytest.mark.parametrize("name", MAPS)
@pytest.mark.sampled(24)
def test_grams_at_far_rows(name, size):
    phi = MAPS[name]()
    x = rows(size)
    with np.errstate(over="ignore"):
        gram, kernel = phi.gram(x), phi.kernel(x)
    # Products within [-1, 1] in the mean, over 2,000 frequencies or more: six deviations, for
    # dependent frequencies too, whose variance is smaller at far rows or at most 3 times as large.
    assert np.abs(gram - kernel).max() < 6 * np.sqrt(2 / (M // 2))


@pytest.mark.parametrize("place", CPU, ids=lambda place: place.name)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("size", [1e18])
def test_far_rows_on_every_library(place: Place, size, dtype):
    if place.jit or (dtype == "float64" and not place.has_float64):
        return
    x = rows(size, dtype)
    phi = MAPS["pairs"](like=place.asarray(x))
    gram = _arrays.to_host(phi.gram(place.asarray(x)))
    assert np.abs(gram - MAPS["pairs"]().kernel(x.astype(float))).max() < 6 * np.sqrt(2 / M)


def test_near_rows_among_far_ones_keep_their_bits():
    phi = MAPS["pairs"]()
    x = rows(1e18)
    assert np.array_equal(phi(x)[2:], phi(x[2:]))


def test_loops_of_jax_see_far_rows():
    jnp = pytest.importorskip("jax.numpy")
    x = np.tile(rows(1e8, "float32"), (257, 1))
    phi = mehler.FourierFeatures.draw(D, 200, seed=1, like=jnp)
    z = np.asarray(phi(jnp.asarray(x)))
    assert np.array_equal(z[:4], z[-4:])
    kernel = phi.kernel(jnp.asarray(x[:4]))
    assert np.abs(z[:4] @ z[:4].T - kernel).max() < 6 * np.sqrt(2 / 200)


@pytest.mark.parametrize("call", ["features", "kernel"])
def test_integers_that_floats_do_not_hold_are_refused(call):
    phi = MAPS["pairs"]()
    ids = np.array([[IDS] * 3, [IDS + 1] * 3])
    function = phi if call == "features" else phi.kernel
    with pytest.raises(ValueError, match=r"X has numbers of int64 .* subtract a common number"):
        function(ids)
    assert np.isfinite(function(ids - IDS)).all()
    # A map without a period loses nothing by it.
    assert np.isfinite(mehler.MaxoutFeatures.draw(3, 10, 2, seed=0)(ids)).all()


def test_a_map_in_float32_refuses_float64_rows_that_it_cannot_hold():
    phi = MAPS["pairs"](dtype="float32")
    with pytest.raises(ValueError, match=r"float64 that are rounded to float32.*dtype='float64'"):
        phi(rows(1e9))
    assert phi(rows(100.0)).dtype == np.float32
    dask = pytest.importorskip("dask.array")
    lazy = phi(dask.from_array(rows(1e9)))
    with pytest.raises(ValueError, match="rounded to float32"):
        lazy.compute()


def test_gradients_at_far_rows():
    torch = pytest.importorskip("torch")
    phi = mehler.FourierFeatures.draw(D, 6, gamma=0.5, seed=1, like=torch, dtype="float64")
    x = torch.tensor(rows(1e16), requires_grad=True)
    z = phi(x)
    z[:, 0].sum().backward()
    # d cos(<w, x>) = -sin(<w, x>) w, of which the map has the sine.
    w = phi._weights("float64")[0][0]
    expected = -z[:, 3:4].detach() * w[:, 0]
    assert torch.allclose(x.grad, expected, atol=1e-10)


def test_rounding_is_seen_where_nothing_is_reduced(monkeypatch):
    """The planted defect: angles as floats hold them."""
    monkeypatch.setattr(_phases.Phases, "_far", lambda *_: None)
    x = rows(float(IDS))
    gram = MAPS["pairs"]().gram(x)
    assert np.abs(gram - MAPS["pairs"]().kernel(x)).max() > 0.5


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("d", [2, 100, 784])
def test_the_error_of_angles_is_below_what_the_limit_takes_it_for(d, dtype):
    """Root mean square over 400 frequencies, of angles just below the limit."""
    rng = np.random.default_rng(2)
    xp = _arrays.array_namespace(np.ones(1))
    phases = _phases.Phases(mehler.features.fourier._fourier.projections.named("gaussian"), 1.0)
    each = 0.5 * np.finfo(dtype).eps * np.sqrt(d + 3)
    x = rng.standard_normal((2, d))
    x = (x / np.linalg.norm(x, axis=1, keepdims=True) * 0.99 * _phases.LIMIT / each).astype(dtype)
    w = rng.standard_normal((1, d, 400)).astype(dtype)
    rounded = phases(xp, x, 1.0 / (2.0 * np.pi), w)
    assert not phases.reaches(xp, x, x.dtype, w)
    exact = _turns.turns_of(xp, x.astype(float), w[0].astype(float))
    off = np.asarray(rounded, dtype=float) - exact
    off = 2.0 * np.pi * (off - np.rint(off))
    assert np.sqrt(np.mean(off**2)) < _phases.LIMIT
    # One more turn of the screw, and angles are reduced.
    assert phases.reaches(xp, x * np.asarray(1.05, dtype), x.dtype, w)
