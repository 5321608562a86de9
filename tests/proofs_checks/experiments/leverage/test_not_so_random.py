"""Alignment in the dual of an SVM: the value of the game, by the primal problem and by bounds."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from mehler.proofs_checks.experiments.leverage import rivals
from scipy.optimize import minimize

N, G, COST = 40, 8, 5.0


def problem(seed: int = 0):
    rng = np.random.default_rng(seed)
    atoms = rng.standard_normal((N, G))
    noise = 0.3 * rng.standard_normal((N, 1))
    return atoms, np.where(atoms[:, :1] - 0.5 * atoms[:, 1:2] + noise + 0.2 > 0, 1.0, -1.0)


def primal(atoms, signs, cost):
    """Minimise (sum |w|)^2 / 2 + cost * mean hinge: value and |w|. By parts w = u - v, slack."""
    n, g = atoms.shape

    def value(z):
        return 0.5 * z[: 2 * g].sum() ** 2 + cost / n * z[2 * g + 1 :].sum()

    def slope(z):
        return np.concatenate([np.full(2 * g, z[: 2 * g].sum()), [0.0], np.full(n, cost / n)])

    margins = np.concatenate([signs * atoms, -signs * atoms, signs, np.eye(n)], axis=1)
    found = minimize(
        value,
        np.concatenate([np.full(2 * g, 0.01), [0.0], np.ones(n)]),
        jac=slope,
        method="SLSQP",
        bounds=[(0, None)] * (2 * g) + [(None, None)] + [(0, None)] * n,
        constraints={"type": "ineq", "fun": lambda z: margins @ z - 1, "jac": lambda z: margins},
        options={"maxiter": 500, "ftol": 1e-12},
    )
    assert found.success
    return found.fun, found.x[:g] + found.x[g : 2 * g]


def hinge(values, signs, cost):
    """Mean hinge loss with the best offset: a piecewise linear function, least at a kink."""
    return min(cost * np.maximum(0, 1 - signs * (values + b)).mean() for b in signs - values)


def play(atoms, labels, signs, cost, n_rounds):
    """The weights, and a lower and an upper bound of the value of the game."""
    q, mean = rivals.play(atoms, labels, signs, cost, n_rounds)
    sums = atoms.T @ (mean * signs)
    aligned = np.bincount(labels, (sums**2).sum(axis=1))
    # Any function bounds the value from above: that of q and the mean of alpha, its best multiple.
    values = atoms @ (q[labels][:, None] * sums)
    high = min(
        0.5 * scale**2 * (q @ aligned)
        + sum(hinge(scale * f, s, cost) for f, s in zip(values.T, signs.T, strict=True))
        for scale in np.linspace(0.0, 2.0, 41)
    )
    return q, mean.sum() - 0.5 * aligned.max(), high


@functools.cache
def played(seed: int, rounds: int):
    atoms, signs = problem(seed)
    return play(atoms, np.arange(G), signs, COST, rounds)


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.sampled(1)
def test_the_value_is_that_of_the_primal_problem(seed: int) -> None:
    """Route 1 plays rounds in the dual; route 2 minimises a norm of weights without any q."""
    atoms, signs = problem(seed)
    q, low, high = played(seed, 3000)
    value, weights = primal(atoms, signs, COST)
    # SciPy's own tolerance is 1e-12 in the value; 1e-6 allows for its constraints.
    assert low - 1e-6 <= value <= high + 1e-6
    assert high - low < 0.02 * value
    # The optimal q is proportional to |w|: a gap this small leaves a few hundredths.
    np.testing.assert_allclose(q, weights / weights.sum(), atol=0.05)


@pytest.mark.parametrize("most", [0.1, 1.0])
def test_projections_are_the_nearest_points(most: float) -> None:
    """A point is nearest in a convex set if and only if no direction into the set is nearer."""
    rng = np.random.default_rng(0)
    signs = np.where(rng.random((30, 3)) < 0.4, 1.0, -1.0)
    given = rng.standard_normal((30, 3))
    found = rivals.project(given, signs, most)
    assert found.min() >= 0.0
    assert found.max() <= most
    np.testing.assert_allclose((signs * found).sum(axis=0), 0.0, atol=1e-12)
    for _ in range(50):
        # Points of the set: weights on the rows of a sign that add up to the same on both.
        other = rng.random((30, 3)) * most
        plus, minus = ((other * (signs == one)).sum(axis=0) for one in (1, -1))
        other *= np.where(signs == 1, np.minimum(1, minus / plus), np.minimum(1, plus / minus))
        into = ((given - found) * (other - found)).sum(axis=0)
        assert into.max() <= 1e-9


def data():
    rng = np.random.default_rng(3)
    x = rng.standard_normal((120, 3))
    y = np.where(np.sin(2 * x[:, 0]) + 0.5 * x[:, 1] > 0, 1.0, -1.0)
    # Half of each sign.
    order = np.concatenate([np.flatnonzero(y > 0)[:50], np.flatnonzero(y < 0)[:50]])
    return x[order], y[order]
