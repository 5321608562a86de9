"""How often each check refutes correct maps and samples, at the rates that it was asked for.

No rate may be exceeded: refutations stay at or below the count that a binomial law of that rate
exceeds with probability 1e-9. The last column is power: runs of 10 that refute a claim that is
wrong. What the check without declarations does under every kind of tail is in a table of its own,
by benchmarks/heavy_tails.py. Run: python benchmarks/calibration.py [RUNS] [PART OF A ROW'S NAME]
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import _harness
import numpy as np
from scipy.special import ndtr
from scipy.stats import binom

import mehler
from mehler import verify

RATES = (0.05, 1e-3)
LIMIT = 1e-9
POWER = 10
X = np.array([[0.6, -0.4, 0.3], [0.1, -0.7, 0.5]])


@dataclass(frozen=True)
class Row:
    """A check of something correct: the status that `run(seed, rate, size)` ends with.

    The claim is right at the size 1 alone. Dear rows run a fifth as often, at the first rate.
    """

    check: str
    case: str
    run: Callable[[int, float, float], str]
    wrong: float = 1.5
    dear: bool = False

    @property
    def name(self) -> str:
        return f"{self.check} {self.case}"


# Cosines with offset have the Gaussian kernel, and products of one column between -2 and 2.


class Cosines:
    def __init__(self, seed, m=100, d=3):
        rng = np.random.default_rng(seed)
        self.w, self.b = rng.standard_normal((d, m)), rng.uniform(0.0, 2.0 * math.pi, m)
        self.scale = math.sqrt(2.0 / m)

    def __call__(self, x):
        return self.scale * np.cos(x @ self.w + self.b)

    def jacobian(self, x):
        return -self.scale * np.sin(x @ self.w + self.b)[:, :, None] * self.w.T


def waves(seed, m=100):
    """Pairs of cosine and sine, with the same kernel."""
    w = np.random.default_rng([seed, 1]).standard_normal((3, m // 2))
    return lambda x: np.hstack([np.cos(x @ w), np.sin(x @ w)]) / math.sqrt(m // 2)


def rbf(x, y):
    return np.exp(-0.5 * ((x[:, None] - y[None]) ** 2).sum(axis=2))


def rbf_variance(x, y):
    return 1.0 + 0.5 * rbf(x, y) ** 4 - rbf(x, y) ** 2


# Gaussian projections have the linear kernel; squares of kurtosis 15 at most, at equal rows.


def projections(seed, m=100, length=1.0):
    w = np.random.default_rng(seed).standard_normal((3, m))
    return lambda x: length * (x @ w) / math.sqrt(m)


def stretched(seed):
    """Of a random length, lognormal, so that the kurtosis of products is e^16 or so."""
    z = np.random.default_rng([seed, 1]).standard_normal()
    return projections(seed, 16, length=math.exp(z - 1.0))


def linear(x, y):
    return x @ y.T


def linear_variance(x, y):
    return np.outer((x**2).sum(axis=1), (y**2).sum(axis=1)) + linear(x, y) ** 2


def normal(x, t):
    return ndtr(t / np.linalg.norm(x, axis=1, keepdims=True))


def defect(x):
    """E|phi(x) - phi(-x)|^2 of projections."""
    return 4.0 * (x**2).sum(axis=1)


def times(claim, size):
    return lambda *arguments: size * claim(*arguments)


def maxout(seed):
    return mehler.MaxoutFeatures.draw(3, 100, 4, seed=seed)


def maxout_kernel(x, y):
    return maxout(0).kernel(x, y)


def even(seed):
    phi = projections(seed, 20)
    return lambda x: np.abs(phi(x))


def sized(seed, m, copies=1):
    return (lambda phi: lambda x: np.tile(phi(x), copies) / math.sqrt(copies))(
        projections(seed, m // copies)
    )


def of_kernel(draw, kernel, **options):
    def run(seed, rate, size):
        return verify.check_kernel(
            draw, times(kernel, size), X, false_alarm=rate, seed=seed, **options
        ).status

    return run


def asserted(seed, rate, size):
    """Return what a failing test says, or the status of the verdict that it returns."""
    options = {"variance": rbf_variance, "independent_features": True, "resolution": 0.2}
    try:
        return verify.assert_kernel(
            Cosines, times(rbf, size), X, false_alarm=rate, seed=seed, **options
        ).status
    except AssertionError as failure:
        return "refuted" if ": refuted" in str(failure) else "inconclusive"


def confirmed(seed, rate, size):
    return verify.confirm(
        verify.check_kernel,
        Cosines,
        times(rbf, size),
        X,
        variance=rbf_variance,
        resolution=0.2,
        first=min(0.5, 4.0 * rate),
        false_alarm=rate,
        seed=seed,
    ).status


def of_mean(sample, exact, **options):
    """A mean of what `sample(rng)` draws, against `exact` times the size."""

    def run(seed, rate, size):
        x = sample(np.random.default_rng(seed))
        return verify.check_mean(x, size * exact, false_alarm=rate, **options).status

    return run


COVARIANCE = np.array([[1.0, 0.5, 0.0], [0.5, 2.0, -0.3], [0.0, -0.3, 0.5]])
ROOT = np.linalg.cholesky(COVARIANCE).T


def plain(check, draw, claim, rows=X, **options):
    """Checks that take a map, a claim, rows."""

    def run(seed, rate, size):
        return check(draw, times(claim, size), rows, false_alarm=rate, seed=seed, **options).status

    return run


def of_law(seed, rate, size, **options):
    return verify.check_distribution(
        projections, normal, X, scale=10.0 * size, false_alarm=rate, seed=seed, **options
    ).status


def of_same(other, **options):
    def run(seed, rate, size):
        def new(k):
            phi = other(k)
            return lambda x: math.sqrt(size) * phi(x)

        return verify.check_same(Cosines, new, X, false_alarm=rate, seed=seed, **options).status

    return run


def again(seed):
    """Cosines of seeds of their own, as another implementation draws them."""
    return Cosines([seed, 1])


def of_invariance(seed, rate, size):
    act = (lambda x: -x) if size == 1.0 else (lambda x: size * x)
    return verify.check_invariance(even, act, X, false_alarm=rate, seed=seed).status


def of_convergence(seed, rate, size):
    def draw(k, m):
        return sized(k, m, copies=1 if size == 1.0 else m // 64)

    return verify.check_convergence(draw, X, false_alarm=rate, seed=seed).status


def of_structure(draw, broken, only=None, **options):
    """Rules of structure that share an error rate, of a map and of one with a fault there."""

    def run(seed, rate, size):
        return verify.check_structure(
            draw if size == 1.0 else broken,
            ALL_ROWS,
            only=only,
            false_alarm=rate,
            seed=seed,
            **options,
        ).status

    return run


def by_halves(seed):
    return Cosines(seed // 2)


def redrawn(seed, x, m):
    return Cosines(seed, 100 if m is None else m, x.shape[1])


def repeated(seed):
    """Every column twice."""
    phi = Cosines(seed, 50)
    return lambda x: np.hstack([phi(x), phi(x)]) / math.sqrt(2.0)


ALL_ROWS = np.random.default_rng(0).standard_normal((6, 3))
FREE = {"independent_features": True}
# A resolution sets how many samples a run takes, and so its cost: the rates, which are what is
# tested, hold at any.
ROWS = (
    Row("check_kernel", "variance", of_kernel(Cosines, rbf, variance=rbf_variance, resolution=0.2)),
    Row(
        "check_kernel",
        "variance, the map's own",
        of_kernel(maxout, maxout_kernel, resolution=0.2),
        dear=True,
    ),
    Row(
        "check_kernel",
        "bounds",
        of_kernel(Cosines, rbf, bounds=(-2.0, 2.0), resolution=0.3, **FREE),
    ),
    Row(
        "check_kernel",
        "undeclared, a column a sample",
        of_kernel(Cosines, rbf, resolution=0.1, **FREE),
        wrong=0.7,
        dear=True,
    ),
    Row(
        "check_kernel",
        "undeclared, a draw a sample",
        of_kernel(Cosines, rbf, resolution=0.1),
        wrong=0.7,
        dear=True,
    ),
    Row(
        "check_kernel",
        "undeclared, heavy tails",
        of_kernel(stretched, linear, resolution=0.1),
        wrong=0.2,
        dear=True,
    ),
    Row("assert_kernel", "variance, and the structure", asserted, dear=True),
    Row("confirm", "check_kernel, variance", confirmed),
    Row(
        "check_mean",
        "numbers, variance",
        of_mean(lambda rng: 1.0 + rng.standard_t(5, 300), 1.0, variance=5 / 3, resolution=0.5),
    ),
    Row(
        "check_mean",
        "numbers, bounds",
        of_mean(lambda rng: rng.beta(0.5, 1.5, 300), 0.25, bounds=(0, 1), resolution=0.2),
    ),
    Row(
        "check_mean",
        "numbers, binary",
        of_mean(lambda rng: rng.random(300) < 0.25, 0.25, binary=True, resolution=0.3),
    ),
    Row(
        "check_mean",
        "numbers, undeclared",
        of_mean(lambda rng: rng.exponential(size=5000), 1.0, resolution=0.2),
    ),
    Row(
        "check_mean",
        "vectors, variance",
        of_mean(
            lambda rng: 1.0 + rng.standard_t(5, (300, 3)),
            np.ones(3),
            variance=np.full(3, 5 / 3),
            resolution=0.5,
        ),
    ),
    Row(
        "check_mean",
        "vectors, bounds",
        of_mean(
            lambda rng: rng.beta(0.5, 1.5, (300, 3)),
            np.full(3, 0.25),
            bounds=(np.zeros(3), np.ones(3)),
            resolution=0.2,
        ),
    ),
    Row(
        "check_mean",
        "vectors, undeclared",
        of_mean(lambda rng: rng.exponential(size=(5000, 3)), np.ones(3), resolution=0.2),
    ),
    Row(
        "check_mean",
        "products, mean known",
        of_mean(
            lambda rng: rng.standard_normal((5000, 3)) @ ROOT,
            COVARIANCE,
            mean=np.zeros(3),
            resolution=0.3,
        ),
    ),
    Row(
        "check_mean",
        "products, mean unknown",
        of_mean(
            lambda rng: 5.0 + rng.standard_normal((40_000, 3)) @ ROOT, COVARIANCE, resolution=0.3
        ),
    ),
    Row(
        "check_variance",
        "kurtosis declared",
        plain(verify.check_variance, Cosines, rbf_variance, kurtosis=6.0, resolution=0.5, **FREE),
    ),
    Row(
        "check_variance",
        "no kurtosis known",
        plain(verify.check_variance, projections, linear_variance, **FREE),
        dear=True,
    ),
    Row(
        "check_variance",
        "a draw a sample",
        plain(verify.check_variance, projections, linear_variance, resolution=0.5),
        dear=True,
    ),
    Row(
        "check_distribution",
        "a column a sample",
        lambda *run: of_law(*run, resolution=0.2, **FREE),
    ),
    Row(
        "check_distribution",
        "a draw a sample",
        lambda *run: of_law(*run, independent_features=False, resolution=0.2),
    ),
    Row("check_same", "equal seeds", of_same(Cosines, **FREE)),
    Row(
        "check_same",
        "other features, a column a sample",
        of_same(waves, resolution=0.1, **FREE),
        dear=True,
    ),
    Row(
        "check_same",
        "other features, a draw a sample",
        of_same(waves, resolution=0.1),
        dear=True,
    ),
    Row("check_same", "law", of_same(again, law=True, resolution=0.1), dear=True),
    Row("check_invariance", "exact", of_invariance),
    Row(
        "check_invariance",
        "with a defect",
        plain(
            lambda draw, claim, rows, **options: verify.check_invariance(
                draw, lambda x: -x, rows, defect=claim, **options
            ),
            projections,
            defect,
            resolution=0.2,
        ),
        dear=True,
    ),
    Row("check_convergence", "", of_convergence, dear=True),
    Row(
        "check_structure",
        "the usual rows",
        of_structure(Cosines, repeated, kernel=rbf, redraw=redrawn),
        dear=True,
    ),
    Row("check_structure", "seeds", of_structure(Cosines, by_halves, "seeds differ"), dear=True),
)


def measured(row: Row, runs: int) -> dict[str, Any]:
    runs = max(1, runs // 5) if row.dear else runs
    start, alarms = time.process_time(), {}
    for number, rate in enumerate(RATES[:1] if row.dear else RATES):
        statuses = [row.run(1000 * runs * number + k, rate, 1.0) for k in range(runs)]
        alarms[str(rate)] = statuses.count("refuted")
    spent = (time.process_time() - start) / (runs * len(alarms))
    statuses = [row.run(k, RATES[0], row.wrong) for k in range(POWER)]
    return {
        "check": row.check,
        "case": row.case,
        "repeats": runs,
        "alarms": alarms,
        "power": statuses.count("refuted"),
        "cpu_seconds": spent,
    }


def limit(runs: int, rate: float) -> int:
    return int(binom.isf(LIMIT, runs, rate))


def cells(row: dict[str, Any]) -> list[str]:
    n, counts = row["repeats"], row["alarms"]
    within = all(count <= limit(n, float(rate)) for rate, count in counts.items())
    per_rate = [
        f"{counts[str(rate)]} (at most {limit(n, rate)})" if str(rate) in counts else ""
        for rate in RATES
    ]
    return [
        f"`{row['check']}`",
        row["case"],
        f"{n:,}",
        *per_rate,
        "yes" if within else "NO",
        f"{row['power']} of {POWER}",
        f"{row['cpu_seconds']:.3f}",
    ]


def main(runs: int, part: str) -> None:
    raw = []
    for row in ROWS:
        if part in row.name:
            raw.append(measured(row, runs))
            sys.stderr.write(" | ".join(cells(raw[-1])) + "\n")
    if part:
        return
    _harness.save(
        "calibration",
        "Refutations of correct maps and samples, by check",
        ["check", "case", "runs", "at 5 %", "at 0.1 %", "within", "wrong claim refuted", "CPU s"],
        [cells(row) for row in raw],
        raw,
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000, sys.argv[2] if len(sys.argv) > 2 else "")
