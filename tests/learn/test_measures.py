"""Measures of kernel matrices and features, against closed forms."""

import numpy as np
import pytest

import mehler
from mehler import learn

RNG = np.random.default_rng(0)
X = RNG.standard_normal((30, 3))


def gaussian(a, b):
    return np.exp(-0.5 * ((a[:, None] - b[None]) ** 2).sum(axis=2))


def test_spectral_error_is_the_least_delta():
    k = gaussian(X, X)
    phi = mehler.FourierFeatures.draw(3, 400, gamma=0.5, seed=0)
    delta = learn.spectral_error(phi.gram(X), k, 0.1)
    identity = 0.1 * np.eye(30)
    gaps = [
        np.linalg.eigvalsh(sign * (phi.gram(X) - k) + factor * delta * (k + identity))[0]
        for sign in (1, -1)
        for factor in (1, 0.99)
    ]
    assert min(gaps[0], gaps[2]) > -1e-10
    assert min(gaps[1], gaps[3]) < -1e-6


def test_spectral_error_of_a_multiple():
    k = gaussian(X, X)
    top = np.linalg.eigvalsh(k)[-1]
    assert learn.spectral_error(1.3 * k, k, 0.5) == pytest.approx(0.3 * top / (top + 0.5))
    assert learn.spectral_error(k, k, 0.5) == pytest.approx(0, abs=1e-12)
