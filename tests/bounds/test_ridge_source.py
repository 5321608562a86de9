"""Source conditions: the proof's inequalities in exact worlds, and its numbers by another route."""

import itertools
import math

import numpy as np
import pytest

from mehler.bounds import ridge
from mehler.bounds._spectra import size_of, tail
from mehler.bounds.ridge import largest, second_moment

SMOOTH = (0.1, 0.3, 0.5, 0.6, 0.75, 1.0)
DECAY = 24 * 0.7 ** np.arange(60)


def shape(t, r):
    """h over R^2 lambda^(2r), by the two cases of the theorem."""
    return np.where(t <= r, largest(r) / (1 - t) ** 2, (t / (1 - t)) ** (2 * r))


@pytest.mark.parametrize("r", SMOOTH)
def test_largest_is_a_supremum(r):
    x = np.geomspace(1e-9, 1e9, 200_001)
    assert np.max(x ** (2 * r) / (1 + x) ** 2) == pytest.approx(largest(r), rel=1e-6)


@pytest.mark.parametrize("r", [0.1, 0.3, 0.5])
def test_shape_is_a_supremum(r):
    x = np.concatenate([[0.0], np.geomspace(1e-9, 1e9, 200_001)])
    for t in (0.01, 0.2, 0.45, 0.7, 0.99):
        sample = np.max((x + t) ** (2 * r) / (1 + x) ** 2) / (1 - t) ** (2 * r)
        assert sample == pytest.approx(float(shape(t, r)), rel=1e-6)


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.sampled(16)
def test_every_step_of_the_proof_in_enumerated_worlds(seed):
    """All draws of a feature with few values; chances of spectral errors are the true ones."""
    rng = np.random.default_rng(seed)
    n, k, m = (int(rng.integers(*ends)) for ends in ((1, 4), (2, 5), (1, 6)))
    atoms = rng.standard_normal((k, n)) * np.exp(2 * rng.standard_normal((k, 1)))
    law = rng.dirichlet(np.full(k, 0.5))
    K = np.einsum("k,ki,kj->ij", law, atoms, atoms)
    mu, U = np.linalg.eigh(K)
    mu = np.maximum(mu, 0.0)
    shift = mu[-1] * 10 ** rng.uniform(-3, 1)
    lam, root = shift / n, (U / np.sqrt(mu + shift)) @ U.T
    leverage = max(float(a @ root @ root @ a) for a in atoms)
    sup = float(np.abs(atoms).max())
    tuples = list(itertools.combinations_with_replacement(range(k), m))
    counts = np.array([np.bincount(entry, minlength=k) for entry in tuples])
    chances = np.array(
        [math.factorial(m) * np.prod(law**c / [math.factorial(i) for i in c]) for c in counts]
    )
    assert chances.sum() == pytest.approx(1)
    grams = np.einsum("jk,ki,kl->jil", counts / m, atoms, atoms)
    below = np.maximum(0, np.linalg.eigvalsh(root @ (K - grams) @ root)[:, -1])
    away = shift * np.linalg.inv(grams + shift * np.eye(n))
    setting = size_of(mu[::-1], ridge=shift, sup=sup, leverage=leverage, lipschitz=None)
    for r in SMOOTH:
        g = U @ rng.standard_normal(n)
        target = U @ ((mu / n) ** r * (U.T @ g)) * math.sqrt(n) / np.linalg.norm(g)
        bias = np.mean((away @ target) ** 2, axis=1)
        cap, low = (mu[-1] / n) ** (2 * r), min(r, 0.5)
        ball = (mu[-1] / n) ** (2 * (r - low)) * lam ** (2 * low)
        worst = np.minimum(ball * shape(np.minimum(below, 1 - 1e-15), low), cap)
        assert np.all(bias <= worst * (1 + 1e-8))
        exact, size = largest(r) * lam ** (2 * r), lam ** (2 * r)
        spread = size * second_moment(setting, mu[::-1], lam, r, sup) / m
        error = 2 * math.sqrt(second_moment(setting, mu[::-1], lam, 0.0, sup) / m)
        for tau in below:
            good = below <= tau * (1 + 1e-12)
            lost = max(0.0, float(chances[~good].sum()))
            cross = math.sqrt(exact * spread) * (error / (1 - tau) + 2 * math.sqrt(lost))
            assert chances[good] @ bias[good] <= exact + spread / (1 - tau) + cross
        bound = ridge.excess_risk(
            m, ridge=lam, norm=1.0, noise=0.0, eigenvalues=mu, leverage=leverage, smoothness=r
        )
        assert chances @ bias <= bound.value * (1 + 1e-9)


@pytest.mark.parametrize("r", SMOOTH)
@pytest.mark.parametrize("m", [30, 3000, 300_000])
@pytest.mark.sampled(6)
def test_price_of_features_by_another_route(r, m):
    """A loop over tau in units of K, with integrals of the same tail; steps are above, and near."""
    n, lam, sup = 60, 0.05, 1.0
    shift, d = n * lam, sum(mu / (mu + n * lam) for mu in DECAY)
    beta = DECAY / (DECAY + shift)
    below = tail(size_of(DECAY, ridge=shift, sup=sup), m, -1)
    t = np.concatenate([np.linspace(1e-9, 0.9, 3000), np.linspace(0.9, beta[0], 3001)[1:]])
    chance = np.exp(np.minimum(0.0, below.log_probability(t)))
    cap, low = (DECAY[0] / n) ** (2 * r), min(r, 0.5)
    h = np.minimum((DECAY[0] / n) ** (2 * (r - low)) * lam ** (2 * low) * shape(t, low), cap)
    middles = np.diff(h) * (chance[1:] + chance[:-1]) / 2
    beyond = h * chance + np.append(np.cumsum(middles[::-1])[::-1], 0.0)
    x = np.append(np.geomspace(1e-6, DECAY[0] / shift, 10**5), DECAY[0] / shift)
    exact = np.max((lam * x) ** (2 * r) / (1 + x) ** 2)
    weights = DECAY ** (2 * r) / (DECAY + shift) ** 2 * shift / n ** (2 * r)
    levels = [
        (n * sup**2 * d) ** (1 - share) * (n * sup**2 / shift * DECAY) ** share
        for share in np.linspace(0, 1, 21)
    ]
    spread = min(float(np.max(weights * q)) for q in levels) / m
    error = 2 * math.sqrt(shift * min(np.max(q / (DECAY + shift) ** 2) for q in levels) / m)
    chance[-1], beyond[-1] = 0.0, 0.0
    root = math.sqrt(exact * spread)
    entry = spread / (1 - t) + root * (error / (1 - t) + 2 * np.sqrt(chance)) + beyond
    expected = min(float(np.min(entry)), h[0] - exact + float(middles.sum()))
    arguments = {"ridge": lam, "norm": 1.0, "noise": 0.0, "eigenvalues": DECAY, "sup": sup}
    result = ridge.excess_risk(m, smoothness=r, **arguments)
    assert result["bias"] == pytest.approx(exact, rel=1e-6)
    assert expected * 0.999 <= result["features"] <= 1.1 * expected


@pytest.mark.parametrize("ratio", [0.01, 1.0, 100.0])
def test_second_moment_of_normal_features_is_known(ratio):
    """E[s phi phi'] of phi = X w is d K + 2 K A^(-1) K, by Wick's formula."""
    mu = ratio * 0.5 ** np.arange(20)
    d = np.sum(mu / (mu + 1.0))
    setting = size_of(mu, ridge=1.0, sup=None, leverage=None, lipschitz=math.sqrt(mu[0]))
    for r in (0.0, *SMOOTH):
        exact = np.max(mu ** (2 * r) / (1 + mu) ** 2 * (d * mu + 2 * mu**2 / (1 + mu)))
        assert second_moment(setting, mu, 1.0 / 20, r, None) >= exact


def test_second_moment_of_a_shifted_normal_variable_is_all_but_reached():
    """A feature l (a + g) of one row has E[s G] = l^4 E (a + g)^4, a^4 + 6 a^2 + 3 in those units.

    The bound is (a^2 + 1 + 2)^2: each of its factors is a second moment and 2, not less.
    """
    a, lipschitz = 10.0, 0.3
    mu = np.array([lipschitz**2 * (a**2 + 1)])
    for ridge_of_row in (0.01, 1.0, 1e6):
        setting = size_of(mu, ridge=ridge_of_row, sup=None, leverage=None, lipschitz=lipschitz)
        moment = lipschitz**4 * (a**4 + 6 * a**2 + 3) / (mu[0] + ridge_of_row)
        for r in (0.0, *SMOOTH):
            x = mu[0] / ridge_of_row
            exact = x ** (2 * r) * moment / ridge_of_row / (1 + x) ** 2
            result = second_moment(setting, mu, ridge_of_row, r, None)
            assert exact <= result * (1 + 1e-12)
            if ridge_of_row == 1e6:
                assert result <= exact * 1.001
