"""Alignment in the dual of an SVM: the value of the game, by the primal problem and by bounds."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from mehler.proofs_checks.experiments.leverage import rivals
from scipy.optimize import minimize

import mehler

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


def test_more_rounds_close_the_gap() -> None:
    gaps = [high - low for _, low, high in (played(0, rounds) for rounds in (30, 3000))]
    # A hundred times the rounds: a tenth by the bound on the regret, up to a factor.
    assert 0 <= gaps[1] < gaps[0] / 3


def test_several_columns_share_the_weights() -> None:
    # The same targets twice double the dual: two problems with one q, the same as one's.
    atoms, signs = problem()
    q, low, high = played(0, 500)
    both = play(atoms, np.arange(G), np.repeat(signs, 2, axis=1), COST, 500)
    assert both[1] == pytest.approx(2 * low, rel=0.02)
    assert both[2] == pytest.approx(2 * high, rel=0.02)
    np.testing.assert_allclose(both[0], q, atol=0.05)


def test_a_group_is_seen_as_a_whole() -> None:
    # A rotation within a group changes no kernel of it, so no round.
    atoms, signs = problem()
    labels = np.arange(G) // 2
    angle = np.pi / 5
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    turned = (atoms.reshape(N, -1, 2) @ turn).reshape(N, G)
    first, second = (play(each, labels, signs, COST, 200) for each in (atoms, turned))
    np.testing.assert_array_equal(first[0], second[0])
    assert first[1:] == pytest.approx(second[1:])


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


@pytest.mark.parametrize("form", ["offset", "pairs"])
def test_at_no_cost_it_is_the_one_feature_of_largest_correlation(form: str) -> None:
    # All alpha stay at C/N, so that the alignment is that with the targets: EERF's first.
    x, y = data()
    pool = mehler.FourierFeatures.draw(3, 60, seed=0, form=form)
    one = 2 if form == "pairs" else 1
    kept = rivals.NotSoRandom(pool, 10, y=y, cost=1e-6).fit(x)
    assert kept.columns == rivals.EERF(pool, one, y=y).fit(x).columns


def test_targets_are_signs_whatever_their_two_values() -> None:
    x, y = data()
    pool = mehler.FourierFeatures.draw(3, 60, seed=0)

    def kept(targets):
        return rivals.NotSoRandom(pool, 10, y=targets, cost=50.0, n_rounds=100).fit(x)

    by_signs = kept(y)
    assert 1 < by_signs.n_features <= 10
    assert not by_signs.unbiased
    for targets in (y > 0, 3.0 * y + 7.0):
        other = kept(targets)
        assert (other.columns, other.gains) == (by_signs.columns, by_signs.gains)


def test_kept_features_are_weighted_by_their_share_of_the_rounds() -> None:
    x, y = data()
    pool = mehler.FourierFeatures.draw(3, 60, seed=0, form="offset")
    psi = rivals.NotSoRandom(pool, 5, y=y, cost=50.0, n_rounds=100).fit(x)
    atoms = np.asarray(pool(x), dtype=float) * 60**0.5
    q, _, _ = play(atoms, np.arange(60), y[:, None], 50.0, 100)
    kept = np.sort(np.argsort(-q, kind="stable")[:5])
    assert list(psi.columns) == kept.tolist()
    # A feature of the pool has the share 1/60 of its kernel.
    np.testing.assert_allclose(psi.gains, np.sqrt(60 * q[kept] / q[kept].sum()))


@pytest.mark.parametrize("y", [lambda x: x[:, 0], lambda x: 0 * x[:, 0]])
def test_targets_have_two_values(y) -> None:
    x, _ = data()
    pool = mehler.FourierFeatures.draw(3, 20, seed=0)
    with pytest.raises(ValueError, match="two values a column"):
        rivals.NotSoRandom(pool, 4, y=y(x), cost=1.0).fit(x)
