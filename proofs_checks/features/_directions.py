"""Lower bounds of the error of a Gram matrix of cosines and sines, by its best direction."""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler.bounds import Bound, lower

# Differences of pairs of rows in one block: 16 MB.
_BLOCK = 2_000_000


def best_direction(
    rows: Any, m: int, *, gamma: float, delta: float, ridge: float | None, most: int = 10
) -> Bound:
    """Return the largest of `lower.gram_error_direction` over eigenvectors of the exact kernel.

    They are known before the draw. Without a ridge it bounds the operator norm.
    """
    told = moments(rows, gamma=gamma, most=most)
    if ridge is None:
        found = [
            lower.one_pair(m // 2, delta=delta, variance=one["variance"], third=one["third"])
            for one in told
        ]
    else:
        found = [
            lower.gram_error_direction(m, ridge=ridge, delta=delta, block=2, **one) for one in told
        ]
    return max(found, key=lambda one: float(one.value))


def moments(rows: Any, *, gamma: float, most: int) -> list[dict[str, float]]:
    r"""Return mean, variance and standardised range of |sum_i v_i e^{i<w, x_i>}|^2.

    The v are the first eigenvectors of the Gaussian kernel of the rows. Second moments are
    quadratic forms of the kernel at all differences of rows.
    """
    n = len(rows)
    differences = (rows[:, None, :] - rows[None, :, :]).reshape(n * n, -1)
    squares = (differences**2).sum(axis=1)
    mean, vectors = np.linalg.eigh(np.exp(-gamma * squares).reshape(n, n))
    mean, vectors = mean[::-1][:most], vectors[:, ::-1][:, :most]
    weights = np.stack([np.outer(v, v).ravel() for v in vectors.T], axis=1)
    second = np.zeros(len(mean))
    for part in np.array_split(np.arange(n * n), -(-(n**4) // _BLOCK)):
        far = squares[part, None] + squares - 2 * differences[part] @ differences.T
        shared = np.exp(-gamma * np.maximum(far, 0.0)) @ weights
        second += np.sum(weights[part] * shared, axis=0)
    found = []
    for v, mu, moment in zip(vectors.T, mean, second, strict=True):
        variance, reach = float(moment - mu**2), float(np.abs(v).sum()) ** 2
        # Values lie between 0 and the square of the sum of weights.
        third = max(float(mu), reach - float(mu)) / variance**0.5
        found.append({"mean": float(mu), "variance": variance, "third": third})
    return found
