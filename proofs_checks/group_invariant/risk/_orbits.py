"""A finite world of orbits: ridge regression in fractions, all designs, all values of the noise."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

Matrix = list[list[Fraction]]


class Orbits:
    """Points that permutations move, and an invariant kernel on them, in fractions.

    Parameters
    ----------
    n : int
        Order of the cyclic group.
    blocks : mapping
        (a, b) -> the kernel at shifts 0, ..., n - 1 of orbit b against orbit a, a <= b.
    fixed : bool
        Whether the last orbit is one point, which all elements leave alone.
    """

    def __init__(self, n: int, blocks: dict[tuple[int, int], Sequence[Any]], *, fixed: bool):
        n_orbits = 1 + max(b for _, b in blocks)
        self.n = n
        self.points = [
            (a, s) for a in range(n_orbits) for s in range(1 if fixed and a == n_orbits - 1 else n)
        ]
        self.lone = n_orbits - 1 if fixed else None

        def value(p: tuple[int, int], q: tuple[int, int]) -> Fraction:
            if p[0] > q[0]:
                p, q = q, p
            return Fraction(blocks[p[0], q[0]][(q[1] - p[1]) % n])

        self.kernel = [[value(p, q) for q in self.points] for p in self.points]

    def moved(self, g: int, point: int) -> int:
        """Return the point that element g makes of another."""
        orbit, s = self.points[point]
        return point if orbit == self.lone else self.points.index((orbit, (s + g) % self.n))

    def grams(self, rows: Sequence[int]) -> list[Matrix]:
        """Return K(x_i, g x_j) for all elements."""
        return [
            [[self.kernel[i][self.moved(g, j)] for j in rows] for i in rows] for g in range(self.n)
        ]

    def predictions(
        self, rows: Sequence[int], targets: Sequence[Fraction], ridge: Fraction, average: str
    ) -> list[Fraction]:
        """Return the predictor at all points, by its definition.

        "before" fits all elements' images of the rows, and knows no average kernel.
        """
        if average == "before":
            images = [self.moved(g, i) for g in range(self.n) for i in rows]
            return self.predictions(images, list(targets) * self.n, ridge, "none")
        shift = ridge * len(rows)
        system = [
            [self.kernel[i][j] + (shift if a == b else 0) for b, j in enumerate(rows)]
            for a, i in enumerate(rows)
        ]
        weights = solve(system, targets)
        found = [
            sum((w * self.kernel[i][p] for w, i in zip(weights, rows, strict=True)), Fraction(0))
            for p in range(len(self.points))
        ]
        if average == "none":
            return found
        return [
            sum((found[self.moved(g, p)] for g in range(self.n)), Fraction(0)) / self.n
            for p in range(len(self.points))
        ]

    def risk(
        self,
        rows: Sequence[int],
        values: Sequence[Fraction],
        ridge: Fraction,
        average: str,
        tests: Sequence[int],
    ) -> tuple[Fraction, Fraction]:
        """Return bias and variance for noise of variance 1, at points that count alike.

        Predictions are linear in the targets, so the noise of each row adds by itself.
        """
        target = [values[i] for i in rows]
        mean = self.predictions(rows, target, ridge, average)
        bias = sum(((mean[p] - values[p]) ** 2 for p in tests), Fraction(0))
        spent = Fraction(0)
        for one in range(len(rows)):
            noise = [Fraction(int(k == one)) for k in range(len(rows))]
            found = self.predictions(rows, noise, ridge, average)
            spent += sum((found[p] ** 2 for p in tests), Fraction(0))
        return bias / len(tests), spent / len(tests)

    def designs(self, size: int) -> Iterator[tuple[int, ...]]:
        """Return all sequences of points."""
        return itertools.product(range(len(self.points)), repeat=size)


def solve(matrix: Matrix, right: Sequence[Fraction]) -> list[Fraction]:
    """Solve a positive definite system by elimination, in fractions."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for k, pivot in enumerate(rows):
        for row in rows[k + 1 :]:
            factor = row[k] / pivot[k]
            for j in range(k, len(row)):
                row[j] -= factor * pivot[j]
    found: list[Fraction] = []
    for k in reversed(range(len(rows))):
        known = sum(
            (a * x for a, x in zip(rows[k][k + 1 : -1], reversed(found), strict=True)), Fraction(0)
        )
        found.append((rows[k][-1] - known) / rows[k][k])
    return found[::-1]


_HALF, _QUARTER, _EIGHTH = Fraction(1, 2), Fraction(1, 4), Fraction(1, 8)
# Diagonally dominant, so positive definite: two orbits of three points, and one fixed point.
THREE = Orbits(
    3,
    {
        (0, 0): (2, _HALF, _HALF),
        (1, 1): (3, 1, 1),
        (0, 1): (_HALF, 0, _QUARTER),
        (0, 2): (_EIGHTH,) * 3,
        (1, 2): (_EIGHTH,) * 3,
        (2, 2): (1, 1, 1),
    },
    fixed=True,
)
VALUES = [Fraction(v) for v in (1, 1, 1, -2, -2, -2, 3)]
# One orbit of four points with a constant diagonal.
FOUR = Orbits(4, {(0, 0): (1, _QUARTER, _EIGHTH, _QUARTER)}, fixed=False)
# One orbit of four orthogonal points.
APART = Orbits(4, {(0, 0): (1, 0, 0, 0)}, fixed=False)
