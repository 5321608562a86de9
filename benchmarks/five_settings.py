"""Spectral and entrywise errors on five kinds of rows: our bound, the known one, draws, below.

    python benchmarks/five_settings.py

300 rows each: MNIST and Adult (of packages that `mehler.data` names; left
out where they are not installed), digits of scikit-learn, a
sphere, and a subspace of five dimensions in fifty. Gaussian kernel at the median distance, pairs of
cosine and sine, confidence 95 %, the quantile of 100 draws. From below: the spectral error by one
direction of 60 rows, the entries by one pair.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import mehler
from mehler import data
from mehler.bounds import kernel_error, lower, spectral
from proofs_checks.features.gram_error import known_before

N, DELTA, DRAWS, COLUMNS, SOME = 300, 0.05, 100, 4000, 60


def rows() -> Iterator[tuple[str, Any]]:
    """Return the five settings."""
    rng = np.random.default_rng(0)
    for name in ("mnist_5k", "adult", "digits"):
        try:
            x = np.asarray(getattr(data, name)().X, dtype=float)
        except data.MissingDataError as error:
            print(f"| {name} | left out: {str(error).split(':')[0]} is not installed | | | | |")
            continue
        x = x.reshape(len(x), -1)[rng.choice(len(x), N, replace=False)]
        yield name, (x - x.mean(axis=0)) / np.maximum(x.std(), 1e-12)
    sphere = rng.standard_normal((N, 5))
    yield "sphere", sphere / np.linalg.norm(sphere, axis=1, keepdims=True)
    yield "subspace", rng.standard_normal((N, 5)) @ rng.standard_normal((5, 50))


def direction(x: Any, kernel: Any, gamma: float, ridge: float) -> float:
    """Return the best lower bound of the spectral error by ten directions of some rows.

    They are eigenvectors of the exact kernel, so known before the draw. Fourth moments are
    quadratic forms of the kernel at all differences of rows.
    """
    mean, vectors = np.linalg.eigh(kernel[:SOME, :SOME])
    differences = (x[:SOME, None, :] - x[None, :SOME, :]).reshape(SOME**2, -1)
    weights = np.stack([np.outer(v, v).ravel() for v in vectors.T[:-11:-1]], axis=1)
    squares = (differences**2).sum(axis=1)
    second = np.zeros(10)
    for part in np.array_split(np.arange(SOME**2), 10):
        far = squares[part, None] + squares - 2 * differences[part] @ differences.T
        shared = np.exp(-gamma * np.maximum(far, 0.0)) @ weights
        second += np.sum(weights[part] * shared, axis=0)
    found = []
    for v, mu, moment in zip(vectors.T[:-11:-1], mean[:-11:-1], second, strict=True):
        variance, most = float(moment - mu**2), float(np.abs(v).sum()) ** 2
        # Values lie between 0 and the square of the sum of weights.
        third = max(float(mu), most - float(mu)) / variance**0.5
        told: Any = {"mean": float(mu), "variance": variance, "third": third}
        bound = lower.gram_direction(COLUMNS, ridge=ridge, delta=DELTA, block=2, **told)
        found.append(bound.value)
    return max(found)


def main() -> None:
    """Print the table."""
    print("| rows | error | ours | known | drawn, 95 % | at least |\n|---|---|---|---|---|---|")
    for name, x in rows():
        squared = ((x[:, None, :] - x[None, :, :]) ** 2).sum(axis=2)
        gamma = 1 / float(np.median(squared))
        ridge = 0.03 * N
        kernel = mehler.FourierFeatures.draw(x.shape[1], 2, gamma=gamma, seed=0).kernel(x)
        mu, vectors = np.linalg.eigh(kernel)
        root = (vectors / np.sqrt(np.maximum(mu, 0) + ridge)) @ vectors.T
        drawn = []
        for seed in range(DRAWS):
            z = mehler.FourierFeatures.draw(x.shape[1], COLUMNS, gamma=gamma, seed=seed)(x)
            off = z @ z.T - kernel
            drawn.append((np.linalg.norm(root @ off @ root, 2), np.abs(off).max()))
        seen = np.quantile(drawn, 1 - DELTA, axis=0)
        told: Any = {"ridge": ridge, "delta": DELTA, "eigenvalues": mu}
        ours = spectral.gram_error(COLUMNS, sup=1.0, block=2, **told).value
        known = float(known_before(COLUMNS, **told).value)
        below = direction(x, kernel, gamma, ridge)
        print(f"| {name} | spectral | {ours:.3f} | {known:.3f} | {seen[0]:.3f} | {below:.3f} |")
        pairs = kernel_error.all_pairs(COLUMNS // 2, n_samples=N, delta=DELTA, width=2.0).value
        phi = mehler.FourierFeatures.draw(x.shape[1], COLUMNS, gamma=gamma, seed=0)
        spread = float(phi.variance(x).max()) / 2
        one = lower.one_pair(COLUMNS // 2, delta=DELTA, variance=spread, third=2 / spread**0.5)
        rahimi = 2 * np.sqrt(np.log(2 * N * N / DELTA) / COLUMNS)
        print(
            f"| {name} | entries | {pairs:.3f} | {rahimi:.3f} | {seen[1]:.3f} | {one.value:.3f} |"
        )


if __name__ == "__main__":
    main()
