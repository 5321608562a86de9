"""Theorem 2 with the variance of a unit, and with the sample's own norms, by hand."""

from __future__ import annotations

import math

import pytest
from scipy import integrate, stats

from mehler.bounds import maxout, solve

SIZES = {"n_features": 100, "n_samples": 400, "scale": 1.5, "lipschitz": 0.5, "radius": 2.0}


def variance_of_maximum(q: int) -> float:
    """V by the density of the maximum: no moment of the library."""

    def moment(k: int) -> float:
        density = lambda t: t**k * q * stats.norm.pdf(t) * stats.norm.cdf(t) ** (q - 1)  # noqa: E731
        return integrate.quad(density, -12, 12, epsabs=1e-13, limit=200)[0]

    return moment(2) - moment(1) ** 2


@pytest.mark.parametrize("q", [1, 2, 4, 64])
def test_centred_terms_by_hand(q):
    root, u = math.sqrt(variance_of_maximum(q)), math.sqrt(2 * math.log(100))
    bound = maxout.excess_risk(pool_size=q, delta=0.01, centred=True, loss_bound=3.0, **SIZES)
    assert bound["statistical"] == pytest.approx(2 * 1.5 / 20 * (root + u / 10), rel=1e-9)
    assert bound["confidence"] == pytest.approx(3 * u / 20, rel=1e-12)
    assert bound["approximation"] == pytest.approx(1.5 / 10 * (root + u), rel=1e-9)
    mean = maxout.excess_risk(pool_size=q, centred=True, **SIZES)
    assert mean.total == pytest.approx(1.5 * root * (2 / 20 + 1 / 10), rel=1e-9)
    assert mean.trivial == pytest.approx(min(1.0, 1.5 * 2 * root), rel=1e-9)
    near = maxout.approximation(n_features=100, pool_size=q, scale=1.5, delta=0.01, centred=True)
    assert near.total == pytest.approx(0.15 * (root + u), rel=1e-9)


def test_the_samples_norms_by_hand():
    u = math.sqrt(2 * math.log(100))
    setting = {"pool_size": 1, "delta": 0.01, "mean_norm": 0.7, **SIZES}
    bound = maxout.excess_risk(**setting)
    assert bound["statistical"] == pytest.approx(2 * 1.5 * 0.5 * 2 * 0.7 / 2 / 20, rel=1e-12)
    assert bound["confidence"] == pytest.approx(2 * u / 20, rel=1e-12)
    assert (
        bound["approximation"]
        == maxout.excess_risk(**{**setting, "mean_norm": None})["approximation"]
    )
    assert bound.probability == pytest.approx(0.98)


def test_features_are_the_least_for_centred_units():
    setting = {"pool_size": 64, "scale": 1.0, "lipschitz": 1.0, "delta": 0.01, "centred": True}
    m = solve(maxout.approximation_risk, at_most=0.05, n_features=None, **setting)
    terms = [
        maxout.excess_risk(n_features=n, n_samples=10, **setting)["approximation"]
        for n in (m, m - 1)
    ]
    assert terms[0] <= 0.05 < terms[1]
