"""Ridge regression on features in blocks beside features held whole and scikit-learn's Ridge.

Two maps, two dtypes, one lambda each, so that both do the same work; then the path of ten lambdas
with exact leave-one-out errors beside RidgeCV, which holds the features too. CPU time and memory,
and the largest difference of predictions from a float64 solution, in standard deviations.
With `large N` it measures one fit at m = 10,000 instead, with the peak memory of the process.

    python benchmarks/ridge.py [large N]
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import _harness
import numpy as np
from sklearn.linear_model import Ridge, RidgeCV

import mehler
from mehler import learn

LAM = 1e-4
PATH = 10.0 ** np.arange(-8, 2)


def data(n, d, dtype):
    x = np.random.default_rng(0).standard_normal((n, d)).astype(dtype)
    y = np.stack([np.sin(x[:, 0]), np.tanh(x[:, 1] * x[:, 2])], axis=1)
    return x, y


def maps(d, m):
    return {
        "maxout q=4": mehler.MaxoutFeatures.draw(d, m, 4, seed=0),
        "Fourier pairs": mehler.FourierFeatures.draw(d, m, seed=0, gamma=0.5 / d),
    }


def in_blocks(phi, x, y):
    return learn.RidgeSums(phi).add(x, y).solve(LAM, solver="direct")[0]


def held_whole(phi, x, y):
    return Ridge(LAM * len(x)).fit(phi(x), y)


def one_lambda(n, d, m):
    rows, raw = [], []
    for dtype in ("float32", "float64"):
        x, y = data(n, d, dtype)
        for name, phi in maps(d, m).items():
            exact = held_whole(phi, x.astype(np.float64), y)
            values = exact.predict(phi(x[:2000].astype(np.float64)))
            ours, theirs = in_blocks(phi, x, y), held_whole(phi, x, y)
            off = [
                float(np.abs(p - values).max() / values.std())
                for p in (ours.predict(x[:2000]), theirs.predict(phi(x[:2000])))
            ]
            runs = {
                "held whole": lambda phi=phi, x=x, y=y: held_whole(phi, x, y),
                "in blocks": lambda phi=phi, x=x, y=y: in_blocks(phi, x, y),
            }
            found = _harness.ratios(runs, rounds=5)
            memory = {key: _harness.added_memory(run) for key, run in runs.items()}
            setting = f"{name}, N = {n}, d = {d}, m = {m}, {dtype}"
            rows.append(
                [
                    setting,
                    _harness.spread(found["in blocks"]),
                    f"{memory['in blocks']:.0f} / {memory['held whole']:.0f}",
                    f"{off[0]:.1e} / {off[1]:.1e}",
                ]
            )
            raw.append({"setting": setting, "ratios": found, "mib": memory, "error": off})
            print(rows[-1], flush=True)
    return rows, raw


def whole_path(n, d, m):
    x, y = data(n, d, "float64")
    phi = maps(d, m)["maxout q=4"]
    runs = {
        "RidgeCV": lambda: RidgeCV(PATH * n).fit(phi(x), y),
        "in blocks": lambda: learn.ridge(phi, x, y, lambdas=PATH),
    }
    found = _harness.ratios(runs, rounds=3)
    memory = {key: _harness.added_memory(run) for key, run in runs.items()}
    ours, theirs = runs["in blocks"](), runs["RidgeCV"]()
    assert abs(ours.lam * n / theirs.alpha_ - 1) < 1e-9
    setting = f"10 lambdas left out, maxout q=4, N = {n}, d = {d}, m = {m}, float64"
    cells = [
        setting,
        _harness.spread(found["in blocks"]),
        f"{memory['in blocks']:.0f} / {memory['RidgeCV']:.0f}",
        "same lambda",
    ]
    return [cells], [{"setting": setting, "ratios": found, "mib": memory}]


def large(n, m=10_000):
    """Peak memory of the process, as the system counts it, less what was there before."""
    blas()
    x, y = data(n, 784, "float32")
    y = np.tile(y, (1, 5)).astype(np.float32)
    phi = mehler.MaxoutFeatures.draw(784, m, 4, seed=0, dtype="float32")
    phi(x[:10])
    Path("/proc/self/clear_refs").write_text("5")
    before = _status("VmRSS")
    start = time.process_time()
    sums = learn.RidgeSums(phi).add(x, y)
    summed = time.process_time() - start
    fits = sums.solve((1e-4, 1e-3), solver="direct")
    assert fits[1].weights.shape == (m, 10)
    peak = _status("VmHWM") - before
    total = time.process_time() - start
    text = (
        f"Measured {time.strftime('%Y-%m-%d')} by `python benchmarks/ridge.py large {n}` "
        f"({_harness.machine()}): {n} rows, d = 784, m = {m} maxout features, q = 4, float32 with "
        f"sums in float64, 10 targets, two lambdas by Cholesky. CPU time {total:.0f} s, of which "
        f"sums {summed:.0f} s; peak memory added {peak:.0f} MiB. The features alone would be "
        f"{n * m * 4 / 2**20:.0f} MiB.\n"
    )
    raw = {"n": n, "m": m, "cpu_seconds": total, "sums_seconds": summed, "peak_mib": peak}
    _harness.save_text("ridge_large", text, raw)
    print(text)


def blas():
    """Load what is loaded once, so that it is not counted."""
    x, y = data(50, 8, "float32")
    in_blocks(maps(8, 20)["maxout q=4"], x, y)


def _status(key):
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(key))


def main():
    if sys.argv[1:2] == ["large"]:
        large(int(sys.argv[2]))
        return
    rows, raw = one_lambda(16_384, 40, 1500)
    more = whole_path(8_192, 40, 500)
    _harness.save(
        "ridge",
        "Ridge on features: CPU time in blocks over that of features held whole with scikit-learn",
        [
            "setting",
            "CPU time ratio, median (least to largest)",
            "MiB added, in blocks / held whole",
            "error against float64 in deviations, in blocks / held whole",
        ],
        rows + more[0],
        raw + more[1],
    )


if __name__ == "__main__":
    main()
