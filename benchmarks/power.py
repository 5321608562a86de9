"""Features until a wrong kernel is refuted at 1e-9, by each route, against the information bound.

Cosines with offset at one pair with k = 0.5, whose claim is off by a fraction of k(x, x) = 1. The
resolution asked for is that fraction, 0.02 at most. No test of error rate alpha needs much less
than 2 V log(1/alpha) / delta^2 features (normal samples need that many for an even chance). Beside
it: a z-test, Hoeffding's inequality, and the rule of TensorFlow Probability's statistical testing
(a band around the distribution function). Run: python benchmarks/power.py [SEEDS]

With nothing declared, features that are all too short are refuted by fresh draws alone, so many
that a correct map is seldom accused that hides as much in rare draws. What that costs maps of one
feature, over a z-test of the same rates: python benchmarks/power.py short [SEEDS]
"""

from __future__ import annotations

import math
import statistics
import sys
import time

import _harness
import numpy as np
from _peer_tools import Probability, Stream
from scipy.stats import norm

from mehler.verify import check_kernel
from mehler.verify.intervals._undeclared import LEAST

RATE = 1e-9
ERRORS = (0.2, 0.05, 0.02)
# Rows at distance sqrt(2 log 2): exp(-d^2/2) = 1/2.
_DISTANCE = math.sqrt(2.0 * math.log(2.0))
X = np.array([[0.3, -0.2, 0.5]])
Y = X + _DISTANCE * np.array([[2.0, -1.0, 2.0]]) / 3.0
# 1 + k(2(x - y))/2 - k^2, with k(2(x - y)) = k^4.
VARIANCE = 1.0 + 0.5**5 - 0.25
SPAN = 4.0


def kernel(x, y):
    return np.exp(-0.5 * ((x[:, None, :] - y[None, :, :]) ** 2).sum(axis=2))


def draws(m):
    def draw(seed):
        rng = np.random.default_rng(seed)
        w, b = rng.standard_normal((3, m)), rng.uniform(0.0, 2.0 * math.pi, m)
        return lambda x: math.sqrt(2.0 / m) * np.cos(x @ w + b)

    return draw


ROUTES = {
    "variance": (100, {"variance": lambda x, y: 1 + kernel(x, y) ** 4 / 2 - kernel(x, y) ** 2}),
    "range": (100, {"bounds": (-2.0, 2.0)}),
    "nothing, features independent": (100, {}),
    "nothing, one feature per draw": (1, {}),
    "nothing, 100 features per draw": (100, {}),
}


def features(route, delta, seed):
    """Features until the claim k + delta is refuted; None where it is not."""
    m, options = ROUTES[route]
    wrong = lambda x, y: np.where(kernel(x, y) > 0.999, 1.0, kernel(x, y) + delta)  # noqa: E731
    options = options | {"resolution": min(0.02, abs(delta)), "false_alarm": RATE, "seed": seed}
    options["independent_features"] = "draw" not in route
    verdict = check_kernel(draws(m), wrong, X, Y, **options)
    return verdict.n_features if verdict.status == "refuted" else None


def rules(delta, seeds):
    """What fixed sizes others need for an even chance to refute."""
    n = SPAN**2 * math.log(2.0 / RATE) / (2.0 * delta**2)
    first = [_first(delta, seed, n) for seed in range(seeds)]
    return {
        "z-test": norm.isf(RATE / 2) ** 2 * VARIANCE / delta**2,
        "Hoeffding": n,
        "TensorFlow Probability's rule": statistics.median(first),
    }


def _first(delta, seed, most):
    """Samples at which the rule refutes, to one part in twenty."""
    k = 0.5
    phi = draws(math.ceil(4 * most))(seed)
    x = math.ceil(4 * most) * (phi(X) * phi(Y))[0]
    stream = Stream(None, k + delta, VARIANCE, (-2.0, 2.0))
    n = 0.2 * most
    while not Probability().wrong(x[: math.ceil(n)], stream, RATE):
        n *= 1.05
        if n > 4 * most:
            return math.inf
    return n


# A correct map that keeps what is missing in draws of this probability.
HIDDEN, MISS = 1e-4, 1e-6


def short(seeds: int) -> None:
    """Measure draws until maps whose products are a fraction too small are refuted."""
    rows, raw, options = [], [], {"false_alarm": RATE, "miss": MISS, "time_limit": None}
    for delta in (0.2, 0.1, 0.05):
        # At equal rows products are 1 + cos 2(w x + b), of variance 1/2.
        factor = math.sqrt(1.0 - delta)
        z_test = 0.5 * (factor**2 * (norm.isf(RATE / 2) + norm.isf(MISS)) / delta) ** 2
        draw = lambda s, c=factor: lambda x: c * draws(1)(s)(x)  # noqa: E731
        options |= {"kernel": kernel, "X": np.concatenate([X, Y]), "resolution": delta}
        verdicts = [check_kernel(draw, seed=seed, **options) for seed in range(seeds)]
        counts = [verdict.n_draws for verdict in verdicts if verdict.status == "refuted"]
        n = statistics.median(counts)
        chances = [f"{(1.0 - HIDDEN) ** size:.2g}" for size in (LEAST, 10.0 * z_test)]
        cells = [f"{100 * delta:g} %", f"{z_test:,.0f}", f"{n:,.0f}", f"{n / z_test:.1f}"]
        rows.append(cells + chances)
        raw.append({"error": delta, "draws": counts, "z-test": z_test})
    head = ["too small by", "z-test", "draws", "over the z-test"]
    head += ["no hiding draw in 24,000", "in ten times the z-test's"]
    title = f"Draws of one feature until short features are refuted at {RATE:g}, nothing declared"
    _harness.save("power_short", title, head, rows, raw)


def main(seeds: int) -> None:
    rows, raw = [], []
    for delta in ERRORS:
        bound = 2.0 * VARIANCE * math.log(1.0 / RATE) / delta**2
        rows.append([f"{100 * delta:g} %", "the bound", *[f"{bound:,.0f}", "1.00"] * 2, ""])
        for name, n in rules(delta, min(3, seeds)).items():
            rows.append([f"{100 * delta:g} %", name, *[f"{n:,.0f}", f"{n / bound:.2f}"] * 2, ""])
        for route in ROUTES:
            if route == "nothing, one feature per draw" and delta < 0.05:
                continue  # hundreds of thousands of draws
            cells, seconds = [], []
            for off in (delta, -delta):
                counts = []
                for seed in range(seeds):
                    start = time.process_time()
                    counts.append(features(route, off, seed))
                    seconds.append(time.process_time() - start)
                n = None if None in counts else statistics.median(counts)
                cells += ["not refuted", ""] if n is None else [f"{n:,.0f}", f"{n / bound:.2f}"]
                raw.append({"error": off, "route": route, "features": counts, "bound": bound})
            cells.append(f"{statistics.median(seconds):.3f}")
            rows.append([f"{100 * delta:g} %", route, *cells])
            sys.stderr.write(" | ".join(rows[-1]) + "\n")
    head = ["error", "route", "claim too large: features", "over the bound"]
    head += ["claim too small: features", "over the bound", "CPU s"]
    _harness.save("power", f"Features until a wrong kernel is refuted at {RATE:g}", head, rows, raw)


if __name__ == "__main__":
    run, *rest = (short, *sys.argv[2:]) if sys.argv[1:2] == ["short"] else (main, *sys.argv[1:])
    run(int(rest[0]) if rest else 9)
