"""The pieces of the permutation experiment by second routes: whole rows, brute force."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from mehler.proofs_checks.group_invariant.permutations import _task as exact
from mehler.proofs_checks.group_invariant.permutations import curves
from mehler.proofs_checks.group_invariant.permutations._task import (
    PAPER,
    SMALL,
    Task,
    bag_of_words,
    draw_map,
    grams,
    haar,
    haar_distance,
)

from mehler import learn
from mehler.features import groups


@pytest.fixture
def task():
    return Task(SMALL, (1, 4))


def test_labels_by_reading_the_sequences(task):
    grid, orbit = SMALL.everything
    expected = [1.0 if 1 in row and 4 in row else -1.0 for row in grid.tolist()]
    assert task.labels[orbit].tolist() == expected
    split = task.split(np.random.default_rng(0), 70)
    both = np.concatenate([split.train, split.test])
    assert np.array_equal(np.sort(both), np.arange(6**4))
    assert np.array(expected)[split.train].tolist() == [1.0] * 70 + [-1.0] * 70
    assert task.counted(split.train).sum() == 140


def test_numbers_of_the_paper():
    task = Task(PAPER, (0, 7))
    positive = task.labels > 0
    assert PAPER.sizes[positive].sum() == 6930
    assert (len(positive), positive.sum()) == (792, 120)


def test_haar_distance_by_enumeration():
    rows = SMALL.one_hot(SMALL.representatives)
    expected = groups.mean_distance(SMALL.group, rows)
    np.testing.assert_allclose(haar_distance(SMALL), expected, atol=1e-11)
    some = slice(0, 792, 60)
    rows = PAPER.one_hot(PAPER.representatives[some])
    expected = groups.mean_distance(PAPER.group, rows)
    np.testing.assert_allclose(haar_distance(PAPER)[some, some], expected, atol=1e-10)


def test_orbits_with_multiplicities_are_the_whole_rows(task):
    """Least squares on 200 sequences by `learn.ridge`, at the ridge that each route chooses."""
    split = task.split(np.random.default_rng(1), 100)
    phi = draw_map(SMALL, 6, 3, seed=0)
    grid, orbit = SMALL.everything
    z = phi(SMALL.one_hot(grid[split.train]))
    trace = ((z - z.mean(axis=0)) ** 2).sum()
    fit = learn.ridge(
        phi,
        SMALL.one_hot(grid[split.train]),
        task.labels[orbit[split.train]],
        lambdas=curves.SHARES * trace / len(z),
    )
    ((_, gram),) = grams(SMALL, (6,), 3, 0)
    values = curves.learned(gram, task.labels, task.counted(split.train))
    expected = fit.predict(SMALL.one_hot(SMALL.representatives))
    np.testing.assert_allclose(values, expected, atol=1e-8)
    counted = task.counted(split.test)
    right = (fit.predict(SMALL.one_hot(grid[split.test])) >= 0) == (
        task.labels[orbit[split.test]] > 0
    )
    assert curves.accuracy(values, task.labels, counted) == pytest.approx(right.mean())
    assert curves.of_gram(gram, task, split) == pytest.approx(right.mean())


def test_first_templates_are_a_map_of_fewer():
    several = dict(grams(SMALL, (2, 5), 3, 4))
    for m, gram in several.items():
        z = draw_map(SMALL, m, 3, 4)(SMALL.one_hot(SMALL.representatives))
        np.testing.assert_allclose(gram, z @ z.T, atol=1e-12)


def test_sampled_permutations_that_are_all_of_them(task):
    split = task.split(np.random.default_rng(2), 60)
    ((_, gram),) = grams(SMALL, (5,), 4, 3)
    whole = draw_map(SMALL, 5, 4, 3, n_elements=24)
    values = curves.of_map(whole, task, split)
    assert abs(values - curves.of_gram(gram, task, split)) < 0.03  # two grids of ridges
    few = curves.of_map(whole, task, split, n_test=200)
    assert abs(few - values) < 0.1


def test_neighbours_by_looking_at_all_rows(task):
    split = task.split(np.random.default_rng(3), 20)
    orbit = SMALL.everything[1]
    counts = SMALL.counts[orbit].astype(float)
    labels = task.labels[orbit]
    shares, given = [], []
    for row in split.test:
        square = ((counts[split.train] - counts[row]) ** 2).sum(axis=1)
        near = split.train[square == square.min()]
        shares.append(np.mean(labels[near] == labels[row]))
        given.append(labels[near].max() == labels[row])
    train, test = (task.counted(rows) for rows in (split.train, split.test))
    found = curves.by_neighbour(bag_of_words(SMALL), task.labels, train, test)
    assert found == pytest.approx(np.mean(shares))
    found = curves.by_neighbour(bag_of_words(SMALL), task.labels, train, test, ties=1.0)
    assert found == pytest.approx(np.mean(given))


def test_neighbours_at_equal_distance_are_not_told_apart_by_rounding(task):
    split = task.split(np.random.default_rng(3), 20)
    train, test = (task.counted(rows) for rows in (split.train, split.test))
    kernel = haar(SMALL)
    noise = 1e-12 * np.random.default_rng(0).standard_normal(kernel.shape)
    found = [
        curves.by_neighbour(gram, task.labels, train, test)
        for gram in (kernel, kernel + noise + noise.T)
    ]
    assert found[0] == found[1]


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


def test_least_eigenvalue():
    rng = np.random.default_rng(0)
    a = rng.standard_normal((6, 6))
    gram = a @ a.T
    basis = np.linalg.qr(np.column_stack([np.ones(6), rng.standard_normal((6, 5))]))[0][:, 1:]
    expected = np.linalg.eigvalsh(basis.T @ gram @ basis)[0]
    assert exact.least_eigenvalue(gram) == pytest.approx(expected)
    assert exact.least_eigenvalue(haar(SMALL)) > 1e-3


def test_every_curve_has_a_value_for_every_draw():
    sizes = (5, 20)
    found = curves.over_training(SMALL, range(2), sizes, (3, 6), 4)
    assert list(found) == ["bag of words", "CDF(4,3)", "CDF(4,6)", "Haar kernel", "raw"]
    nearest = curves.over_neighbours(SMALL, range(2), sizes, (3,), 4)
    ties = ["bag of words, ties +1", "bag of words, ties -1"]
    assert list(nearest) == ["bag of words", "CDF(4,3)", "Haar kernel", *ties]
    for rows in (*found.values(), *nearest.values()):
        assert rows.shape == (2, 2)
        assert ((rows > 0.2) & (rows <= 1)).all()
    by_templates = curves.over_templates(SMALL, range(2), 40, (1, 4), (2, 6))
    assert {n: rows.shape for n, rows in by_templates.items()} == {2: (2, 2), 6: (2, 2)}
    elements = curves.over_elements(SMALL, range(2), 20, (1, 24), (2, 3), replacement=True)
    assert elements.shape == (2, 2)
