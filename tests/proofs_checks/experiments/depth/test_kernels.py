"""The experiment on depth: its cells, its split, and what the page may say."""

import numpy as np
import pytest
from mehler.proofs_checks.experiments._rows import Problem
from mehler.proofs_checks.experiments.depth import kernels as machines

X = np.random.default_rng(0).standard_normal((12, 5))


def test_kernels_of_the_same_rows_by_halves_are_the_same():
    kernel = machines.of_network(machines.deep(4, 2), "ntk")
    assert kernel(X, X) == pytest.approx(kernel(X, X.copy()), rel=1e-12)


def test_parts_are_disjoint_and_scaled_by_the_first():
    rows = np.arange(300.0).reshape(100, 3)
    problem = Problem(rows, rows[:, :1], classes=False)
    (X, learnt), (_, targets) = machines.split(problem, 60, 40, 3)
    assert np.allclose(X.mean(axis=0), 0)
    assert np.allclose(X.std(axis=0), 1)
    assert len(np.unique(np.concatenate([learnt, targets]))) == 100
    # The mean of the tested part explains nothing of it.
    mean = np.full_like(targets, targets.mean())
    assert machines.error(mean, targets, classes=False) == pytest.approx(100)
