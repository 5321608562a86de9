"""The nearest combination of features: the steps of the proof, and the bound by another route."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate, optimize

from mehler import exact
from mehler.bounds import spectral

MU = np.array([8.0, 3.0, 1.0, 0.2, 0.01, 0.0])


@pytest.mark.parametrize("shift", [0.01, 1.0, 30.0])
def test_what_is_missed_by_the_spectral_error(shift):
    """(1 - P) K (1 - P) is at most t shift/(1 - t) in every draw."""
    rng = np.random.default_rng(0)
    turn = np.linalg.qr(rng.standard_normal((6, 6)))[0]
    K, A = (turn * MU) @ turn.T, (turn * (MU + shift)) @ turn.T
    root = (turn / np.sqrt(MU + shift)) @ turn.T
    for m in (1, 2, 4, 9):
        Z = (turn * np.sqrt(MU)) @ rng.standard_normal((6, m)) / math.sqrt(m)
        basis = np.linalg.svd(Z)[0][:, : min(m, 5)]
        lost = np.eye(6) - basis @ basis.T
        t = max(0.0, np.linalg.eigvalsh(root @ (K - Z @ Z.T) @ root)[-1])
        assert t < 1
        missed = np.linalg.eigvalsh(lost @ K @ lost)[-1]
        assert missed <= t * shift / (1 - t) + 1e-9
        assert np.linalg.eigvalsh(A)[0] > 0


def test_moments_of_linear_units():
    """E[tr(H) H] is d B + 2 B^2, for Gaussian features: below 3 d B."""
    beta = MU / (MU + 0.5)
    g = np.random.default_rng(1).standard_normal((400_000, 6)) * np.sqrt(beta)
    s = (g**2).sum(axis=1)
    drawn = (s[:, None] * g**2).mean(axis=0)
    exact = beta.sum() * beta + 2 * beta**2
    error = (s[:, None] * g**2).std(axis=0) / math.sqrt(len(g))
    assert np.all(abs(drawn - exact) <= 5 * error + 1e-15)
    assert np.all(exact <= 3 * beta.sum() * beta + 1e-15)


@pytest.mark.parametrize("m", [200, 2000])
def test_bound_by_another_quadrature(m):
    """The best theta by a search, the integral by nodes; steps are 12 per cent wide."""
    ridge, kurtosis = 0.05, 3.0
    shift = 6 * ridge
    beta = MU / (MU + shift)
    spread = kurtosis * beta.sum()

    def chance(t):
        def value(log_theta):
            theta = math.exp(log_theta)
            rise = theta**2 * spread / (2 * m)
            tilt = theta * t
            top = np.logaddexp.reduce(
                rise * beta[beta > 0] + np.log(-np.expm1(-rise * beta[beta > 0]))
            )
            return top - (tilt + math.log(-math.expm1(-tilt) - tilt * math.exp(-tilt)))

        ends = (math.log(1e-2), math.log(1e3 * m))
        best = min(
            optimize.minimize_scalar(value, bounds=part, method="bounded").fun
            for part in ((ends[0], 3.0), (3.0, 7.0), (7.0, ends[1]))
        )
        return math.exp(min(0.0, best))

    most = MU[0] / 6 / ridge
    end = most / (1 + most)
    result = integrate.quad(
        lambda t: chance(t) / (1 - t) ** 2, 1e-9, min(end, beta[0]), limit=300, epsrel=1e-5
    )[0]
    value = spectral.approximation(
        m, norm=2.0, eigenvalues=MU, kurtosis=kurtosis, ridge=ridge
    ).total
    assert 4 * ridge * result * (1 - 1e-3) <= value <= 4 * ridge * result * 1.12
    assert (
        spectral.approximation(m, norm=2.0, eigenvalues=MU, kurtosis=kurtosis).total <= value * 1.05
    )


def test_more_features_and_less_are_told():
    setting = {"norm": 1.0, "eigenvalues": MU}
    values = [spectral.approximation(m, sup=2.0, **setting).value for m in (10, 1000, 10**5)]
    assert values[0] > values[1] > values[2] > 0
    both = spectral.approximation(1000, sup=2.0, kurtosis=2.0, **setting)
    assert both.value <= values[1]
    assert len(both.assumptions) > len(
        spectral.approximation(9, kurtosis=2.0, **setting).assumptions
    )
    assert spectral.approximation(1, kurtosis=3.0, **setting).vacuous
    assert spectral.approximation(1, kurtosis=1e300, **setting).vacuous


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kurtosis": None}, "give kurtosis"),
        ({"kurtosis": 0.5}, "kurtosis"),
        ({"norm": 0.0}, "norm"),
        ({"ridge": -1.0}, "ridge"),
        ({"ridge": 1e-300}, "ridge"),
        ({"norm": 1e300}, "norm"),
        ({"sup": 1e300}, "sup"),
        ({"sup": 1e-300}, "sup"),
        ({"leverage": 3.0}, "ridge"),
        ({"block": 3}, "block"),
        ({"eigenvalues": None}, "eigenvalues"),
    ],
)
def test_names_what_it_refuses(change, message):
    setting = {"norm": 1.0, "eigenvalues": MU, "kurtosis": 3.0, **change}
    with pytest.raises(ValueError, match=message):
        spectral.approximation(10, **setting)


@pytest.mark.parametrize("q", [2, 3, 8])
@pytest.mark.parametrize("angle", [0.5, 0.1])
def test_combinations_of_three_near_rows_have_a_large_kurtosis(q, angle):
    """By draws: the combination is 0 where one weight is largest at all three rows."""
    w = np.random.default_rng(0).standard_normal((400_000, q, 2))
    rows = np.array([[np.cos(t), np.sin(t)] for t in (-angle, 0, angle)])
    winners = w @ rows.T
    f = winners.max(axis=1) @ [1, -2 * np.cos(angle), 1]
    same = np.argmax(winners[:, :, 0], axis=1) == np.argmax(winners[:, :, 2], axis=1)
    assert np.abs(f[same]).max() < 1e-12
    chance = 1 - float(exact.collision_probability(np.cos(2 * angle), q))
    assert abs(same.mean() - (1 - chance)) < 6 * np.sqrt(chance / len(f))
    assert np.mean(f**4) / np.mean(f**2) ** 2 > 1 / chance


def test_the_kurtosis_of_pools_of_two_in_closed_form():
    """Four pieces of sin on the circle, by a fine sum over angles and the law of the length."""
    for angle in (0.7, 0.1, 0.01):
        turns = np.linspace(np.pi / 2 - angle, np.pi / 2 + angle, 200_001)
        three = np.abs(np.cos(turns + angle)) + np.abs(np.cos(turns - angle))
        g = three - 2 * np.cos(angle) * np.abs(np.cos(turns))
        share = 2 * 2 * angle / (2 * np.pi)
        result = 2 * share * np.mean(g**4) / (share * np.mean(g**2)) ** 2
        fourth = 3 * angle / 8 - np.sin(2 * angle) / 4 + np.sin(4 * angle) / 32
        second = angle / 2 - np.sin(2 * angle) / 4
        assert result == pytest.approx(np.pi * fourth / second**2, rel=1e-4)
        assert result > 9 * np.pi / (5 * angle) * (1 - angle**2)
