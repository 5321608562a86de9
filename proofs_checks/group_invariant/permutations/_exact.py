"""Exact results of the permutation task: counted, enumerated, decomposed."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np

from .._tokens import Tokens
from ._data import Task


def test_weights(tokens: Tokens, per_class: int) -> dict[tuple[int, int], tuple[int, Fraction]]:
    """Return labels and expected numbers of test sequences by the counts (i, j) of both targets."""
    size, others = tokens.length, tokens.alphabet - 2
    number = {
        (i, j): math.comb(size, i) * math.comb(size - i, j) * others ** (size - i - j)
        for i in range(size + 1)
        for j in range(size + 1 - i)
    }
    totals = {label: sum(n for ij, n in number.items() if _label(ij) == label) for label in (-1, 1)}
    return {
        ij: (_label(ij), n * Fraction(totals[_label(ij)] - per_class, totals[_label(ij)]))
        for ij, n in number.items()
    }


def _label(counts: tuple[int, int]) -> int:
    return 1 if min(counts) > 0 else -1


def best_of_counts(tokens: Tokens, per_class: int) -> Fraction:
    """Return the largest accuracy of all sign(u #a + v #b + w) on the expected test, enumerated.

    Between the directions in which two points tie the order of points along (u, v) is fixed, so
    that finitely many directions and thresholds give all dichotomies.
    """
    weights = test_weights(tokens, per_class)
    points = list(weights)
    total = sum((n for _, n in weights.values()), Fraction(0))
    ties = sorted(
        {
            math.atan2(q[0] - p[0], p[1] - q[1]) % math.pi
            for p, q in itertools.combinations(points, 2)
        }
    )
    best = Fraction(0)
    for low, high in itertools.pairwise([*ties, ties[0] + math.pi]):
        if high - low < 1e-9:
            continue
        angle = (low + high) / 2
        order = sorted(points, key=lambda p: p[0] * math.cos(angle) + p[1] * math.sin(angle))
        # All on one side first, then one point after the other changes sides.
        right = sum((n for label, n in weights.values() if label > 0), Fraction(0))
        best = max(best, right, total - right)
        for point in order:
            label, n = weights[point]
            right += n if label < 0 else -n
            best = max(best, right, total - right)
    return best / total


def alone(tokens: Tokens, per_class: int) -> Fraction:
    """Return the share of the expected test in which only one given target occurs twice or more.

    (k - 1)^L - (k - 2)^L - L (k - 2)^(L - 1) sequences have it.
    """
    k, size = tokens.alphabet, tokens.length
    number = (k - 1) ** size - (k - 2) ** size - size * (k - 2) ** (size - 1)
    negative = 2 * (k - 1) ** size - (k - 2) ** size
    return Fraction(number, negative) * Fraction(negative - per_class, k**size - 2 * per_class)


def by_least_squares(tokens: Tokens, per_class: int) -> Fraction:
    """Return the accuracy of least squares on counts, at equal class weights."""
    weights = test_weights(tokens, per_class)
    points = np.array(list(weights))
    labels = np.array([label for label, _ in weights.values()], dtype=float)
    share = np.array([float(n) for _, n in weights.values()])
    for label in (-1.0, 1.0):
        share[labels == label] /= 2.0 * share[labels == label].sum()
    root = np.sqrt(share)[:, None]
    x = np.column_stack([points, np.ones(len(points))])
    slope = np.linalg.lstsq(root * x, root[:, 0] * labels, rcond=None)[0]
    right = (x @ slope >= 0) == (labels > 0)
    numbers = [n for _, n in weights.values()]
    return sum((n for n, good in zip(numbers, right, strict=True) if good), Fraction(0)) / sum(
        numbers
    )


def raw_and_counts(task: Task, labels: Any) -> float:
    """Return the largest difference of least squares on one-hot rows and on counts."""
    grid, orbit = task.tokens.everything
    rows = task.tokens.one_hot(grid)
    values = [_fitted(x, labels) for x in (rows, task.tokens.counts[orbit].astype(float))]
    return float(np.abs(values[0] - values[1]).max())


def _fitted(x: Any, y: Any) -> Any:
    centred = x - x.mean(axis=0)
    slope = np.linalg.pinv(centred.T @ centred, rcond=1e-10, hermitian=True)
    return y.mean() + centred @ (slope @ (centred.T @ y))


def least_eigenvalue(gram: Any) -> float:
    """Return the smallest eigenvalue on vectors that sum to zero."""
    n = len(gram)
    centred = gram - gram.mean(axis=0)
    centred = centred - centred.mean(axis=1)[:, None]
    # Along the vector of ones put something large.
    return float(np.linalg.eigvalsh(centred + np.trace(centred) / n)[0])
