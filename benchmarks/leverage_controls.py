"""Where choosing features helps a learner and where it does not, with controls.

Ridge regression with M features from a pool of 10 M, validated ridge, paired over seeds. Mode
"fixed": the bandwidth that suits exact kernel ridge regression; mode "tuned": each method's own
best on the validation rows. Prints the geometric mean of the test error over that of plain
sampling, a star where a paired Wilcoxon test has p < 0.05 (of so many cells one in twenty has it
by chance); with 3 draws the best of three on the validation rows counts, for all; "exact" is
kernel ridge regression without features, the floor. d and gain are the degrees of freedom and the
predicted gain of the scores at the fixed bandwidth, for the first seed.

    python benchmarks/leverage_controls.py [SEEDS]
"""

from __future__ import annotations

import sys

import numpy as np
from mehler.proofs_checks.experiments.leverage import rivals
from scipy.stats import wilcoxon

import mehler
from mehler.features import leverage

LAM = 1e-3
RIDGES = 10.0 ** np.arange(-10, 1)
METHODS = {
    "leverage": lambda pool, m, seed, y: leverage.LeverageSampling(pool, m, lam=LAM, seed=seed),
    "top leverage": lambda pool, m, seed, y: leverage.TopLeverage(pool, m, lam=LAM),
    "top variance": lambda pool, m, seed, y: rivals.TopVariance(pool, m),
    "EERF": lambda pool, m, seed, y: rivals.EERF(pool, m, y=y),
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
    """Of exact kernel ridge regression, by its validation error; and its test error."""
    x, y = parts[0]
    found = []
    for gamma in gammas:
        k = np.exp(-gamma * ((x[:, None] - x) ** 2).sum(axis=2))
        others = [np.exp(-gamma * ((z[:, None] - x) ** 2).sum(axis=2)) for z, _ in parts[1:]]
        for ridge in RIDGES:
            alpha = np.linalg.solve(k + ridge * len(y) * np.eye(len(y)), y)
            off = [
                np.mean((one @ alpha - v) ** 2)
                for one, (_, v) in zip(others, parts[1:], strict=True)
            ]
            found.append((off[0], gamma, off[1]))
    return min(found)[1:]


def errors(parts, m, gammas, method, seed):
    """Best (validation, test) over bandwidths; None is plain sampling from fresh draws."""
    found = []
    for gamma in gammas:
        size = m if method is None else 10 * m
        pool = mehler.FourierFeatures.draw(
            parts[0][0].shape[1], size, gamma=gamma, form="offset", seed=seed
        )
        x, y = parts[0]
        phi = pool if method is None else METHODS[method](pool, m, seed, y).fit(x)
        found.append(solve([phi(x) for x, _ in parts], parts))
    return min(found)


def cell(values):
    star = "*" if wilcoxon(values).pvalue < 0.05 else " "
    return f"{np.exp(np.mean(values)):8.2f}{star}"


def predicted(name, gamma, m):
    parts = data(name, 0)
    pool = mehler.FourierFeatures.draw(
        parts[0][0].shape[1], 10 * m, gamma=gamma, form="offset", seed=0
    )
    scores = leverage.LeverageSampling(pool, m, lam=LAM, seed=0).scores(parts[0][0])
    return f"d {scores.degrees_of_freedom:.0f}, gain {scores.gain:.0f}"


def main() -> None:
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    gammas = (0.1, 0.5, 2.0, 8.0)
    print("| data | M | bandwidth | draws | " + " | ".join(METHODS) + " | exact |")
    print("|---|" + "---|" * (len(METHODS) + 4))
    for name in ("1-d", "1-d noisy", "5-d"):
        sets = [data(name, seed) for seed in range(seeds)]
        exact = [exact_bandwidth(parts, gammas) for parts in sets]
        for m in (10, 20, 40):
            for mode in ("fixed", "tuned"):
                for draws in (1, 3):
                    logs = {method: [] for method in (*METHODS, "exact")}
                    for seed, (parts, (gamma, floor)) in enumerate(zip(sets, exact, strict=True)):
                        own = (gamma,) if mode == "fixed" else gammas
                        best = {
                            method: min(
                                errors(parts, m, own, method, 100 * seed + draw)
                                for draw in range(draws)
                            )[1]
                            for method in (None, *METHODS)
                        }
                        best["exact"] = floor
                        for method, found in logs.items():
                            found.append(np.log(best[method] / best[None]))
                    row = " | ".join(cell(found) for found in logs.values())
                    note = predicted(name, exact[0][0], m)
                    print(f"| {name} ({note}) | {m} | {mode} | {draws} | {row} |", flush=True)


if __name__ == "__main__":
    main()
