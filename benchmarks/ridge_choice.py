"""Two ways to a lambda for ridge on features: leave-one-out errors, and the theorem's advice.

The theorem's lambda (`bounds.ridge.best_ridge`, what `mehler plan --task ridge` prints) is taken
twice: for noise 0.1 and norm 1, the command's defaults, and for both as estimated on the training
rows by the exact kernel, left out. Ten draws of rows and map; both lambdas fit the same features of
the same rows, so that differences are paired. Intervals are Student's, at 95 %, for the mean over
draws of rows from this data set and of maps.

    python benchmarks/ridge_choice.py [FOLDER]

docs/data.md says how to fill FOLDER, of which the first 10,000 rows are dealt;
without it the digits of scikit-learn alone.
"""

from __future__ import annotations

import sys

import _harness
import numpy as np
from mehler.proofs_checks.experiments import data
from scipy import stats

import mehler
from mehler import learn
from mehler.bounds import ridge

DRAWS, TRAIN, SIZES = 10, 1000, (100, 1000)
GRID = 10.0 ** np.arange(-9, 0.1, 0.5)
MAPS = {
    "maxout, q = 4": lambda d, m, s: mehler.MaxoutFeatures.draw(d, m, 4, seed=s),
    "cosines and sines": lambda d, m, s: mehler.FourierFeatures.draw(d, m, gamma=1.0, seed=s),
}
CHOICES = ("left out", "theorem, defaults", "theorem, estimated")


def load(folder):
    found = data.digits()
    yield "digits", unit(found.X), found.y
    if folder is not None:
        found = data.mnist(folder)
        yield "MNIST", unit(found.X[:10_000]), found.y[:10_000]


def unit(x):
    x = x.reshape(len(x), -1).astype(np.float64)
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def advised(kernel, y):
    """Return the theorem's lambda for the defaults, and for noise and norm as estimated."""
    mu, u = np.linalg.eigh(kernel)
    mu, n, uy = np.maximum(mu, 0.0), len(y), u.T @ y
    best = np.inf, 0.0, 0.0
    for lam in GRID:
        kept = mu / (mu + n * lam)
        left = (y - u @ (kept[:, None] * uy)) / (1 - (u * u) @ kept)[:, None]
        norm = np.sum((mu / (mu + n * lam) ** 2)[:, None] * uy**2)
        best = min(best, (np.mean(np.sum(left**2, axis=1)), norm, lam))
    noise, norm = np.sqrt(best[:2])
    told = {"eigenvalues": mu}
    default = ridge.best_ridge(norm=1.0, noise=0.1, **told)
    return default, ridge.best_ridge(norm=norm, noise=noise, **told), noise, norm


def one_draw(draw, x, labels, seed):
    """Return for each m and choice: lambda, squared error and share of mistakes on other rows."""
    dealt = np.random.default_rng(seed).permutation(len(x))
    train, test = dealt[:TRAIN], dealt[TRAIN : TRAIN + 2000]
    codes, classes = learn.one_vs_all(labels)
    d = x.shape[1]
    kernel = np.asarray(draw(d, 2, 0).kernel(x[train]))
    default, estimated, noise, norm = advised(kernel, codes[train])
    found = {}
    for m in SIZES:
        phi = draw(d, m, seed)
        chosen = learn.ridge(phi, x[train], codes[train], lambdas=GRID)
        others = learn.RidgeSums(phi).add(x[train], codes[train]).solve((default, estimated))
        for name, fit in zip(CHOICES, (chosen, *others), strict=True):
            values = fit.predict(x[test])
            squares = float(np.mean((values - codes[test]) ** 2))
            wrong = float(np.mean(classes[values.argmax(axis=1)] != labels[test]))
            found[m, name] = fit.lam, squares, wrong
    return found, (float(noise), float(norm))


def paired(values, scale):
    """Mean difference with its interval, in the unit of the table."""
    mean, error = np.mean(values), stats.sem(values)
    half = stats.t.ppf(0.975, len(values) - 1) * error
    return f"{scale * mean:+.2f} ({scale * (mean - half):+.2f} to {scale * (mean + half):+.2f})"


def main():
    rows, raw = [], []
    for where, x, labels in load(sys.argv[1] if len(sys.argv) > 1 else None):
        for name, draw in MAPS.items():
            draws = [one_draw(draw, x, labels, seed) for seed in range(DRAWS)]
            noise, norm = np.median([told for _, told in draws], axis=0)
            for m in SIZES:
                first = np.array([found[m, CHOICES[0]] for found, _ in draws])
                for choice in CHOICES:
                    here = np.array([found[m, choice] for found, _ in draws])
                    off = here - first
                    same = choice == CHOICES[0]
                    rows.append(
                        [
                            f"{where}, {name}",
                            f"{m}",
                            choice,
                            f"{np.median(here[:, 0]):.1e}",
                            f"{np.mean(here[:, 1]):.3f}",
                            "" if same else paired(off[:, 1], 1000),
                            f"{100 * np.mean(here[:, 2]):.1f} %",
                            "" if same else paired(off[:, 2], 100),
                        ]
                    )
                    raw.append(
                        {"data": where, "map": name, "m": m, "choice": choice}
                        | {"noise": float(noise), "norm": float(norm)}
                        | {"lambda_squares_wrong": here.tolist()}
                    )
                    print(*rows[-1], sep=" | ", flush=True)
            print(f"estimated noise {noise:.3g}, norm {norm:.3g}", flush=True)
    _harness.save(
        "ridge_choice",
        f"Ridge on features, {TRAIN} rows, ten targets: lambda left out and by the theorem",
        [
            "data, map",
            "m",
            "lambda",
            "its median",
            "squared error",
            "less that of left out, in 1/1000 (95 %)",
            "mistakes",
            "less those of left out, in points (95 %)",
        ],
        rows,
        raw,
    )


if __name__ == "__main__":
    main()
