"""Ridge regression on pixels of MNIST, compared with scikit-learn's Pipeline(RBFSampler, Ridge).

The same Gaussian kernel, as many features, the same lambda, float32 rows, ten targets. Fourier
features come in pairs, so that half of the projections are made, and block by block; the pipeline
holds 60,000 rows of features, and centres a copy of them. CPU time with one thread, interleaved;
then the peak memory of each, and the errors on the 10,000 rows for testing.

    python benchmarks/ridge_mnist.py FOLDER [m ...]

docs/data.md says how to fill FOLDER.
"""

from __future__ import annotations

import statistics
import sys

import _harness
import numpy as np
from mehler.proofs_checks.experiments import data
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

import mehler
from mehler import learn

LAM = 1e-6
GAMMA = 0.02  # of pixels between 0 and 1
SIZES = (1000, 2000)
ROUNDS = 5


def load(folder):
    found = data.mnist(folder)
    rows = [x.reshape(len(x), -1).astype(np.float32) / 255 for x in (found.X, found.X_test)]
    codes, _ = learn.one_vs_all(found.y)
    return (*rows, codes.astype(np.float32), found.y_test)


def contenders(x, y, m):
    d = x.shape[1]
    pairs = mehler.FourierFeatures.draw(d, m, gamma=GAMMA, seed=0, like=x)

    def pipeline(n):
        sampler = RBFSampler(gamma=GAMMA, n_components=m, random_state=0)
        return make_pipeline(sampler, Ridge(LAM * n)).fit(x[:n], y[:n])

    def in_blocks(n):
        return learn.RidgeSums(pairs).add(x[:n], y[:n]).solve(LAM)[0]

    return {"Pipeline(RBFSampler, Ridge)": pipeline, "FourierFeatures, in blocks": in_blocks}


def main():
    folder, *sizes = sys.argv[1:]
    x, x_test, y, labels = load(folder)
    n = len(x)
    rows, raw = [], []
    for m in map(int, sizes or SIZES):
        runs = contenders(x, y, m)
        for run in runs.values():
            run(n // 20)  # what is loaded once is loaded by now
        found = _harness.ratios(
            {name: lambda run=run: run(n) for name, run in runs.items()}, rounds=ROUNDS, warm=False
        )
        for name, run in runs.items():
            few, _ = _harness.extra_memory(lambda run=run: run(n // 4))
            most, fit = _harness.extra_memory(lambda run=run: run(n))
            memory = [few, most]
            mistakes = np.mean(fit.predict(x_test).argmax(axis=1) != labels)
            ratio = _harness.spread(found[name])
            cells = f"{memory[0]:.0f} / {memory[1]:.0f}"
            rows.append([f"{m}", name, ratio, cells, f"{100 * mistakes:.2f} %"])
            raw.append(
                {
                    "m": m,
                    "contender": name,
                    "ratios": found[name],
                    "median": statistics.median(found[name]),
                    "mib_quarter": memory[0],
                    "mib": memory[1],
                    "mistakes": float(mistakes),
                }
            )
            print(*rows[-1], flush=True)
    _harness.save(
        "ridge_mnist",
        f"Ridge regression on MNIST, {n} rows, d = 784, float32, ten targets",
        [
            "m",
            "contender",
            "CPU time ratio, median (least to largest)",
            f"MiB at the peak, {n // 4} / {n} rows",
            "mistakes on 10,000 others",
        ],
        rows,
        raw,
    )


if __name__ == "__main__":
    main()
