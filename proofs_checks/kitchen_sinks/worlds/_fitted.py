"""Weights fitted to labels under the loss (1 - t)/2, where everything has a closed form.

On [-1, 1] this loss is linear, so for C <= 1 the empirical risk (1 - <alpha, mean of y phi>)/2 is
minimised by hand: over the box by (C/K) times the signs, over the ball by (C/sqrt K) times the
direction. The best function with norm at most 1 has risk (1 - E |g|)/2, g = E y phi: alpha* = pi
times the sign of g. Throughout C = 1 and L = 1/2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._cosines import Cosines, blocks, cosine_features

LIPSCHITZ = 0.5


@dataclass(frozen=True)
class Products:
    """Means (n, K) of y phi over samples and over everything; `best` is E |g| over the features."""

    empirical: Any
    true: Any
    best: float


# rng, K, N, number of draws -> products
Draw = Callable[[np.random.Generator, int, int, int], Products]


def cosine_products(world: Cosines) -> Draw:
    """Return the drawing of features and samples for cosine features."""

    def draw(rng: np.random.Generator, n_features: int, n_samples: int, n_draws: int) -> Products:
        empirical, true = [], []
        for n in blocks(n_draws, n_features * n_samples):
            w, b = world.draw(rng, n, n_features)
            x, y = world.sample(rng, n, n_samples)
            phi = cosine_features(x, w, b)
            empirical.append((y[:, np.newaxis, :] @ phi)[:, 0, :] / n_samples)
            true.append(world.label_products(w, b))
        return Products(
            np.concatenate(empirical), np.concatenate(true), world.mean_absolute_product
        )

    return draw


def box(products: Products) -> Any:
    """Compute excess risks of the minimiser over |alpha_k| <= 1/K."""
    alpha = np.sign(products.empirical) / products.empirical.shape[1]
    return LIPSCHITZ * (products.best - (alpha * products.true).sum(axis=1))


def ball(products: Products) -> Any:
    """Compute excess risks of the minimiser over |alpha|_2 <= 1/sqrt K."""
    length = np.linalg.norm(products.empirical, axis=1, keepdims=True)
    alpha = products.empirical / length / np.sqrt(products.empirical.shape[1])
    return LIPSCHITZ * (products.best - (alpha * products.true).sum(axis=1))


def largest_gap(products: Products) -> Any:
    """Compute the largest |R - R_emp| over the box, at the corner that agrees with every sign."""
    return LIPSCHITZ * np.abs(products.empirical - products.true).mean(axis=1)
