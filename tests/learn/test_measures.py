"""Measures of kernel matrices and features, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import mehler
from mehler import learn
from mehler.learn import _measures

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


def test_rademacher_is_exact_on_two_rows():
    z = np.array([[3.0, 0.0], [0.0, 4.0]])
    ball = learn.rademacher(z, 1.0, seed=0)
    assert (ball.value, ball.error) == (2.5, 0.0)  # |(+-3, +-4)| / 2
    assert ball.bound == 2.5
    assert learn.rademacher(z, 1.0, shape="box", seed=0).value == 3.5
    same = learn.rademacher(np.ones((2, 1)), 1.0, seed=0, n_draws=4000)  # |s1 + s2| / 2
    assert abs(same.value - 0.5) < 6 * same.error
    assert same.bound == pytest.approx(0.5**0.5)


@pytest.mark.parametrize("shape", ["ball", "box"])
def test_rademacher_is_a_mean_over_all_signs(shape):
    z = X[:8]
    signs = np.array(np.meshgrid(*[[-1, 1]] * 8)).reshape(8, -1).T
    exact = np.mean(np.linalg.norm(signs @ z, ord=2 if shape == "ball" else 1, axis=1)) * 2 / 8
    found = learn.rademacher(z, 2.0, shape=shape, seed=1, n_draws=4000)
    assert abs(found.value - exact) < 6 * found.error
    assert exact < found.bound


def test_planted_factor_of_the_complexity_is_seen(monkeypatch):
    """Signs that are all equal."""
    monkeypatch.setattr(
        _measures._random,
        "generator",
        lambda *k: type("G", (), {"integers": lambda s, a, size: np.full(size, 1)})(),
    )
    with pytest.raises(AssertionError):
        test_rademacher_is_a_mean_over_all_signs("ball")


def test_bad_measures_are_named():
    k = gaussian(X, X)
    cases = [
        (lambda: learn.spectral_error(k, k, 0.0), "lam"),
        (lambda: learn.spectral_error(k[:2], k, 0.1), "K_hat must be a square matrix"),
        (lambda: learn.spectral_error(k[:2, :2], k, 0.1), "make them equal"),
        (lambda: learn.spectral_error(k, -k, 0.1), "K is not positive semidefinite"),
        (lambda: learn.rademacher(X, -1.0, seed=0), "radius"),
        (lambda: learn.rademacher(X, 1.0, shape="cube", seed=0), "shape"),
        (lambda: learn.rademacher(X, 1.0, seed=0, n_draws=1), "n_draws"),
    ]
    for call, words in cases:
        with pytest.raises(ValueError, match=words):
            call()
