"""Equations (4) and (5): features are linear in each cell, and what their coefficients average to.

Two routes: the features themselves with finite differences, and the exact kernels' gradients.
"""

import functools

import numpy as np
import pytest

import mehler
from mehler import exact
from tests.verify.map_kinds import DRAWS

NAMES = ("maxout", "centred", "shared", "maxout-orthogonal", "maxout-hadamard", "next", "fresh")
MAPS = {
    **{name: DRAWS[name] for name in NAMES},
    "not stored": functools.partial(DRAWS["maxout"], stored=False),
    "one": functools.partial(mehler.MaxoutFeatures.draw, 3, pool_size=1),
}
X = np.random.default_rng(3).standard_normal((6, 3))


def require_coefficients(phi):
    """Require that coefficients times rows are the features."""
    local = phi.local_coefficients(X)
    assert local.shape == (6, 40, 3)
    np.testing.assert_allclose(np.einsum("nmd,nd->nm", local, X), phi(X), rtol=0, atol=1e-13)


@pytest.mark.parametrize("name", MAPS)
def test_coefficients_are_those_of_features_their_derivative_and_are_summed(name):
    phi, step = MAPS[name](40, seed=0), 1e-6
    require_coefficients(phi)
    local = phi.local_coefficients(X)
    steps = ((phi(X + step * unit) - phi(X - step * unit)) / (2 * step) for unit in np.eye(3))
    # No cell ends within the step, but for rows of measure 1e-5.
    np.testing.assert_allclose(local, np.stack(list(steps), axis=2), rtol=0, atol=1e-8)
    weights = np.random.default_rng(1).standard_normal((40, 2))
    both = phi.local_coefficients(X, weights)
    np.testing.assert_allclose(both, np.einsum("nmd,mt->ndt", local, weights), atol=1e-12)
    unit = phi.local_coefficients(X, weights[:, 0])
    np.testing.assert_allclose(unit, both[:, :, 0], atol=1e-12)
    assert np.all(np.isfinite(phi.local_coefficients(np.zeros((2, 3)))))


def mean_coefficients(draw, x, z, n=60):
    """Mean over draws of the coefficients for the features of z, and its standard error."""
    rows = []
    for seed in range(n):
        phi = draw(400, seed=seed)
        rows.append(phi.local_coefficients(x, phi(z)[0])[0])
    return np.mean(rows, axis=0), np.std(rows, axis=0, ddof=1) / np.sqrt(n)


x, z = np.array([[0.6, 0.0, 0.8]]), np.array([[0.6, 0.8, 0.0]])
RHO = 0.36
KAPPA = float(exact.collision_probability(RHO, 4))
EQUATION_4 = float(exact.sigma2(4)) * KAPPA * z[0]
GRADIENT = KAPPA * z[0] + (float(exact.maxout_kernel(RHO, 4)) - RHO * KAPPA) * x[0]


@pytest.mark.parametrize("name", ["next", "fresh"])
def test_equation_4_holds_for_the_decoupled_map(name):
    mean, error = mean_coefficients(MAPS[name], x, z)
    assert np.abs(mean - EQUATION_4).max() < 6 * error.max()  # 1e-9 a coordinate
    assert error.max() < 0.02


def test_equation_4_fails_for_the_plain_map():
    mean, error = mean_coefficients(MAPS["maxout"], x, z)
    assert np.abs(mean - GRADIENT).max() < 6 * error.max()
    assert np.abs(mean - EQUATION_4).max() > 20 * error.max()


def test_float32_stays():
    phi = MAPS["next"](40, seed=0)
    assert phi.local_coefficients(X.astype("float32")).dtype == np.float32
    assert phi.local_coefficients(X.astype("float32"), np.ones(40)).dtype == np.float32


def test_other_libraries_agree():
    strict = pytest.importorskip("array_api_strict")
    for name in ("maxout", "centred", "next"):
        phi = MAPS[name](40, seed=0)
        there = phi.to(strict).local_coefficients(strict.asarray(X), strict.ones(40))
        np.testing.assert_allclose(
            np.asarray(there), phi.local_coefficients(X, np.ones(40)), atol=1e-13
        )
