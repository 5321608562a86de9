"""The spectral error of plain Fourier features from below, by the rarest frequency drawn."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from mehler.bounds import lower, spectral


def kernel(n, step):
    x = step * np.arange(n)
    return x, np.exp(-((x[:, None] - x) ** 2) / 2)


def of_tails(m):
    """The bound by the rarest frequencies: half the rows in their direction, which K hardly has."""
    x, gram = kernel(300, 0.25)
    w = np.linspace(0.0, 9.0, 3601)
    waves = np.exp(1j * np.outer(w, x)) / math.sqrt(x.size)
    forms = np.einsum("wi,ij,wj->w", waves.conj(), gram, waves, optimize=True).real
    chances = 2 * stats.norm.sf(w)
    # Two columns are one frequency.
    first = np.flatnonzero(1 - (1 - chances) ** (m // 2) >= 0.5)[-1]
    rare = {"own": x.size / 2, "mean": float(forms[first:].max()), "chance": chances[first]}
    return lower.gram_error_rare(m, ridge=3.0, delta=0.5, block=2, **rare).value


@pytest.mark.parametrize("m", [40, 100, 300])
def test_errors_of_draws_reach_it_as_often(m):
    """Of 60 draws as many as promised; the upper bound is above."""
    x, gram = kernel(300, 0.25)
    mu, basis = np.linalg.eigh(gram)
    root = basis / np.sqrt(np.maximum(mu, 0) + 3.0)
    turned = root.T @ gram @ root
    value = of_tails(m)
    assert value > 0
    reached = 0
    for seed in range(60):
        w = np.random.default_rng(seed).standard_normal(m // 2)
        part = root.T @ np.hstack([np.cos(np.outer(x, w)), np.sin(np.outer(x, w))])
        error = np.abs(np.linalg.eigvalsh(part @ part.T / (m / 2) - turned)[[0, -1]]).max()
        reached += error >= value
    assert stats.binom.cdf(reached, 60, 0.5) > 1e-6
    setting = {"ridge": 3.0, "delta": 0.5, "eigenvalues": np.maximum(mu, 0)}
    assert value < spectral.gram_error(m, sup=1.0, block=2, **setting).value


def test_a_draw_that_is_too_rare_proves_nothing():
    setting = {"own": 10.0, "mean": 1.0, "chance": 1e-3, "ridge": 1.0}
    assert lower.gram_error_rare(5, delta=0.1, **setting).vacuous
    assert lower.gram_error_rare(5, delta=0.004, **setting).value == pytest.approx(0.5)
    assert lower.gram_error_rare(20, delta=0.004, **setting).vacuous
