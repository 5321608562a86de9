"""Equations (4) and (5): features are linear in each cell, and what their coefficients average to.

Two routes: the features themselves with finite differences, and the exact kernels' gradients.
"""

import numpy as np
import pytest

import mehler
from mehler import _arrays, exact

MAPS = {
    "plain": lambda seed=0, m=40, **k: mehler.MaxoutFeatures.draw(3, m, 4, seed=seed, **k),
    "centred": lambda seed=0, m=40: MAPS["plain"](seed, m, centred=True),
    "shared": lambda seed=0, m=40: MAPS["plain"](seed, m, n_projections=12),
    "orthogonal": lambda seed=0, m=40: MAPS["plain"](seed, m, projections="orthogonal"),
    "hadamard": lambda seed=0, m=40: MAPS["plain"](seed, m, projections="hadamard"),
    "not stored": lambda seed=0, m=40: MAPS["plain"](seed, m, stored=False),
    "next": lambda seed=0, m=40, **k: mehler.DecoupledMaxoutFeatures.draw(3, m, 4, seed=seed, **k),
    "fresh": lambda seed=0, m=40: MAPS["next"](seed, m, directions="fresh"),
    "one": lambda seed=0, m=40: mehler.MaxoutFeatures.draw(3, m, 1, seed=seed),
}
X = np.random.default_rng(3).standard_normal((6, 3))


@pytest.mark.parametrize("name", MAPS)
def test_features_are_their_coefficients_times_the_row(name):
    phi = MAPS[name]()
    local = phi.local_coefficients(X)
    assert local.shape == (6, 40, 3)
    np.testing.assert_allclose(np.einsum("nmd,nd->nm", local, X), phi(X), rtol=0, atol=1e-13)


@pytest.mark.parametrize("name", MAPS)
def test_coefficients_are_the_derivative(name):
    phi, step = MAPS[name](), 1e-6
    steps = ((phi(X + step * one) - phi(X - step * one)) / (2 * step) for one in np.eye(3))
    # No cell ends within the step, but for rows of measure 1e-5.
    np.testing.assert_allclose(
        phi.local_coefficients(X), np.stack(list(steps), axis=2), rtol=0, atol=1e-8
    )


@pytest.mark.parametrize("name", MAPS)
def test_weights_sum_the_coefficients(name):
    phi = MAPS[name]()
    weights = np.random.default_rng(1).standard_normal((40, 2))
    local = phi.local_coefficients(X)
    both = phi.local_coefficients(X, weights)
    np.testing.assert_allclose(both, np.einsum("nmd,mt->ndt", local, weights), atol=1e-12)
    one = phi.local_coefficients(X, weights[:, 0])
    np.testing.assert_allclose(one, both[:, :, 0], atol=1e-12)


def mean_coefficients(draw, x, z, n=60):
    """Mean over draws of the coefficients for the features of z, and its standard error."""
    found = []
    for seed in range(n):
        phi = draw(seed, 400)
        found.append(phi.local_coefficients(x, phi(z)[0])[0])
    return np.mean(found, axis=0), np.std(found, axis=0, ddof=1) / np.sqrt(n)


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
    mean, error = mean_coefficients(MAPS["plain"], x, z)
    assert np.abs(mean - GRADIENT).max() < 6 * error.max()
    assert np.abs(mean - EQUATION_4).max() > 20 * error.max()


def test_planted_defect_is_seen(monkeypatch):
    """Winners of another rule: the smallest projection."""
    right = _arrays.Pieces.winner

    def least(self, dtype):
        return right(_arrays.Pieces(self.xp, (-piece for piece in self)), dtype)

    monkeypatch.setattr(_arrays.Pieces, "winner", least)
    with pytest.raises(AssertionError):
        test_features_are_their_coefficients_times_the_row("plain")


def test_rows_of_zeros_have_finite_coefficients():
    for draw in MAPS.values():
        assert np.all(np.isfinite(draw().local_coefficients(np.zeros((2, 3)))))


def test_float32_stays():
    phi = MAPS["next"]()
    assert phi.local_coefficients(X.astype("float32")).dtype == np.float32
    assert phi.local_coefficients(X.astype("float32"), np.ones(40)).dtype == np.float32


def test_other_libraries_agree():
    strict = pytest.importorskip("array_api_strict")
    for name in ("plain", "centred", "next"):
        phi = MAPS[name]()
        there = phi.to(strict).local_coefficients(strict.asarray(X), strict.ones(40))
        np.testing.assert_allclose(
            np.asarray(there), phi.local_coefficients(X, np.ones(40)), atol=1e-13
        )
