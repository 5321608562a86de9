"""How often each check refutes correct maps and samples, at the rates that it was asked for.

No rate may be exceeded: refutations stay at or below the count that a binomial law of that rate
exceeds with probability 1e-9. The last column is power: runs of 10 that refute a claim that is
wrong. Dear rows run a fifth as often, at one rate. What the check without declarations does under
every kind of tail is in a table of its own, by benchmarks/heavy_tails.py. A part of the rows takes
the others from the last run. Run: python benchmarks/calibration.py [RUNS] [PART OF A ROW'S NAME]
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable
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
ROWS = np.random.default_rng(0).standard_normal((6, 3))
COVARIANCE = np.array([[1.0, 0.5, 0.0], [0.5, 2.0, -0.3], [0.0, -0.3, 0.5]])
ROOT = np.linalg.cholesky(COVARIANCE).T


def cosines(seed, m=100, d=3):
    """Cosines with offset: the Gaussian kernel, and products of one column between -2 and 2."""
    rng = np.random.default_rng(seed)
    w, b = rng.standard_normal((d, m)), rng.uniform(0.0, 2.0 * math.pi, m)
    return lambda x: math.sqrt(2.0 / m) * np.cos(x @ w + b)


def pairs(seed, m=100):
    """Pairs of cosine and sine, with the same kernel."""
    w = np.random.default_rng([seed, 1]).standard_normal((3, m // 2))
    return lambda x: np.hstack([np.cos(x @ w), np.sin(x @ w)]) / math.sqrt(m // 2)


class Waves:
    """The same pairs, which declare that each of them is a sample: half as many as columns."""

    independent_units = True

    def __init__(self, seed, m=100):
        self.w = np.random.default_rng([seed, 1]).standard_normal((3, m // 2))
        self.scale = 1.0 / math.sqrt(m // 2)

    def __call__(self, x):
        return self.scale * np.hstack([np.cos(x @ self.w), np.sin(x @ self.w)])

    def products(self, x, y):
        return np.cos((x - y) @ self.w)


def rbf(x, y):
    return np.exp(-0.5 * ((x[:, None] - y[None]) ** 2).sum(axis=2))


def rbf_variance(x, y):
    return 1.0 + 0.5 * rbf(x, y) ** 4 - rbf(x, y) ** 2


def wave_variance(x, y):
    return 1.0 + rbf(x, y) ** 4 - 2.0 * rbf(x, y) ** 2


def projections(seed, m=100, length=1.0):
    """Gaussian projections: the linear kernel, and squares of kurtosis 15 at most."""
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


def maxout(seed):
    return mehler.MaxoutFeatures.draw(3, 100, 4, seed=seed)


def even(seed):
    phi = projections(seed, 20)
    return lambda x: np.abs(phi(x))


def signs(seed):
    """Three columns of two values, which are often equal in one draw, or by two seeds."""
    w = np.random.default_rng(seed).standard_normal((3, 3))
    return lambda x: np.sign(x @ w)


def repeated(seed):
    """Every column twice."""
    phi = cosines(seed, 50)
    return lambda x: np.hstack([phi(x), phi(x)]) / math.sqrt(2.0)


# What a run is: the status of a check at a seed and a rate, of a claim that is right at size 1.
Run = Callable[[int, float, float], str]


def claim(check, draw, kernel, rows=X, **options) -> Run:
    """Checks that take a map, a claim, rows."""
    return lambda seed, rate, size: (
        check(
            draw, lambda *at: size * kernel(*at), rows, false_alarm=rate, seed=seed, **options
        ).status
    )


def kernel(draw, function, **options) -> Run:
    return claim(verify.check_kernel, draw, function, **options)


def asserted(seed, rate, size):
    """Return what a failing test says, or the status of the verdict that it returns."""
    options = {"variance": rbf_variance, "independent_features": True, "resolution": 0.2}
    try:
        return claim(verify.assert_kernel, cosines, rbf, **options)(seed, rate, size)
    except AssertionError as failure:
        return "refuted" if ": refuted" in str(failure) else "inconclusive"


def mean(sample, exact, **options) -> Run:
    """A mean of what `sample(rng)` draws, against `exact` times the size."""
    return lambda seed, rate, size: (
        verify.check_mean(
            sample(np.random.default_rng(seed)), size * exact, false_alarm=rate, **options
        ).status
    )


def law(**options) -> Run:
    def normal(x, t):
        return ndtr(t / np.linalg.norm(x, axis=1, keepdims=True))

    return lambda seed, rate, size: (
        verify.check_distribution(
            projections, normal, X, scale=10.0 * size, false_alarm=rate, seed=seed, **options
        ).status
    )


def same(other, **options) -> Run:
    """Features of another implementation, times the root of the size."""
    return lambda seed, rate, size: (
        verify.check_same(
            cosines,
            lambda k: (lambda phi: lambda x: math.sqrt(size) * phi(x))(other(k)),
            X,
            false_alarm=rate,
            seed=seed,
            **options,
        ).status
    )


def invariant(seed, rate, size):
    act = (lambda x: -x) if size == 1.0 else (lambda x: size * x)
    return verify.check_invariance(even, act, X, false_alarm=rate, seed=seed).status


def converging(seed, rate, size):
    def draw(k, m):
        copies = 1 if size == 1.0 else m // 64
        phi = projections(k, m // copies)
        return lambda x: np.tile(phi(x), copies) / math.sqrt(copies)

    return verify.check_convergence(draw, X, false_alarm=rate, seed=seed).status


def structure(draw, broken, only=None, **options) -> Run:
    """Rules of structure that share an error rate, of a map and of one with a fault there."""
    return lambda seed, rate, size: (
        verify.check_structure(
            draw if size == 1.0 else broken, ROWS, only=only, false_alarm=rate, seed=seed, **options
        ).status
    )


FREE, DEAR = {"independent_features": True}, True
# A check and a case, the run, the size that is wrong, and whether it is dear. A resolution sets how
# many samples a run takes, and so its cost: the rates, which are what is tested, hold at any.
CHECKS: dict[tuple[str, str], tuple[Any, ...]] = {
    ("check_kernel", "variance"): (kernel(cosines, rbf, variance=rbf_variance, resolution=0.2),),
    ("check_kernel", "variance, the map's own"): (
        kernel(maxout, lambda x, y: maxout(0).kernel(x, y), resolution=0.2),
        *(1.5, DEAR),
    ),
    ("check_kernel", "bounds"): (kernel(cosines, rbf, bounds=(-2.0, 2.0), resolution=0.3, **FREE),),
    ("check_kernel", "products, the map's own"): (
        kernel(Waves, rbf, variance=wave_variance, resolution=0.2),
    ),
    ("check_kernel", "products, undeclared"): (kernel(Waves, rbf, resolution=0.1), 0.7, DEAR),
    ("check_kernel", "undeclared, sample per column"): (
        kernel(cosines, rbf, resolution=0.1, **FREE),
        *(0.7, DEAR),
    ),
    ("check_kernel", "undeclared, sample per draw"): (
        kernel(cosines, rbf, resolution=0.1),
        *(0.7, DEAR),
    ),
    ("check_kernel", "undeclared, heavy tails"): (
        kernel(stretched, linear, resolution=0.1),
        *(0.2, DEAR),
    ),
    ("assert_kernel", "variance, and the structure"): (asserted, 1.5, DEAR),
    ("check_mean", "numbers, variance"): (
        mean(lambda rng: 1.0 + rng.standard_t(5, 300), 1.0, variance=5 / 3, resolution=0.5),
    ),
    ("check_mean", "numbers, bounds"): (
        mean(lambda rng: rng.beta(0.5, 1.5, 300), 0.25, bounds=(0, 1), resolution=0.2),
    ),
    ("check_mean", "numbers, binary"): (
        mean(lambda rng: rng.random(300) < 0.25, 0.25, binary=True, resolution=0.3),
    ),
    ("check_mean", "numbers, undeclared"): (
        mean(lambda rng: rng.exponential(size=5000), 1.0, resolution=0.2),
    ),
    ("check_mean", "vectors, variance"): (
        mean(
            lambda rng: 1.0 + rng.standard_t(5, (300, 3)),
            np.ones(3),
            variance=np.full(3, 5 / 3),
            resolution=0.5,
        ),
    ),
    ("check_mean", "vectors, bounds"): (
        mean(
            lambda rng: rng.beta(0.5, 1.5, (300, 3)),
            np.full(3, 0.25),
            bounds=(np.zeros(3), np.ones(3)),
            resolution=0.2,
        ),
    ),
    ("check_mean", "vectors, undeclared"): (
        mean(lambda rng: rng.exponential(size=(5000, 3)), np.ones(3), resolution=0.2),
    ),
    ("check_mean", "products, mean known"): (
        mean(
            lambda rng: rng.standard_normal((5000, 3)) @ ROOT,
            COVARIANCE,
            mean=np.zeros(3),
            resolution=0.3,
        ),
    ),
    ("check_mean", "products, mean unknown"): (
        mean(lambda rng: 5.0 + rng.standard_normal((40_000, 3)) @ ROOT, COVARIANCE, resolution=0.3),
    ),
    ("check_variance", "kurtosis declared"): (
        claim(verify.check_variance, cosines, rbf_variance, kurtosis=6.0, resolution=0.5, **FREE),
    ),
    ("check_variance", "no kurtosis known"): (
        claim(verify.check_variance, projections, linear_variance, **FREE),
        *(1.5, DEAR),
    ),
    ("check_variance", "sample per draw"): (
        claim(verify.check_variance, projections, linear_variance, resolution=0.5),
        *(1.5, DEAR),
    ),
    ("check_distribution", "sample per column"): (law(resolution=0.2, **FREE),),
    ("check_distribution", "sample per draw"): (law(independent_features=False, resolution=0.2),),
    ("check_same", "equal seeds"): (same(cosines),),
    ("check_same", "other features"): (same(pairs, resolution=0.1), 1.5, DEAR),
    ("check_invariance", "exact"): (invariant,),
    ("check_convergence", ""): (converging, 1.5, DEAR),
    ("check_structure", "the usual rows"): (
        structure(
            cosines,
            repeated,
            kernel=rbf,
            redraw=lambda seed, x, m: cosines(seed, 100 if m is None else m, x.shape[1]),
        ),
        *(1.5, DEAR),
    ),
    ("check_structure", "features of two values"): (
        structure(signs, lambda seed: signs(seed // 2)),
        *(1.5, DEAR),
    ),
    ("check_structure", "seeds"): (
        structure(cosines, lambda seed: cosines(seed // 2), "seeds differ"),
        *(1.5, DEAR),
    ),
}


def measured(name: tuple[str, str], runs: int) -> dict[str, Any]:
    run, wrong, dear = (*CHECKS[name], 1.5, False)[:3] if len(CHECKS[name]) == 1 else CHECKS[name]
    runs = max(1, runs // 5) if dear else runs
    start, alarms = time.process_time(), {}
    for number, rate in enumerate(RATES[:1] if dear else RATES):
        statuses = [run(1000 * runs * number + k, rate, 1.0) for k in range(runs)]
        alarms[str(rate)] = statuses.count("refuted")
    spent = (time.process_time() - start) / (runs * len(alarms))
    power = [run(k, RATES[0], wrong) for k in range(POWER)].count("refuted")
    row = {"check": name[0], "case": name[1], "repeats": runs, "alarms": alarms}
    return row | {"power": power, "cpu_seconds": spent}


def limit(runs: int, rate: float) -> int:
    return int(binom.isf(LIMIT, runs, rate))


def cells(row: dict[str, Any]) -> list[str]:
    n, counts = row["repeats"], row["alarms"]
    within = all(count <= limit(n, float(rate)) for rate, count in counts.items())
    at = [f"{counts[k]} (at most {limit(n, float(k))})" if k in counts else "" for k in KEYS]
    end = ["yes" if within else "NO", f"{row['power']} of {POWER}", f"{row['cpu_seconds']:.3f}"]
    return [f"`{row['check']}`", row["case"], f"{n:,}", *at, *end]


KEYS = [str(rate) for rate in RATES]


def main(runs: int, part: str) -> None:
    path = _harness.RESULTS / "calibration.json"
    before = json.loads(path.read_text())["rows"] if part and path.exists() else []
    rows = {(row["check"], row["case"]): row for row in before}
    for name in CHECKS:
        if part in " ".join(name):
            rows[name] = measured(name, runs)
            sys.stderr.write(" | ".join(cells(rows[name])) + "\n")
    raw = [rows[name] for name in CHECKS if name in rows]
    _harness.save(
        "calibration",
        "Refutations of correct maps and samples, by check",
        ["check", "case", "runs", "at 5 %", "at 0.1 %", "within", "wrong claim refuted", "CPU s"],
        [cells(row) for row in raw],
        raw,
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000, sys.argv[2] if len(sys.argv) > 2 else "")
