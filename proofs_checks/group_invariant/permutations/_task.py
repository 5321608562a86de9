"""The artificial task of Mroueh, Voinea and Poggio (2015): do two tokens occur in a sequence?

Its data and labels; its features CDF(n, m), which do not depend on the order of tokens, and their
limit, the Haar kernel; and exact accuracies of rules that only count tokens.
"""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from typing import Any, Self

import numpy as np

from mehler import GroupInvariantFeatures

from .._tokens import Tokens

# Sequences of 5 tokens out of 8, as in the paper, and a smaller problem for the quick level.
PAPER = Tokens(5, 8)
SMALL = Tokens(4, 6)


@dataclass(frozen=True)
class Split:
    """Indices of training and of test sequences."""

    train: Any
    test: Any


@dataclass(frozen=True)
class Task:
    """Label +1 if both targets occur; constant on orbits, the rearrangements of a sequence."""

    tokens: Tokens
    targets: tuple[int, int]

    @classmethod
    def draw(cls, tokens: Tokens, rng: np.random.Generator) -> Self:
        first, second = rng.permutation(tokens.alphabet)[:2]
        return cls(tokens, (int(first), int(second)))

    @cached_property
    def labels(self) -> Any:
        """-1 and +1 of each orbit."""
        both = (self.tokens.counts[:, list(self.targets)] > 0).all(axis=1)
        return np.where(both, 1.0, -1.0)

    def split(self, rng: np.random.Generator, per_class: int) -> Split:
        """Draw equally many training sequences of each class; all others are the test set."""
        of_rows = self.labels[self.tokens.everything[1]]
        training, rest = [], []
        for label in (1.0, -1.0):
            shuffled = rng.permutation(np.flatnonzero(of_rows == label))
            training.append(shuffled[:per_class])
            rest.append(shuffled[per_class:])
        return Split(np.concatenate(training), np.concatenate(rest))

    def counted(self, rows: Any) -> Any:
        """Count the sequences in each orbit."""
        return np.bincount(self.tokens.everything[1][rows], minlength=len(self.labels))


@cache
def haar_distance(tokens: Tokens) -> Any:
    r"""Return the mean distance of points of two orbits, for all pairs: (orbits, orbits).

    A permutation makes k of L places agree, at distance sqrt(2 (L - k)). By counts c, c' of tokens
    R(t) = \prod_a \sum_j C(c_a, j) C(c'_a, j) j! t^j = \sum_j r_j t^j, sum_{i >= k} (-1)^{i-k}
    C(i, k) r_i (L - i)! permutations have k; R is computed at L + 1 points, as sums of logarithms.
    """
    size = tokens.length
    points = np.arange(1, size + 2) / size
    coefficients = np.array([_share(size, j) for j in range(size + 1)])
    weights = np.linalg.solve(np.vander(points, increasing=True).T, coefficients)
    counts = tokens.counts
    hot = np.eye(size + 1)[counts].reshape(len(counts), -1)
    mean = np.zeros((len(counts), len(counts)))
    for weight, t in zip(weights, points, strict=True):
        factor = np.log([[_matched(c, d, t) for d in range(size + 1)] for c in range(size + 1)])
        logs = hot @ np.kron(np.eye(tokens.alphabet), factor) @ hot.T
        mean += weight * np.exp(logs)
    return mean


def _matched(c: int, d: int, t: float) -> float:
    return sum(math.comb(c, j) * math.comb(d, j) * math.factorial(j) * t**j for j in range(6))


def _share(size: int, j: int) -> float:
    """Return the factor of r_j in the mean distance."""
    signed = sum(
        (-1) ** (j - k) * math.comb(j, k) * math.sqrt(2.0 * (size - k)) for k in range(j + 1)
    )
    return signed * math.factorial(size - j) / math.factorial(size)


def draw_map(
    tokens: Tokens, n_templates: int, n_bins: int, seed: int, **options: Any
) -> GroupInvariantFeatures:
    """Draw CDF(n, m), the law of <t, g x> over all orders g, 2n + 1 thresholds, for m random t."""
    window = 3.0 * np.sqrt(tokens.length / tokens.n_inputs)
    return GroupInvariantFeatures.draw(
        tokens.n_inputs,
        group=tokens.group,
        n_templates=n_templates,
        n_bins=n_bins,
        rule="paper",
        templates="gaussian",
        window=float(window),
        seed=seed,
        **options,
    )


def grams(
    tokens: Tokens, n_templates: Sequence[int], n_bins: int, seed: int
) -> Iterator[tuple[int, Any]]:
    """Yield m and the orbits' Gram matrix by the first m templates and all permutations."""
    phi = draw_map(tokens, max(n_templates), n_bins, seed)
    rows = phi(tokens.one_hot(tokens.representatives))
    total, done = np.zeros((len(rows), len(rows))), 0
    for m in sorted(n_templates):
        part = rows[:, done * phi.bins.columns : m * phi.bins.columns]
        total, done = total + part @ part.T, m
        yield m, total * (phi.n_units / m)


def bag_of_words(tokens: Tokens) -> Any:
    """Return inner products of the counts of tokens."""
    return (tokens.counts @ tokens.counts.T).astype(float)


def haar(tokens: Tokens) -> Any:
    """Return the kernel of endless templates and bins, up to a constant that centring removes."""
    return -haar_distance(tokens)


def expected_test(tokens: Tokens, per_class: int) -> dict[tuple[int, int], tuple[int, Fraction]]:
    """Return label and expected number of test sequences by the counts (i, j) of both targets."""
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
    weights = expected_test(tokens, per_class)
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
    """Return the fraction of the expected test in which one target alone occurs twice or more.

    (k - 1)^L - (k - 2)^L - L (k - 2)^(L - 1) sequences have it.
    """
    k, size = tokens.alphabet, tokens.length
    number = (k - 1) ** size - (k - 2) ** size - size * (k - 2) ** (size - 1)
    negative = 2 * (k - 1) ** size - (k - 2) ** size
    return Fraction(number, negative) * Fraction(negative - per_class, k**size - 2 * per_class)


def by_least_squares(tokens: Tokens, per_class: int) -> Fraction:
    """Return the accuracy of least squares on counts, at equal class weights."""
    weights = expected_test(tokens, per_class)
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
    """Return the largest difference of least-squares values from one-hot rows and from counts."""
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
