"""Suprema of |phi(x, W)| over sets of inputs: exact laws on subspheres, draws on point sets.

On the unit sphere of an r-dimensional subspace, the supremum of |phi(., W)| is the largest of the
q lengths |P w_j|, each a chi variable with r degrees of freedom: phi(x) >= |P w_j| at
x = P w_j / |P w_j|, and |phi| <= max_j |P w_j| everywhere.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special, stats

from ._excess_risk import block_sizes, units

# Doubling dimensions of the unit spheres of R^1, R^2, R^3: two points, six arcs of 60 degrees,
# and 19 to 32 caps of 30 degrees.
SUBSPHERES = {1: 1, 2: 3, 3: 5}


def failure(value: float, r: int, weights: int) -> float:
    """Compute P(largest of so many chi_r variables > value), accurate where it is tiny."""
    tail = float(stats.chi.sf(value, r))
    return 1.0 if tail == 1 else -math.expm1(weights * math.log1p(-tail))


def quantile(probability: float, r: int, weights: int) -> float:
    """Return the quantile of the largest of so many chi_r variables."""
    return float(stats.chi.isf(-math.expm1(math.log(probability) / weights), r))


def mean(r: int, weights: int) -> float:
    """Return the mean of the largest of so many chi_r variables, to 1e-10."""
    end = math.sqrt(r) + math.sqrt(2 * math.log(weights)) + 9
    nodes, node_weights = np.polynomial.legendre.leggauss(400)
    t = (nodes + 1) * end / 2
    # P(chi_r > t), of which 1 - F^n is taken without cancelling.
    tail = special.gammaincc(r / 2, t * t / 2)
    with np.errstate(divide="ignore"):
        beyond = -np.expm1(weights * np.log1p(-tail))
    return float(node_weights @ beyond * end / 2)


def draw_suprema(
    rng: np.random.Generator, points: Any, pool_size: int, n_features: int, n_draws: int
) -> Any:
    """Return the largest |phi| over the points and over m units, shape (n_draws,)."""
    blocks = block_sizes(n_draws, n_features * max(points.shape))
    return np.concatenate(
        [
            np.abs(units(rng, points, pool_size, (block, n_features))).max(axis=(1, 2))
            for block in blocks
        ]
    )
