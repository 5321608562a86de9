"""Bounds at random settings, beside exact values: none is on the wrong side of what it bounds."""

import math

import numpy as np
import pytest
from mehler.proofs_checks.features.lower import by_box
from scipy import stats

from mehler.bounds import kernel_error, lower, ridge, spectral
from tests.bounds.formulas import count, log_uniform

SETTINGS = 40
# Distribution functions of SciPy, next to 0 and 1.
ROUNDING = 1e-9
pytestmark = pytest.mark.full
every_setting = pytest.mark.parametrize("seed", range(SETTINGS))


def chance_of_squares(m: int, t: float) -> float:
    """Return P(|chi^2_m/m - 1| >= t): the error of m linear units at a row of norm 1."""
    law = stats.chi2(m)
    return float(law.sf(m * (1 + t)) + law.cdf(m * (1 - t)))


@every_setting
def test_all_pairs_of_orthonormal_rows_are_below(seed):
    rng = np.random.default_rng(seed)
    m, n, delta = count(rng, 3000), count(rng, 10**4), log_uniform(rng, 1e-6, 0.5)
    setting = {"delta": delta, "pool_size": 1}
    value = lower.all_pairs(m, n_rows=n, **setting).value
    any_row = -math.expm1(n * math.log1p(-min(chance_of_squares(m, value), 1 - 1e-16)))
    assert any_row >= delta * (1 - ROUNDING)
    assert value <= kernel_error.all_pairs(m, n_rows=n, **setting).value


@every_setting
def test_kernel_regression_is_no_better_than_the_least_risk(seed):
    """The exact risk of ridge regression at its best ridge, of the worst target of the ball."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 60))
    mu = n * np.sort(np.exp(rng.uniform(-12, 2, n)))[::-1]
    norm, noise = log_uniform(rng, 0.01, 10), log_uniform(rng, 0.01, 10)
    lam = n * np.exp(np.linspace(-30, 15, 2000))[:, None]
    bias = norm**2 * (mu * (lam / (mu + lam)) ** 2).max(axis=1) / n
    truth = (bias + noise**2 * ((mu / (mu + lam)) ** 2).mean(axis=1)).min()
    target = {"norm": norm, "noise": noise, "eigenvalues": mu}
    assert by_box(**target).value <= truth * (1 + ROUNDING)
    at = ridge.best_ridge(**target)
    assert ridge.excess_risk(10**9, ridge=at, sup=1.0, **target).total >= truth * (1 - ROUNDING)


@every_setting
def test_gram_errors_of_linear_units_are_between(seed):
    """300 draws of n Gaussian rows in m columns: at a level of 1 % a dozen may be above."""
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(2, 8)), int(rng.integers(1, 40))
    mu, lam = np.exp(rng.uniform(-3, 3, n)), log_uniform(rng, 0.01, 10)
    root = np.sqrt(mu / (mu + lam))
    draws = rng.standard_normal((300, n, m))
    errors = (draws @ draws.swapaxes(1, 2) / m - np.eye(n)) * root[:, None] * root
    norms = np.abs(np.linalg.eigvalsh(errors)).max(axis=1)
    options = {"ridge": lam, "eigenvalues": mu}
    assert norms.min() >= lower.gram_error(m, **options).value * (1 - ROUNDING)
    above = spectral.gram_error(m, delta=0.01, lipschitz=float(np.sqrt(mu.max())), **options)
    assert np.sum(norms > above.value) <= 12
