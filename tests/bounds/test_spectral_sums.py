"""Sums over long spectra: from above, close, and without a pass over the spectrum each time."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from mehler import bounds
from mehler.bounds import _spectra, ridge

FLAT = 1 / (1 + np.arange(2000) / 200)
SPECTRA = {"slow": FLAT, "fast": np.arange(1, 601.0) ** -3, "equal": np.ones(700)}


@pytest.mark.parametrize("name", SPECTRA)
def test_long_spectra_are_summed_from_above(name):
    beta = 3 * SPECTRA[name]
    a = np.geomspace(1e-60, 25, 2001)
    for w in (np.zeros_like(a), np.geomspace(1e-9, 60, a.size)[::-1]):
        excess = _spectra.log_sums(a, w, beta) - _spectra._exact(a, w, beta)
        assert excess.min() > -1e-12
        assert excess.max() < 1e-5


@pytest.mark.parametrize("a", [1e-60, 3e-7, 0.02, 4.0, 500.0])
def test_one_sum_in_other_digits(a):
    true = mpmath.log(mpmath.fsum(mpmath.expm1(mpmath.mpf(a) * b) for b in map(float, FLAT)))
    result = _spectra.log_sums(np.array([a]), np.zeros(1), FLAT)[0]
    assert result >= true - 1e-12
    # Beyond the table all terms grow as the largest.
    assert result <= true + (1e-5 if a < 100 else np.log(2000))


def test_a_long_spectrum_is_summed_at_the_points_of_the_table_alone(monkeypatch):
    summed, exact = [], _spectra._exact
    monkeypatch.setattr(
        _spectra, "_exact", lambda a, w, beta: summed.append(a.size) or exact(a, w, beta)
    )
    target = {"ridge": 0.01, "norm": 1.0, "noise": 0.1, "eigenvalues": 600 * FLAT[:1234]}
    sizes = {"lipschitz": 30.0, "sup": 1.0}
    m = bounds.solve(ridge.excess_risk, at_most=0.02, n_features=None, **sizes, **target)
    assert m > 1000
    assert summed == [_spectra._POINTS.size]
