"""Divided maxout units of two weights on the unit sphere, with labels linear in the mean.

x is uniform on the sphere, E[y | x] = `signal` x_1, and phi(x; W) = max(<w_1, x>, <w_2, x>) with W
uniform on the unit sphere of 2d coordinates: a maxout unit divided by its Frobenius norm. The
even part |<w_1 - w_2, x>|/2 of phi does not meet x_1, so g = E y phi = signal (w_11 + w_21)/(2d).
"""

from __future__ import annotations

import math

import numpy as np

from ._cosines import blocks
from ._fitted import Draw, Products


def divided_products(n_inputs: int, *, signal: float = 1.0, divide: bool = True) -> Draw:
    """Return the drawing of features and samples; `divide=False` forgets the division."""

    def draw(rng: np.random.Generator, n_features: int, n_samples: int, n_draws: int) -> Products:
        empirical, true = [], []
        for n in blocks(n_draws, 2 * n_features * n_samples):
            w = rng.standard_normal((n, n_features, 2, n_inputs))
            if divide:
                w /= np.linalg.norm(w, axis=(2, 3), keepdims=True)
            x = rng.standard_normal((n, n_samples, n_inputs))
            x /= np.linalg.norm(x, axis=2, keepdims=True)
            labels = np.where(2 * rng.random((n, n_samples)) < 1 + signal * x[..., 0], 1.0, -1.0)
            phi = np.maximum(x @ w[:, :, 0].swapaxes(-1, -2), x @ w[:, :, 1].swapaxes(-1, -2))
            empirical.append((labels[:, np.newaxis, :] @ phi)[:, 0, :] / n_samples)
            true.append(signal * w[..., 0].sum(axis=2) / (2 * n_inputs))
        return Products(np.concatenate(empirical), np.concatenate(true), best(n_inputs, signal))

    return draw


def best(n_inputs: int, signal: float) -> float:
    """Compute E |g|: |w_11 + w_21| is sqrt 2 times a coordinate of the sphere in 2d dimensions."""
    coordinate = math.exp(math.lgamma(n_inputs) - math.lgamma(n_inputs + 0.5)) / math.sqrt(math.pi)
    return signal * math.sqrt(2) * coordinate / (2 * n_inputs)
