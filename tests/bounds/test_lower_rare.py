"""The spectral error of plain Fourier features from below, by the rarest frequency drawn."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from mehler.bounds import lower, spectral
from mehler.bounds.lower._gram import _tails

GRID = {"n_rows": 300, "spacing": 0.25, "gamma": 0.5, "ridge": 3.0}


def kernel(n, step):
    x = step * np.arange(n)
    return x, np.exp(-((x[:, None] - x) ** 2) / 2)


def test_the_kernel_at_a_frequency_by_its_quadratic_form():
    x, gram = kernel(40, 0.3)
    starts, most, _ = _tails(40, 0.3)
    forms = []
    for w in starts[::40]:
        v = np.exp(1j * w * x) / math.sqrt(40)
        forms.append(float((v.conj() @ gram @ v).real))
    expected = np.maximum.accumulate(np.array(forms)[::-1])[::-1]
    assert np.all(most[::40] >= expected)
    # Maxima over all frequencies beyond, not over each fortieth: these may be a little larger.
    assert most[::40] == pytest.approx(expected, rel=0.02, abs=1e-3)


def test_tails_end_where_frequencies_repeat():
    starts, _, chances = _tails(100, 2.0)
    assert starts[-1] < math.pi / 2
    expected = 2 * (stats.norm.cdf(math.pi / 2) - stats.norm.cdf(starts))
    assert chances == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("m", [40, 100, 300])
def test_errors_of_draws_reach_it_as_often(m):
    """Of 60 draws as many as promised; the upper bound is above."""
    x, gram = kernel(300, 0.25)
    mu, basis = np.linalg.eigh(gram)
    root = basis / np.sqrt(np.maximum(mu, 0) + 3.0)
    turned = root.T @ gram @ root
    value = lower.gram_error_grid(m, delta=0.5, **GRID).value
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


def test_half_an_error_needs_about_n_over_the_ridge():
    for n, ridge in ((1000, 1.0), (4000, 4.0), (4000, 400.0)):
        setting = {"n_rows": n, "spacing": 0.1, "gamma": 0.5, "ridge": ridge, "delta": 0.5}
        columns = 2 * round(n / ridge / 2)
        assert lower.gram_error_grid(columns, **setting).value > 0.5
        assert lower.gram_error_grid(4 * columns, **setting).value < 0.5


def test_units_of_the_rows_do_not_matter():
    entry = lower.gram_error_grid(100, delta=0.3, **GRID).value
    other = lower.gram_error_grid(
        100, delta=0.3, **{**GRID, "spacing": 25.0, "gamma": 0.5e-4}
    ).value
    assert entry == pytest.approx(other, rel=1e-9)


def test_a_draw_that_is_too_rare_proves_nothing():
    setting = {"own": 10.0, "mean": 1.0, "chance": 1e-3, "ridge": 1.0}
    assert lower.gram_error_rare(5, delta=0.1, **setting).vacuous
    assert lower.gram_error_rare(5, delta=0.004, **setting).value == pytest.approx(0.5)
    assert lower.gram_error_rare(20, delta=0.004, **setting).vacuous


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"spacing": 0.0}, "spacing"),
        ({"spacing": 1e-6}, "too many lags"),
        ({"gamma": -1.0}, "gamma"),
    ],
)
def test_bad_grids_are_named(change, word):
    with pytest.raises(ValueError, match=word):
        lower.gram_error_grid(100, delta=0.1, **{**GRID, **change})
