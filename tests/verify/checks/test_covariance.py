"""check_mean of products: too large needs no assumption, too small a bounded kurtosis."""

from __future__ import annotations

import numpy as np
import pytest

from mehler.verify import check_mean

ROOT = np.array([[1.0, 0.0, 0.0], [0.5, 0.8, 0.0], [-0.3, 2.0, 0.4]])
C = ROOT @ ROOT.T
# The resolution of tests that are not about it.
R = {"resolution": 0.1}
MEANS = {"known": [3.0, -1.0, 0.0], "unknown": None}


def samples(n, seed=0, law="standard_normal"):
    z = getattr(np.random.default_rng(seed), law)(size=(n, 3))
    if law == "exponential":
        z = z - 1.0
    return np.array([3.0, -1.0, 0.0]) + z @ ROOT.T


# Squares of normal samples have kurtosis 15, of exponential ones 185.
@pytest.mark.parametrize(("law", "resolution"), [("standard_normal", 0.1), ("exponential", 0.2)])
@pytest.mark.parametrize("mean", MEANS)
def test_the_covariance_holds(mean, law, resolution):
    x = samples(150_000, law=law)
    verdict = check_mean(x, C, mean=MEANS[mean], resolution=resolution)
    assert verdict.holds, str(verdict)
    assert "kurtosis" in verdict.method
    assert ("groups" in verdict.method) == (mean == "unknown")
    assert verdict.where["relative_to"] > 0.0


def changed(i, j, by):
    c = C.copy()
    c[i, j] += by * np.sqrt(C[i, i] * C[j, j])
    c[j, i] = c[i, j]
    return c


WRONG = {
    "a covariance too large": (changed(0, 1, -0.15), "squared lengths"),
    "a covariance too small": (changed(0, 1, 0.15), "squared lengths"),
    "a sign": (changed(0, 2, 2 * 0.3 / np.sqrt(C[2, 2])), "squared lengths"),
    "variances too large": (0.8 * C, "squared lengths"),
    "variances too small": (1.25 * C, "bounded kurtosis"),
    "dependence left out": (np.diag(np.diag(C)), "squared lengths"),
}


@pytest.mark.parametrize("mean", MEANS)
@pytest.mark.parametrize("name", WRONG)
@pytest.mark.sampled(4)
def test_a_wrong_covariance_is_refuted(name, mean):
    claim, method = WRONG[name]
    verdict = check_mean(samples(60_000), claim, mean=MEANS[mean], **R)
    assert verdict.status == "refuted", str(verdict)
    assert method in verdict.method
    assert any("nothing else" in line for line in verdict.assumptions) == (method[0] == "s")


@pytest.mark.parametrize("mean", [None, [0.0, 0.0]])
@pytest.mark.parametrize("n", [10_000, 20_000])
def test_variances_three_tenths_too_small_are_seen(mean, n):
    """No squared length is too large: 1,250 groups of kurtosis 5 bound it five times over."""
    x = np.random.default_rng(4).standard_normal((n, 2))
    assert check_mean(x, 1.3 * np.eye(2), mean=mean, **R).status == "refuted"
    assert check_mean(x, np.eye(2), mean=mean, **R).status != "refuted"


def test_heavy_tails_are_open_unless_they_are_too_large():
    """Student's t with 2.5 degrees has variance 5 and no fourth moment."""
    x = np.random.default_rng(2).standard_t(2.5, (50_000, 2))
    claim = 5.0 * np.eye(2)
    verdict = check_mean(x, claim, mean=[0, 0], **R)
    assert verdict.status == "inconclusive", str(verdict)
    assert "more samples" in verdict.reason
    assert check_mean(x, 20.0 * np.eye(2), mean=[0, 0], **R).status == "inconclusive"
    assert check_mean(x, 2.0 * np.eye(2), mean=[0, 0], **R).status == "refuted"
