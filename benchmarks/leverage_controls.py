"""Where choosing features helps a learner and where it does not, with controls.

Ridge regression with M features from a pool of 10 M, validated ridge, paired over seeds. Mode
"fixed": the bandwidth that suits exact kernel ridge regression; mode "tuned": each method's own
best on the validation rows. Prints the geometric mean of the test error over that of plain
sampling; "best of 3" takes the best of three draws on the validation rows, for both.

    python benchmarks/leverage_controls.py [SEEDS]
"""

from __future__ import annotations

import sys

import numpy as np

import mehler
from mehler.features import leverage

LAM = 1e-3
RIDGES = 10.0 ** np.arange(-10, 1)
METHODS = {
    "leverage": lambda pool, m, seed: leverage.LeverageSampling(pool, m, lam=LAM, seed=seed),
    "top leverage": lambda pool, m, seed: leverage.TopLeverage(pool, m, lam=LAM),
    "top variance": lambda pool, m, seed: leverage.TopVariance(pool, m),
    "EERF": lambda pool, m, seed: leverage.EERF(pool, m),
}


def data(name, seed):
    """Rows and targets: training, validation, test."""
    rng = np.random.default_rng(seed)
    if name.startswith("1-d"):
        x = rng.standard_normal((500, 1))
        y = np.sin(3 * x[:, 0]) + 0.5 * np.cos(5 * x[:, 0])
    else:
        x = rng.standard_normal((500, 5))
        y = np.sin(x @ np.array([1.0, -1.0, 0.5, 0.2, 0.0])) + 0.3 * x[:, 1] * x[:, 2]
    if name.endswith("noisy"):
        y = y + 0.2 * rng.standard_normal(500)
    cuts = (slice(0, 300), slice(300, 400), slice(400, 500))
    return [(x[cut], y[cut]) for cut in cuts]


def solve(z, parts):
    """Validation and test error at the best ridge, over the parts' features."""
    (_, y), (_, v), (_, t) = parts
    u, s, vh = np.linalg.svd(z[0] - z[0].mean(axis=0), full_matrices=False)
    seen = u.T @ (y - y.mean())
    best = (np.inf, np.inf)
    for ridge in RIDGES:
        theta = vh.T @ (s / (s**2 + ridge * len(y)) * seen)
        off = [
            np.mean(((zz - z[0].mean(axis=0)) @ theta + y.mean() - yy) ** 2)
            for zz, yy in zip(z[1:], (v, t), strict=True)
        ]
        best = min(best, tuple(off))
    return best


def exact_bandwidth(parts, gammas):
    """Of exact kernel ridge regression, by its validation error."""
    x, y = parts[0]
    found = []
    for gamma in gammas:
        k = np.exp(-gamma * ((x[:, None] - x) ** 2).sum(axis=2))
        kv = np.exp(-gamma * ((parts[1][0][:, None] - x) ** 2).sum(axis=2))
        for ridge in RIDGES:
            alpha = np.linalg.solve(k + ridge * len(y) * np.eye(len(y)), y)
            found.append((np.mean((kv @ alpha - parts[1][1]) ** 2), gamma))
    return min(found)[1]


def errors(parts, m, gammas, method, seed):
    """Best (validation, test) over bandwidths; None is plain sampling from fresh draws."""
    found = []
    for gamma in gammas:
        size = m if method is None else 10 * m
        pool = mehler.FourierFeatures.draw(
            parts[0][0].shape[1], size, gamma=gamma, form="offset", seed=seed
        )
        phi = pool if method is None else METHODS[method](pool, m, seed).fit(*parts[0])
        found.append(solve([phi(x) for x, _ in parts], parts))
    return min(found)


def main() -> None:
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    gammas = (0.1, 0.5, 2.0, 8.0)
    print(f"{'data':10s} {'M':>3s} {'mode':6s} {'draws':>9s}  " + "  ".join(METHODS))
    for name in ("1-d", "1-d noisy", "5-d"):
        for m in (10, 20, 40):
            for mode in ("fixed", "tuned"):
                for draws in (1, 3):
                    logs = {method: [] for method in METHODS}
                    for seed in range(seeds):
                        parts = data(name, seed)
                        own = (exact_bandwidth(parts, gammas),) if mode == "fixed" else gammas
                        best = {
                            method: min(
                                errors(parts, m, own, method, 100 * seed + draw)
                                for draw in range(draws)
                            )[1]
                            for method in (None, *METHODS)
                        }
                        for method in METHODS:
                            logs[method].append(np.log(best[method] / best[None]))
                    row = "  ".join(
                        f"{np.exp(np.mean(logs[one])):{len(one)}.2f}" for one in METHODS
                    )
                    print(f"{name:10s} {m:3d} {mode:6s} {draws:9d}  {row}", flush=True)


if __name__ == "__main__":
    main()
