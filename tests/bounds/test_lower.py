"""Lower bounds against exact laws, against the upper ones, and how they print."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from mehler import exact
from mehler.bounds import kernel_error, lower, spectral
from tests.bounds.formulas.lower import of_squares


@pytest.mark.parametrize("q", [1, 4, 64])
@pytest.mark.parametrize("rho", [-0.5, 0.5, 1.0])
@pytest.mark.parametrize("delta", [0.3, 1e-4, 1e-12])
def test_below_the_upper_bound_and_within_a_factor(q, rho, delta):
    setting = {"delta": delta, "pool_size": q, "rho": rho}
    below = lower.one_pair(10**5, **setting).value
    above = kernel_error.one_pair(10**5, **setting).value
    assert 0 < below < above < 2.2 * below


def test_the_limit_is_the_central_one():
    variance = float(exact.maxout_variance(0.5, 4))
    expected = math.sqrt(variance / 10**16) * stats.norm.isf(0.005)
    result = lower.one_pair(10**16, delta=0.01, pool_size=4, rho=0.5).value
    assert result == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("m", [60, 100, 300, 1000])
@pytest.mark.parametrize("delta", [1e-3, 1e-4, 1e-6])
def test_large_deviations_of_squares_in_closed_form(m, delta):
    """Both ends of an interval have an error of the normal limit: with one it would be larger."""
    expected = of_squares(m, delta)
    assert lower.one_pair(m, delta=delta, pool_size=1).value == pytest.approx(expected, rel=1e-9)
    assert of_squares(m, delta, errors=1.0) > 1.04 * expected


def test_moments_by_another_quadrature():
    """E|M - med M| at q = 2 is by the density of the larger of two."""
    t = np.linspace(-10, 10, 400_001)
    density = 2 * stats.norm.pdf(t) * stats.norm.cdf(t)
    middle = stats.norm.ppf(0.5**0.5)
    expected = np.trapezoid(np.abs(t - middle) * density, t)
    result = lower.approximation(1, pool_size=2, scale=2.0).value
    assert result == pytest.approx(expected, rel=1e-8)
    assert lower.approximation(1, pool_size=1, scale=2.0).value == pytest.approx(
        math.sqrt(2 / math.pi)
    )


def test_risk_has_its_constant():
    largest = math.sqrt(2 / math.pi)
    z = np.linspace(0.5, 1.0, 1001)
    expected = 2 * np.max(z * stats.norm.sf(z)) * largest
    setting = {"pool_size": 1, "scale": 1.0, "lipschitz": 1.0, "dimension": 1}
    result = lower.excess_risk(10**8, **setting).value * 1e4
    assert result == pytest.approx(expected, rel=1e-3)


def test_no_map_is_better_than_its_rank():
    rng = np.random.default_rng(0)
    mu = 10 * 0.5 ** np.arange(12)
    basis = np.linalg.qr(rng.standard_normal((12, 12)))[0]
    root = basis * np.sqrt(mu)
    turn = basis / np.sqrt(mu + 0.1)
    for m in (1, 5, 11):
        Z = root @ rng.standard_normal((12, m)) / math.sqrt(m)
        error = np.linalg.norm(turn.T @ (Z @ Z.T - root @ root.T) @ turn, 2)
        below = lower.gram_error(m, ridge=0.1, eigenvalues=mu).value
        assert 0 < below <= error
        above = spectral.gram_error(m, ridge=0.1, delta=0.5, eigenvalues=mu, lipschitz=10**0.5)
        assert below < above.value


def test_one_direction_of_cosines_and_sines():
    """The fourth moment of the page by draws, and the error of the map above the bound."""
    rng = np.random.default_rng(0)
    x, v = rng.standard_normal((5, 2)), np.array([0.5, -0.1, 0.7, 0.4, 0.3])
    v /= np.linalg.norm(v)

    def kernel(a, b):
        return np.exp(-((a[:, None] - b[None]) ** 2).sum(axis=2) / 2)

    between = (x[:, None] - x[None]).reshape(-1, 2)
    weights, gram = np.outer(v, v).ravel(), kernel(x, x)
    mean, second = v @ gram @ v, weights @ kernel(between, between) @ weights
    turns = np.exp(1j * rng.standard_normal((400_000, 2)) @ x.T)
    drawn = np.abs(turns @ v) ** 2
    for power, exact_value in ((1, mean), (2, second)):
        error = np.std(drawn**power) / math.sqrt(drawn.size)
        assert abs(np.mean(drawn**power) - exact_value) < 5 * error
    variance = second - mean**2
    third = max(mean, np.abs(v).sum() ** 2 - mean) / math.sqrt(variance)
    setting = {"ridge": 0.5, "mean": mean, "variance": variance, "third": third, "block": 2}
    below = lower.gram_error_direction(800, delta=0.1, **setting).value
    turn = np.linalg.cholesky(np.linalg.inv(gram + 0.5 * np.eye(5)))
    grams = np.einsum(
        "abi,abj->aij", turns.reshape(1000, 400, 5), turns.conj().reshape(1000, 400, 5)
    )
    errors = np.linalg.norm(turn.T @ (grams.real / 400 - gram) @ turn, 2, axis=(1, 2))
    assert 0 < below < np.quantile(errors, 0.9)
    # Two columns share a draw.
    alone = lower.one_pair(400, delta=0.1, variance=variance, third=third).value
    assert below == pytest.approx(alone / (mean + 0.5), rel=1e-15)


def test_prints_the_other_way_round():
    bound = lower.gram_error(1, ridge=1.0, eigenvalues=[4.0, 3.0])
    assert ">= 0.75" in str(bound)
    assert not bound.vacuous
    none = lower.gram_error(2, ridge=1.0, eigenvalues=[4.0, 3.0])
    assert none.vacuous
    assert "it claims nothing" in str(none)
    many = lower.gram_error([1, 2], ridge=1.0, eigenvalues=[4.0, 3.0])
    assert isinstance(many, lower.LowerBound)
    assert many.vacuous.tolist() == [False, True]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "give pool_size, or variance and third, or collision"),
        ({"variance": 1.0}, "give pool_size, or variance and third"),
        ({"pool_size": 2, "collision": 0.1}, "give pool_size, or"),
        ({"pool_size": 2, "rho": -0.99}, "rho=-0.99 is below -0.95"),
    ],
)
def test_bad_input_is_named(options, message):
    with pytest.raises(ValueError, match=message):
        lower.one_pair(10, delta=0.1, **options)
