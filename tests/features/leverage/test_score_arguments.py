"""What scores refuse, and what they say of a pool for which choosing does not pay."""

from __future__ import annotations

import numpy as np
import pytest

from mehler.features.leverage import ridge_leverage_scores

PHI = np.random.default_rng(0).standard_normal((6, 4))


@pytest.mark.parametrize(
    ("phi", "options", "kind", "words"),
    [
        (PHI, {"lam": 0.0}, ValueError, "lam=0.0 must be positive and finite"),
        (PHI, {"lam": -1.0}, ValueError, "must be positive and finite"),
        (PHI, {"lam": float("nan")}, ValueError, "must be positive and finite"),
        (PHI, {"lam": "small"}, TypeError, "must be a real number"),
        (PHI, {"method": "inverse"}, ValueError, "is not one of 'auto', 'svd', 'gram'"),
        (PHI, {"method": "gram", "lam": 1e-15}, ValueError, "use method='svd'"),
        (PHI, {"groups": [0, 1]}, ValueError, "one label a feature"),
        (PHI, {"groups": [0.0, 1.0, 2.0, 3.0]}, ValueError, "one label a feature"),
        (PHI, {"pool_weights": [0.5, 0.5]}, ValueError, "each of the 4 features"),
        (PHI, {"pool_weights": [0.5, 0.5, 0.0, 0.0]}, ValueError, "drop features of weight 0"),
        (PHI, {"pool_weights": [0.5, 0.5, 0.5, 0.5]}, ValueError, "divide them by their sum"),
        (PHI, {"n_features": 0}, ValueError, "n_features"),
        (PHI[0], {}, ValueError, "shape"),
        (PHI[:0], {}, ValueError, "empty"),
        (PHI + np.nan, {}, ValueError, "NaN"),
        (PHI * 1j, {}, TypeError, "Phi is complex"),
        (PHI[0], {}, ValueError, "Phi must have shape"),
        (PHI.tolist(), {}, TypeError, "must be an array"),
    ],
)
def test_bad_input(phi, options, kind, words):
    with pytest.raises(kind, match=words), np.errstate(invalid="ignore"):
        ridge_leverage_scores(phi, **{"lam": 0.1, **options})


def test_integers_become_floats():
    found = ridge_leverage_scores(np.array([[1, 0], [0, 1]]), 1.0)
    # A = I/2, so tau = (1/4)/(1/4 + 1).
    assert found.scores == pytest.approx([0.2, 0.2], rel=1e-15)


def circle():
    """sqrt2 cos(kx + b) on a grid, three phases for each of 25 frequencies, and their weights."""
    k, b = np.repeat(np.arange(25), 3), np.tile(np.arange(3) * 2 * np.pi / 3, 25)
    law = np.exp(-(k**2) / 18)
    x = 2 * np.pi * np.arange(100) / 100
    return np.sqrt(2) * np.cos(np.outer(x, k) + b), law / law.sum()


def test_a_fast_spectrum_pays():
    phi, p = circle()
    found = ridge_leverage_scores(phi, 1e-3, pool_weights=p, n_features=50)
    assert found.gain > 20
    assert found.few_samples == found.no_gain == ""


def test_it_says_when_choosing_does_not_pay():
    phi, p = circle()
    few = ridge_leverage_scores(phi, 1e-3, pool_weights=p, n_features=30)
    assert "fewer than twice the 18.1 degrees of freedom" in few.no_gain
    many = ridge_leverage_scores(phi, 1e-3, pool_weights=p, n_features=2000)
    assert "plain sampling is enough" in many.no_gain
    flat = ridge_leverage_scores(phi, 1.0, pool_weights=p)
    assert "below 20" in flat.no_gain
    assert flat.few_samples == "" != flat.no_gain
