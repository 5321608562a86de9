"""The gain of invariance for ridge regression and least squares, exactly, for finite groups.

The gain is the risk of a predictor less that of its average over the group, for an invariant target
and noise. `average` is "none", "after" (of the predictor) or "before" (of the kernel K). Our
formulas of the risk are compared with other routes: for ridge regression on a few points that a
group permutes, in fractions, over all designs, choices of training rows; for least squares on
Gaussian rows in d dimensions, k of them invariant, by laws of one direction.
"""

import itertools
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from scipy import integrate, stats

from mehler.bounds import Bound, Term
from mehler.statements import Context, Evidence, check

from ..._comparisons import Bounding, Instance, compare_instances, compute

Matrix = list[list[Fraction]]
_RIDGE = Fraction(1, 10)
_ROUNDING, _QUADRATURE = 1e-11, 1e-8  # floats of small systems; integrals of densities


class Orbits:
    """Points that a cyclic group of order n permutes, and an invariant kernel, in fractions.

    `blocks` has by (a, b), a <= b, the kernel at shifts 0, ..., n - 1 of orbit b against orbit a;
    with `fixed` the last orbit is one point, which all elements leave alone.
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

    def move(self, g: int, point: int) -> int:
        """Return the point that element g makes of another."""
        orbit, s = self.points[point]
        return point if orbit == self.lone else self.points.index((orbit, (s + g) % self.n))

    def grams(self, rows: Sequence[int]) -> list[Matrix]:
        """Return K(x_i, g x_j) for all elements."""
        return [
            [[self.kernel[i][self.move(g, j)] for j in rows] for i in rows] for g in range(self.n)
        ]

    def predictions(
        self, rows: Sequence[int], targets: Matrix, ridge: Fraction, average: str
    ) -> list[list[Fraction]]:
        """Return the predictor of each target at all points; "before" fits all images."""
        if average == "before":
            images = [self.move(g, i) for g in range(self.n) for i in rows]
            return self.predictions(images, [[*y] * self.n for y in targets], ridge, "none")
        shift = ridge * len(rows)
        system = [
            [self.kernel[i][j] + (shift if a == b else 0) for b, j in enumerate(rows)]
            for a, i in enumerate(rows)
        ]
        columns = [[self.kernel[i][p] for i in rows] for p in range(len(self.points))]
        values = [[dot(w, column) for column in columns] for w in solve(system, targets)]
        if average == "none":
            return values
        orbits = [[self.move(g, p) for g in range(self.n)] for p in range(len(self.points))]
        return [
            [sum((row[p] for p in orbit), Fraction(0)) / self.n for orbit in orbits]
            for row in values
        ]

    def risk(
        self,
        rows: Sequence[int],
        values: Sequence[Fraction],
        ridge: Fraction,
        average: str,
        tests: Sequence[int],
    ) -> tuple[Fraction, Fraction]:
        """Return bias and variance for noise of variance 1: the noise of each row adds."""
        noise = [[Fraction(int(k == row)) for k in range(len(rows))] for row in range(len(rows))]
        targets = [[values[i] for i in rows], *noise]
        mean, *of_noise = self.predictions(rows, targets, ridge, average)
        bias = sum(((mean[p] - values[p]) ** 2 for p in tests), Fraction(0))
        spent = sum((row[p] ** 2 for row in of_noise for p in tests), Fraction(0))
        return bias / len(tests), spent / len(tests)

    def designs(self, size: int) -> Iterator[tuple[int, ...]]:
        return itertools.product(range(len(self.points)), repeat=size)


def solve(matrix: Matrix, targets: Matrix) -> list[list[Fraction]]:
    """Solve a positive definite system for each target by elimination, in fractions."""
    rows = [[*row, *right] for row, *right in zip(matrix, *targets, strict=True)]
    n = len(rows)
    for k, pivot in enumerate(rows):
        for row in rows[k + 1 :]:
            factor = row[k] / pivot[k]
            for j in range(k, len(row)):
                row[j] -= factor * pivot[j]
    solutions = []
    for t in range(n, len(rows[0])):
        weights: list[Fraction] = []  # of the last point first
        for k in reversed(range(n)):
            rest = dot(rows[k][k + 1 : n], weights[::-1])
            weights.append((rows[k][t] - rest) / rows[k][k])
        solutions.append(weights[::-1])
    return solutions


def dot(a: Sequence[Fraction], b: Sequence[Fraction]) -> Fraction:
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


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
FOUR = Orbits(4, {(0, 0): (1, _QUARTER, _EIGHTH, _QUARTER)}, fixed=False)  # one orbit
APART = Orbits(4, {(0, 0): (1, 0, 0, 0)}, fixed=False)  # one orbit of orthogonal points

# Rows N, dimension d, dimension k of the invariant vectors.
SIZES = ((1, 5, 2), (3, 9, 1), (6, 8, 4), (12, 40, 10), (9, 6, 2), (30, 8, 8), (5, 4, 1))


def missed(n: int, d: int, k: int, average: str) -> float:
    """Return E|w_hat - w|^2 of least squares without noise, for n Gaussian rows and |w| = 1.

    The fraction h of w in the span of n rows has a beta law; across w, in an even direction, its
    projection has the square h - h^2: of d - 1 coordinates k - 1 are invariant.
    """
    if average == "before":
        d = k
    if n >= d:
        return 0.0
    law = stats.beta(n / 2, (d - n) / 2)
    across = (k - 1) / (d - 1) if average == "after" else 1.0

    def squared(h: float) -> float:
        return float(((1 - h) ** 2 + across * (h - h * h)) * law.pdf(h))

    return float(integrate.quad(squared, 0, 1, epsabs=0, epsrel=1e-10, limit=500)[0])


def spent(n: int, d: int, k: int, average: str) -> float:
    """Return E|w_hat - w|^2 for noise alone: an inverse Wishart matrix has 1/chi^2 entries."""
    if average == "before":
        d = k
    few, many = sorted((n, d))
    freedom = many - few + 1
    if freedom <= 2:
        return float("inf")
    law = stats.chi2(freedom)
    mean = integrate.quad(lambda v: law.pdf(v) / v, 0, np.inf, epsabs=0, epsrel=1e-10, limit=500)
    return few * float(mean[0]) * (k / d if average == "after" else 1.0)


def one_row(k: int, average: str) -> tuple[float, float]:
    """Return signal and noise of one row in dimension 4, in fractions.

    The 24 vertices of the 24-cell have the moments of an even direction up to the fifth; the mean
    of 1/|x|^2 is 1/2. The first k coordinates are invariant; w is the first.
    """
    axes = [
        tuple(Fraction(s if i == j else 0) for j in range(4)) for i in range(4) for s in (-1, 1)
    ]
    halves = list(itertools.product((Fraction(-1, 2), Fraction(1, 2)), repeat=4))
    bias = noise = Fraction(0)
    for u in [*axes, *halves]:
        image = [u[0] * v for v in u]
        rank = k if average == "after" else 4
        bias += (image[0] - 1) ** 2 + sum((v**2 for v in image[1:rank]), Fraction(0))
        noise += sum((v**2 for v in u[:rank]), Fraction(0)) / 2
    return float(bias / 24), float(noise / 24)


def gaussian_cases() -> Iterator[tuple[dict[str, Any], tuple[float, float]]]:
    """Yield arguments of `least_squares_risk`, and signal and noise by the other route."""
    for average in ("none", "after", "before"):
        for n, d, k in SIZES:
            pair = missed(n, d, k, average), spent(n, d, k, average)
            yield {"n_samples": n, "n_inputs": d, "n_fixed": k, "average": average}, pair
        if average != "before":
            for k in (1, 2, 4):
                sizes = {"n_samples": 1, "n_inputs": 4, "n_fixed": k, "average": average}
                yield sizes, one_row(k, average)


def of_kernel(size: int, *, ridge: float, largest: float, variation: float) -> float:
    """Return the published bound, N `variation`/(N (`largest` + `ridge`))^2 for noise 1."""
    return size * variation / (size * (largest + ridge)) ** 2


@check("group-invariant.ridge-gain", form="printed", name="the known lower bound")
def published(context: Context, *, bound: Callable[..., float] = of_kernel) -> Evidence:
    """Compare the published lower bound with the mean gain over all designs."""
    instances = []
    for name, orbits in (("one orbit", FOUR), ("three orbits", THREE)):
        points = range(len(orbits.points))
        variation = _variation(orbits)
        for size in (1, 2) if context.quick else (1, 2, 3):
            gains = []
            for rows in orbits.designs(size):
                values = [Fraction(0)] * len(points)
                free, tied = (
                    orbits.risk(rows, values, _RIDGE, average, points)[1]
                    for average in ("none", "after")
                )
                gains.append(free - tied)
            gain = float(sum(gains, Fraction(0)) / len(gains))
            largest = float(max(orbits.kernel[i][i] for i in points))
            value = bound(size, ridge=float(_RIDGE), largest=largest, variation=variation)
            ends = (value * (1 - _ROUNDING), value * (1 - _ROUNDING))
            instances.append(Instance(f"{name}, {size} rows", ends, gain))
    return compare_instances("gain by averaging, known over exact", *instances)


def _variation(orbits: Orbits) -> float:
    """Return the mean square of the kernel less its average, over two even points."""
    size = len(orbits.points)
    grams = np.array(orbits.grams(range(size)), dtype=float)
    return float(np.mean((grams[0] - grams.mean(axis=0)) ** 2))


@check("group-invariant.ridge-gain", form="proved", name="variation on orbits")
def split(
    context: Context, *, values: Sequence[Fraction] = VALUES, tests: Sequence[int] = range(7)
) -> Evidence:
    """Compute the difference of risks less the predictor's variation on orbits, in fractions."""
    gap = Fraction(0)
    for rows in THREE.designs(2):
        target = [values[i] + Fraction(k, 3) for k, i in enumerate(rows)]
        fits = (THREE.predictions(rows, [target], _RIDGE, by) for by in ("none", "after"))
        (free,), (tied,) = fits
        nought = Fraction(0)
        risks = [sum(((f[p] - values[p]) ** 2 for p in tests), nought) for f in (free, tied)]
        varies = sum(((free[p] - tied[p]) ** 2 for p in tests), nought)
        gap = max(gap, abs(risks[0] - risks[1] - varies))
    claim = "risk less that of the average, less the variation on orbits, 49 designs"
    # A report shows no interval of length 0.
    return compute(claim, float(gap), 1e-15, exact=0.0, method="computed in fractions")


def ridge_risk(
    grams: Any,
    *,
    ridge: float,
    noise: float,
    target: Any = None,
    norm: float | None = None,
    average: str = "none",
) -> Bound:
    """Compute the risk on the rows' orbits of a `target` f, or the worst invariant one of a norm.

    `grams` are K(x_i, g x_j), (n, N, N), the identity first.
    """
    if average not in ("none", "after", "before") or (target is None) == (norm is None):
        raise ValueError(f"average={average!r}, or not one of target and norm")
    stack = np.asarray(grams, dtype=float)
    gram, mean, size = stack[0], stack.mean(axis=0), stack.shape[1]
    inner = mean if average == "before" else gram
    inverse = np.linalg.inv(inner + size * ridge * np.eye(size))
    smoothers = np.swapaxes(stack, 1, 2) @ inverse if average == "none" else (mean @ inverse)[None]
    residual = np.eye(size) - smoothers
    if norm is None:
        bias = float(np.mean((residual @ np.asarray(target)) ** 2))
    else:
        square = np.einsum("gij,gik->jk", residual, residual) / (len(residual) * size)
        values, vectors = np.linalg.eigh((mean + mean.T) / 2)
        root = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
        bias = norm * norm * float(np.linalg.eigvalsh(root @ square @ root)[-1])
    scattered = noise * noise * float(np.sum(smoothers**2)) / (len(smoothers) * size)
    return Bound(terms=(Term("bias", max(bias, 0.0)), Term("variance", scattered)))


@check("group-invariant.ridge-gain", form="proved", name="all designs of three orbits")
def enumerated(context: Context, *, risk: Bounding = ridge_risk) -> Evidence:
    """Compare the formula with predictors that are computed by their definition."""
    gap = 0.0
    for size in (1, 2) if context.quick else (1, 2, 3):
        for rows in THREE.designs(size):
            grams = np.array(THREE.grams(rows), dtype=float)
            tests = [THREE.move(g, i) for g in range(THREE.n) for i in rows]
            target = [float(VALUES[i]) for i in rows]
            for average in ("none", "after", "before"):
                exact = THREE.risk(rows, VALUES, _RIDGE, average, tests)
                options: dict[str, Any] = {"target": target, "average": average}
                value = risk(grams, ridge=float(_RIDGE), noise=1.0, **options)
                pairs = zip(("bias", "variance"), exact, strict=True)
                gap = max(gap, *(abs(value[name] - float(term)) for name, term in pairs))
    return _none(gap, "risk at the orbits of rows, all designs of three orbits", _ROUNDING)


def split_spectrum(gram: Any, mean: Any, ridge: float) -> float:
    """Return the gain for whole orbits as rows, noise 1, by the spectrum of K less its mean."""
    size = len(gram)
    mu = np.linalg.eigvalsh(gram - mean)
    return float(np.sum((mu / (mu + size * ridge)) ** 2)) / size


@check("group-invariant.ridge-gain", form="proved", name="rows that are whole orbits")
def whole_orbits(
    context: Context, *, gain: Callable[..., float] = split_spectrum, copies: int = 3
) -> Evidence:
    """Compare the gain by the spectrum with predictors, for designs that are whole orbits."""
    gap = 0.0
    for rows in (range(4), (0, 1, 2, *[6] * copies), range(7)):  # 6 is the fixed point
        orbits = FOUR if len(rows) == 4 else THREE
        values = VALUES if orbits is THREE else [Fraction(5)] * 4
        grams = np.array(orbits.grams(rows), dtype=float)
        tests = [orbits.move(g, i) for g in range(orbits.n) for i in rows]
        free, tied, early = (
            orbits.risk(rows, values, _RIDGE, average, tests)
            for average in ("none", "after", "before")
        )
        by_spectrum = gain(grams[0], grams.mean(axis=0), float(_RIDGE))
        same = max(abs(free[0] - tied[0]), abs(tied[0] - early[0]), abs(tied[1] - early[1]))
        gap = max(gap, float(same), abs(float(free[1] - tied[1]) - by_spectrum))
    return _none(gap, "gain by the spectrum, and three equal biases, whole orbits", _ROUNDING)


def least_squares_risk(
    n_samples: Any, *, n_inputs: Any, n_fixed: Any, noise: Any, norm: Any, average: str = "none"
) -> Bound:
    """Compute the mean excess risk of least squares on N rows; `n_inputs` is d, `n_fixed` k."""
    n, d, fixed = (np.asarray(number, dtype=float) for number in (n_samples, n_inputs, n_fixed))
    if np.any(fixed > d) or average not in ("none", "after", "before"):
        raise ValueError(f"n_fixed={n_fixed} of n_inputs={n_inputs}, or average={average!r}")
    inner = fixed if average == "before" else d
    with np.errstate(divide="ignore"):
        few, many = n / (inner - n - 1), inner / (n - inner - 1)
    # E tr of the pseudoinverse of a Wishart matrix of N rows in dimension d.
    inflation = np.where(n < inner - 1, few, np.where(n > inner + 1, many, np.inf))
    missed = np.maximum(0.0, 1 - n / inner)
    if average == "after":
        rest = np.where(fixed < d, (d - fixed) * n / np.maximum((d - 1) * (d + 2), 1), 0.0)
        missed, inflation = missed * (1 - rest), inflation * fixed / d
    scattered = noise * noise * inflation if noise else 0.0 * inflation
    return Bound(terms=(Term("signal", norm * norm * missed), Term("noise", scattered)))


@check("group-invariant.ridge-gain", form="proved", name="least squares, Gaussian rows")
def least_squares(context: Context, *, risk: Bounding = least_squares_risk) -> Evidence:
    """Compare the formula with the laws of one direction, and an even design of directions."""
    gap = 0.0
    for options, exact in gaussian_cases():
        value = risk(noise=1.0, norm=1.0, **options)
        for name, term in zip(("signal", "noise"), exact, strict=True):
            if np.isfinite(term) or np.isfinite(value[name]):
                gap = max(gap, abs(value[name] - term))
    return _none(gap, "risk of least squares, Gaussian rows", _QUADRATURE)


def _none(gap: float, claim: str, rounding: float) -> Evidence:
    claim += ": largest difference of the formula and another route"
    method = "computed: fractions against floats, and quadrature"
    return compute(claim, gap, rounding, exact=0.0, method=method)


@check("group-invariant.ridge-gain", form="proved", name="the invariant kernel may lose")
def not_ordered(context: Context, *, average: str = "before") -> Evidence:
    """Compute an instance where the invariant kernel at the same ridge is worse than none."""
    nought = [Fraction(0)] * 4
    free, early = (
        APART.risk((0,), nought, _RIDGE, kind, range(4))[1] for kind in ("none", average)
    )
    ratio = float(early / free)
    claim = "one row and orthogonal images: the invariant kernel's risk over the plain one's"
    return compute(claim, ratio, ratio * _ROUNDING, lower=1.0, method="computed in fractions")
