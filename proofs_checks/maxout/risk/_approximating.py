"""Functions of the infinite class with known values, and their approximation by m units."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from mehler import exact

from ._excess_risk import block_sizes

# Accelerated gradient steps from the Monte Carlo function towards the nearest one of the box.
_STEPS = 12


def signed_values(rho: Any, pool_size: int) -> Any:
    """Compute F / C at the correlations, shape (n,); to 1e-8 for pools up to 64."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    weights = weights / weights.sum()
    steps, step_weights = np.polynomial.legendre.leggauss(40)
    t = np.asarray(rho)[:, None] * (steps + 1) / 2
    inside = special.ndtr(np.sqrt(1 - t * t)[..., None] * nodes) ** (pool_size - 1) @ weights
    return math.sqrt(2 / math.pi) * np.asarray(rho) / 2 * (inside @ step_weights)


@dataclass(frozen=True)
class Approximations:
    """L2 distances (n_draws,) from f, over equally likely points, of independent draws of m units.

    `monte_carlo` is the Monte Carlo function, `best` the best function found in the box, an upper
    bound of the best one there is; `norm` is that of f.
    """

    monte_carlo: Any
    best: Any
    norm: float


def mean_square(pool_size: int, norm: float, n_features: int) -> float:
    """Compute E |f^ - f|^2 of the Monte Carlo function for C = 1.

    Its terms are independent, and |f_1| = |phi|.
    """
    return float((exact.sigma2(pool_size) - norm**2) / n_features)


def draw_approximations(
    rng: np.random.Generator,
    points: Any,
    *,
    pool_size: int,
    n_features: int,
    scale: float,
    n_draws: int,
) -> Approximations:
    """Draw the distance of m units from the f of a random direction u, at unit points."""
    n, d = points.shape
    u = rng.standard_normal(d)
    u /= np.linalg.norm(u)
    f = (scale * signed_values(np.clip(points @ u, -1, 1), pool_size)).astype(np.float32)
    columns = np.concatenate([points.T, u[:, None]], axis=1).astype(np.float32)
    first, best = [], []
    for block in block_sizes(n_draws, n_features * max(n, d)):
        winner = rng.standard_normal((block * n_features, d), dtype=np.float32) @ columns
        signs = np.where(winner[:, n] < 0, np.float32(-1), np.float32(1)).reshape(block, -1, 1)
        phi = winner[:, :n]
        for _ in range(pool_size - 1):
            weights = rng.standard_normal((block * n_features, d), dtype=np.float32)
            phi = np.maximum(phi, weights @ columns[:, :n])
        phi = phi.reshape(block, n_features, n) * np.float32(scale / n_features)
        start, end = _descend(phi, signs, f)
        first.append(start)
        best.append(end)
    return Approximations(
        np.concatenate(first), np.concatenate(best), float(np.sqrt((f.astype(float) ** 2).mean()))
    )


def _descend(phi: Any, signs: Any, f: Any) -> tuple[Any, Any]:
    """Return distances of the starting function at `signs`, and of the nearest one found."""
    rows = phi.transpose(0, 2, 1)
    # The trace bounds the largest eigenvalue.
    step = 1 / (phi.astype(float) ** 2).sum(axis=(1, 2))[:, None, None].astype(np.float32)
    inside = ahead = signs
    gap = gap_ahead = np.matmul(rows, signs) - f[:, None]
    start = best = _length(gap)
    for k in range(_STEPS):
        moved = np.clip(ahead - step * np.matmul(phi, gap_ahead), -1, 1)
        gap_moved = np.matmul(rows, moved) - f[:, None]
        best = np.minimum(best, _length(gap_moved))
        weight = np.float32(k / (k + 3))
        ahead = moved + weight * (moved - inside)
        gap_ahead = gap_moved + weight * (gap_moved - gap)
        inside, gap = moved, gap_moved
    return start, best


def _length(gap: Any) -> Any:
    return np.sqrt((gap.astype(float) ** 2).mean(axis=(1, 2)))
