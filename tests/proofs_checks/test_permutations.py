"""The pieces of the permutation experiment by second routes: whole rows, brute force."""

import itertools

import numpy as np
import pytest
from mehler.proofs_checks.group_invariant.permutations import _task as exact
from mehler.proofs_checks.group_invariant.permutations import curves
from mehler.proofs_checks.group_invariant.permutations._task import (
    PAPER,
    SMALL,
    Task,
    draw_map,
    grams,
)

from mehler import learn


@pytest.fixture
def task():
    return Task(SMALL, (1, 4))


def test_orbits_with_multiplicities_are_the_whole_rows(task):
    """Least squares on 200 sequences by `learn.ridge`, at the ridge that each route chooses."""
    parts = task.split(np.random.default_rng(1), 100)
    phi = draw_map(SMALL, 6, 3, seed=0)
    grid, orbit = SMALL.everything
    rows, labels = SMALL.one_hot(grid[parts.train]), task.labels[orbit[parts.train]]
    z = phi(rows)
    trace = ((z - z.mean(axis=0)) ** 2).sum()
    fit = learn.ridge(phi, rows, labels, lambdas=curves.SHARES * trace / len(z))
    ((_, gram),) = grams(SMALL, (6,), 3, 0)
    values = curves.ridge_values(gram, task.labels, task.counted(parts.train))
    expected = fit.predict(SMALL.one_hot(SMALL.representatives))
    np.testing.assert_allclose(values, expected, atol=1e-8)
    counted = task.counted(parts.test)
    positive = fit.predict(SMALL.one_hot(grid[parts.test])) >= 0
    right = positive == (task.labels[orbit[parts.test]] > 0)
    assert curves.accuracy(values, task.labels, counted) == pytest.approx(right.mean())
    assert curves.of_gram(gram, task, parts) == pytest.approx(right.mean())


def test_rules_of_counts_by_brute_force():
    """Thousands of rules, none above the enumerated best; its own rule attains it."""
    weights = exact.expected_test(SMALL, 100)
    points = np.array(list(weights), dtype=float)
    labels = np.array([label for label, _ in weights.values()])
    share = np.array([float(n) for _, n in weights.values()])
    best = 0.0
    levels = np.linspace(-1, 1, 21)
    for u, v, w in itertools.product(levels, levels, np.linspace(-4, 4, 33)):
        right = (points @ [u, v] > w) == (labels > 0)
        best = max(best, share[right].sum() / share.sum())
    assert best == pytest.approx(float(exact.best_of_counts(SMALL, 100)))
    assert exact.best_of_counts(SMALL, 100) == 1 - exact.alone(SMALL, 100)
    assert exact.by_least_squares(PAPER, 2000) == 1 - 2 * exact.alone(PAPER, 2000)
    # By reading all sequences: one target alone, twice or more.
    grid = SMALL.everything[0]
    number = sum(row.count(0) >= 2 and 1 not in row for row in grid.tolist())
    total, negative = 6**4, 2 * 5**4 - 4**4
    expected = number / negative * (negative - 100) / (total - 200)
    assert float(exact.alone(SMALL, 100)) == pytest.approx(expected)
