"""The risk by margins on data: beside the rate N^(-1/2), rows held out, and what is measured.

Ridge regression on centred maxout features, one class against the rest. Each bound takes the lambda
of a path at which it is smallest, since both hold for all weights at once. The rate N^(-1/2) is
that of the class of unit weights on features of unit length, with the ramp from 0 to gamma, for 20
gammas. Held out: a fifth of the rows, the other four fifths learn; lambda is left out there, and
the interval is Clopper and Pearson's. All at confidence 99 %.

    python benchmarks/margins.py
"""

from __future__ import annotations

import math

import _harness
import numpy as np
from mehler.proofs_checks.experiments import data
from scipy import stats

import mehler
from mehler import learn
from mehler.bounds import margin

DELTA, M = 0.01, 500
LAMBDAS = 10.0 ** np.arange(-6, 0.1)
GAMMAS = np.geomspace(0.01, 1, 20)


def load():
    """Yield name, rows, codes, and how many of the first rows are learnt from."""
    found = data.digits()
    x = unit(found.X)
    yield "digits, 0", *dealt(x, found.y == 0), (200, 400, 800, 1600)
    yield "digits, even", *dealt(x, found.y % 2 == 0), (400, 1600)
    found = data.mnist_5k()
    x = unit(found.X)
    yield "MNIST, 0", *dealt(x, found.y == 0), (1000, 4000)
    yield "MNIST, even", *dealt(x, found.y % 2 == 0), (1000, 4000)
    found = data.adult()
    # Columns are scaled by 2000 rows of the test part, which neither learn nor count.
    other, rest = found.X_test[:2000], found.X_test[2000:]
    x = np.concatenate([found.X, rest])
    y = np.concatenate([found.y, found.y_test[2000:]])
    x = (x - other.mean(axis=0)) / np.maximum(other.std(axis=0), 0.05)
    yield "Adult", *dealt(unit(x), y == 1), (2000, 8000, 32_000)


def unit(x):
    x = x.reshape(len(x), -1).astype(np.float64)
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def dealt(x, found):
    order = np.random.default_rng(0).permutation(len(x))
    return x[order], np.where(found, 1.0, -1.0)[order]


def by_rate(t):
    """Bound the risk at the rate N^(-1/2), for the best of the gammas."""
    n = len(t)
    deviation = math.sqrt(math.log(len(GAMMAS) / DELTA) / (2 * n))
    ramp = [np.clip(1 - t / gamma, 0, 1).mean() for gamma in GAMMAS]
    return min(r + 2 / (g * math.sqrt(n)) for r, g in zip(ramp, GAMMAS, strict=True)) + deviation


def held_out(phi, x, y, n):
    """Bound the risk of what four fifths learn by the last fifth."""
    first = n * 4 // 5
    fit = learn.ridge(phi, x[:first], y[:first], lambdas=LAMBDAS, intercept=False)
    wrong = int(np.sum(fit.predict(x[first:n]).reshape(-1) * y[first:n] <= 0))
    return float(stats.beta.ppf(1 - DELTA, wrong + 1, n - first - wrong))


def at(phi, x, y, n):
    """Return the bound, the rate's, that of rows held out, and the shares of mistakes."""
    sums = learn.RidgeSums(phi).add(x[:n], y[:n, None])
    fits = sums.solve(tuple(LAMBDAS), intercept=False)
    z, fresh = np.asarray(phi(x[:n])), np.asarray(phi(x[n:]))
    lengths = np.linalg.norm(z, axis=1)
    found = []
    for fit in fits:
        w = np.asarray(fit.weights).reshape(-1)
        t = y[:n] * (z @ w) / (np.linalg.norm(w) * lengths)
        wrong = float(np.mean(y[n:] * (fresh @ w) <= 0))
        found.append((margin.error_rate(t, delta=DELTA), by_rate(t), wrong, float(np.mean(t <= 0))))
    best = min(found, key=lambda one: one[0].total)
    rate = min(one[1] for one in found)
    least = min(one[2] for one in found)
    return best[0], rate, held_out(phi, x, y, n), best[3], best[2], least


def main():
    rows, raw = [], []
    for name, x, y, sizes in load():
        phi = mehler.MaxoutFeatures.draw(x.shape[1], M, 4, seed=0, centred=True)
        for n in sizes:
            bound, rate, out, fitted, wrong, least = at(phi, x, y, n)
            parts = [f"{term.value:.3f}" for term in bound.terms]
            numbers = (bound.value, min(rate, 1.0), out, fitted, wrong, least)
            rows.append([name, f"{n}", *(f"{one:.3f}" for one in numbers), " + ".join(parts)])
            raw.append(
                {"data": name, "n": n, "bound": bound.to_dict(), "rate": rate}
                | {"held_out": out, "fitted": fitted, "wrong": wrong, "least": least}
            )
            print(*rows[-1], sep=" | ", flush=True)
    _harness.save(
        "margins",
        f"Risk by margins, {M} centred maxout features, one class against the rest",
        [
            "data, class",
            "N",
            "bound",
            "rate N^(-1/2)",
            "held out",
            "wrong where fitted",
            "wrong elsewhere",
            "least of the path",
            "margin + weights + confidence + threshold",
        ],
        rows,
        raw,
    )


if __name__ == "__main__":
    main()
