"""Seconds a verdict on maps of 784 inputs and 1000 features, beside the cost of their draws alone.

CPU time, one thread, check and draws in turn. The finest resolution takes minutes of draws, so
that its first draws are measured and the rest is their number times as much. Then wall time of
threads that draw side by side, over that of one.

    python benchmarks/verdicts.py [map ...]

Without a map all are measured; with some, their rows of the table are measured again.
"""

from __future__ import annotations

import json
import statistics
import sys
import time

import _harness
import numpy as np
from sklearn.kernel_approximation import RBFSampler
from sklearn.metrics.pairwise import rbf_kernel

import mehler
from mehler import verify
from mehler.verify.sampling._draws import Draws

D, M, Q = 784, 1000, 4
GAMMA = 0.5 / D
X = np.random.default_rng(0).standard_normal((6, D))
# Draws that are measured at most; the rest is in proportion.
MOST = 100
ROUNDS = 3
RESOLUTIONS = (0.1, 0.02, 0.005)


def maxout(seed):
    return mehler.MaxoutFeatures.draw(D, M, Q, seed=seed)


def fourier(seed):
    return mehler.FourierFeatures.draw(D, M, seed=seed, gamma=GAMMA)


def sampler(seed):
    return RBFSampler(gamma=GAMMA, n_components=M, random_state=seed).fit(X).transform


def rbf(A, B):
    return rbf_kernel(A, B, gamma=GAMMA)


def spread(A, B):
    """The variance of cos-offset features, as `--law cos-offset` declares it."""
    return 1.0 + 0.5 * rbf_kernel(A, B, gamma=4 * GAMMA) - rbf_kernel(A, B, gamma=GAMMA) ** 2


SETTINGS = {
    "MaxoutFeatures, q = 4": (maxout, maxout(0).kernel, {}),
    "FourierFeatures": (fourier, fourier(0).kernel, {}),
    "RBFSampler, its law declared": (
        sampler,
        rbf,
        {"variance": spread, "independent_features": True},
    ),
    "RBFSampler, nothing declared": (sampler, rbf, {}),
}


def clocked(run, clock=time.process_time):
    start = clock()
    result = run()
    return clock() - start, result


def draws_alone(draw, count, *, called):
    """Draw as many maps, and apply them if they are `called`."""
    draws = Draws(draw, 0)
    for k in range(count):
        phi = draw(draws.seed(k))
        if called:
            phi(X)


def planned_draws(verdict):
    """Return the draws that a check would have made without a limit, None if that is not known."""
    if verdict.status != "inconclusive":
        return verdict.n_draws
    if not verdict.method.startswith("known variance"):
        return None
    return int(verdict.reason.split("About ")[1].split(" feature")[0]) // M


def row(label, resolution):
    draw, kernel, options = SETTINGS[label]

    def check(n_jobs=1):
        return verify.check_kernel(
            draw,
            kernel,
            X,
            resolution=resolution,
            max_features=MOST * M,
            n_jobs=n_jobs,
            **options,
        )

    check()
    found = {"check": [], "draws": [], "draws and features": [], "one thread": [], "two": []}
    for _ in range(ROUNDS):
        seconds, verdict = clocked(check)
        found["check"].append(seconds)
        n = verdict.n_draws
        for name, called in (("draws", False), ("draws and features", True)):
            found[name].append(clocked(lambda c=called, n=n: draws_alone(draw, n, called=c))[0])
    for _ in range(ROUNDS if resolution == RESOLUTIONS[1] else 0):
        found["one thread"].append(clocked(check, time.perf_counter)[0])
        found["two"].append(clocked(lambda: check(2), time.perf_counter)[0])
    return verdict, found


def ratio(found, one, other):
    """Median over rounds, with the least and the largest; minima of a busy machine for walls."""
    return _harness.spread([a / b for a, b in zip(found[one], found[other], strict=True)])


def measured(label, resolution):
    """One row of results."""
    verdict, found = row(label, resolution)
    return {
        "setting": label,
        "resolution": resolution,
        "status": verdict.status,
        "method": verdict.method,
        "draws": verdict.n_draws,
        "draws_wanted": planned_draws(verdict),
        "seconds": found,
    }


def cells(raw):
    """The cells of one row of results."""
    found, whole, n = raw["seconds"], raw["draws_wanted"], raw["draws"]
    seconds = statistics.median(found["check"]) * (whole or n) / n
    draws = f"{whole}" if whole else f"more than {n}"
    if whole and whole > n:
        draws += f", {n} measured"
    side = f"{min(found['two']) / min(found['one thread']):.2f}" if found["two"] else ""
    return [
        raw["setting"],
        f"{raw['resolution']:g}",
        draws,
        f"{seconds:.3g}" if whole else f"more than {seconds:.3g}",
        ratio(found, "check", "draws"),
        ratio(found, "check", "draws and features"),
        side,
    ]


def main():
    chosen = sys.argv[1:]
    before = _harness.RESULTS / "verdicts.json"
    kept = json.loads(before.read_text())["rows"] if chosen else []
    raw = []
    for label in SETTINGS:
        if chosen and label not in chosen:
            raw += [one for one in kept if one["setting"] == label]
            continue
        for resolution in RESOLUTIONS:
            raw.append(measured(label, resolution))
            print(*cells(raw[-1]), sep=" | ", flush=True)
    _harness.save(
        "verdicts",
        "A verdict on maps of 784 inputs and 1000 features, beside their draws",
        [
            "map",
            "resolution",
            "draws",
            "CPU seconds",
            "over the draws alone",
            "over draws and features of 6 rows",
            "wall time of 2 threads over 1",
        ],
        list(map(cells, raw)),
        raw,
    )


if __name__ == "__main__":
    main()
