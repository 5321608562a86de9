"""The localised linear kernel by Kronecker products: map, kernel, variance, bound."""

import numpy as np
import pytest

import mehler
from mehler.features import LocalisedLinearFeatures

X = np.random.default_rng(0).standard_normal((4, 3)) / 2
FORMS = ["pairs", "offset"]


def draw(seed=0, m=60, **options):
    return LocalisedLinearFeatures.draw(3, m, seed=seed, gamma=0.7, **options)


def by_hand(a, b):
    return (a @ b.T) * np.exp(-0.7 * ((a[:, None] - b[None]) ** 2).sum(axis=2))


@pytest.mark.parametrize("form", FORMS)
def test_features_are_kronecker_products(form):
    z = mehler.FourierFeatures.draw(3, 20, seed=0, gamma=0.7, form=form)(X)
    phi = draw(form=form)
    np.testing.assert_allclose(phi(X), [np.kron(a, b) for a, b in zip(X, z)], atol=1e-15)
    assert phi(X.astype("float32")).dtype == np.float32
    products = phi.products(X, X[::-1])
    assert products.shape == (4, phi.n_units)
    np.testing.assert_allclose(products.mean(axis=1), np.diag(phi.gram(X, X[::-1])), atol=1e-14)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.sampled(1)
def test_kernel_and_variance_hold_over_draws(form):
    np.testing.assert_allclose(draw().kernel(X, X[:2]), by_hand(X, X[:2]), atol=1e-15)
    grams = np.array([draw(seed, form=form).gram(X) for seed in range(3000)])
    phi = draw(form=form)
    variance = phi.gram_variance(X)
    np.testing.assert_allclose(phi.variance(X) / 60, variance)
    error = np.sqrt(variance / len(grams)) + 1e-14
    assert np.all(np.abs(grams.mean(axis=0) - phi.kernel(X)) < 6 * error)
    # A sample variance of 3000 draws is within 6 sqrt(2/3000) or so of its mean.
    np.testing.assert_allclose(grams.var(axis=0), variance, rtol=0.2, atol=1e-20)


def test_orthogonal_frequencies_have_the_same_kernel():
    phi = draw(projections="orthogonal")
    np.testing.assert_allclose(phi.kernel(X), by_hand(X, X), atol=1e-15)
    assert np.all(phi.gram_variance(X) <= draw().gram_variance(X) + 1e-15)
