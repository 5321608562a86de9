"""Excess risks of Theorem 2, drawn: a law of data on which everything in it is exact.

The inputs are finitely many points; the loss is the ramp V(t) = B clip((1 - t)/2, 0, 1), and the
box so small that every function keeps to the ramp's linear part. There the empirical minimiser is
alpha_l = (C/m) sign(E_N[y phi_l]), and with b(W) = E[y phi(x, W)]

    excess over the infinite class = (C B / 2) (E|b| - mean_l sign(E_N[y phi_l]) b(W^l)).

A draw in which some function leaves the linear part counts as the largest excess there is, B; and
E|b| is taken at the upper end of an interval for it. Both can only add violations.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mehler import exact
from mehler.verify import intervals

# Floats in one block of projections: 8 MB in single precision, which is what is drawn.
_BLOCK = 2_000_000
# Units that the interval for E|b| is made of, at most.
_UNITS = 2_000_000


@dataclass(frozen=True)
class Law:
    """Equally likely points (n, d), and the mean in [-1, 1] of the label y = +-1 at each."""

    points: Any
    label_mean: Any

    @classmethod
    def at_random(
        cls, rng: np.random.Generator, n_points: int, n_inputs: int, *, noise: float = 0.2
    ) -> Law:
        """Draw points on the sphere; y is the side of a hyperplane, wrong with chance `noise`."""
        points = rng.standard_normal((n_points, n_inputs))
        points /= np.linalg.norm(points, axis=1, keepdims=True)
        side = np.where(points @ rng.standard_normal(n_inputs) > 0, 1.0, -1.0)
        return cls(points, (1 - 2 * noise) * side)

    @property
    def size(self) -> int:
        """Number of points."""
        return int(self.points.shape[0])

    @property
    def radius(self) -> float:
        """Root mean square norm."""
        return float(np.sqrt((self.points**2).sum(axis=1).mean()))

    @property
    def geometry(self) -> dict[str, Any]:
        """The point set as the paper's formulas see it.

        n points are covered by themselves, so that the doubling dimension is at most log2 n.
        """
        gaps = self.points[:, None, :] - self.points[None, :, :]
        return {
            "n_inputs": int(self.points.shape[1]),
            "dimension": math.ceil(math.log2(self.size)),
            "diameter": float(np.sqrt((gaps**2).sum(axis=2).max())),
        }

    def second_moment(self, pool_size: int) -> float:
        """Compute E b(W)^2, from the expected kernel."""
        norms = np.linalg.norm(self.points, axis=1)
        rho = np.clip(self.points @ self.points.T / np.outer(norms, norms), -1, 1)
        v = self.label_mean / self.size * norms
        return float(v @ exact.maxout_kernel(rho, pool_size) @ v)

    def label_counts(self, rng: np.random.Generator, n_samples: int, n_draws: int) -> Any:
        """Return the empirical E_N[y 1{x = x_i}] of independent samples, shape (n_draws, n)."""
        chances = np.concatenate([1 + self.label_mean, 1 - self.label_mean]) / (2 * self.size)
        counts = rng.multinomial(n_samples, chances, size=n_draws)
        return (counts[:, : self.size] - counts[:, self.size :]) / n_samples


@dataclass(frozen=True)
class Drawn:
    """Excess risks of independent draws of weights and samples, by (m, N), sharing weights.

    `mean_size` is an interval for E|b|; excesses use its upper end. `best`, by m, is the excess
    risk of the best function of the box: the approximation error.
    """

    excess: dict[tuple[int, int], Any]
    mean_size: tuple[float, float]
    best: dict[int, Any]


def units(rng: np.random.Generator, points: Any, pool_size: int, shape: tuple[int, ...]) -> Any:
    """Return values of fresh units at the n points; `shape` of them, the points last."""
    n, d = points.shape
    columns = points.T.astype(np.float32)
    count = math.prod(shape)
    largest = rng.standard_normal((count, d), dtype=np.float32) @ columns
    for _ in range(pool_size - 1):
        weights = rng.standard_normal((count, d), dtype=np.float32)
        np.maximum(largest, weights @ columns, out=largest)
    return largest.reshape(*shape, n)


def block_sizes(n_draws: int, floats_each: int) -> list[int]:
    """Split draws into blocks that stay small."""
    size = max(1, _BLOCK // floats_each)
    return [min(size, n_draws - start) for start in range(0, n_draws, size)]


def draw_risks(
    rng: np.random.Generator,
    law: Law,
    *,
    pool_size: int,
    scale: float,
    n_features: Sequence[int],
    n_samples: Sequence[int],
    n_draws: int,
    false_alarm: float,
    loss_bound: float = 1.0,
) -> Drawn:
    """Draw excess risks for all pairs of a number of features and of samples.

    A smaller m uses the first units of the largest. The interval for E|b| misses it with
    probability `false_alarm`. The loss is B/2-Lipschitz for the bound B.
    """
    most = max(n_features)
    prefix = np.asarray(n_features) - 1
    v = (law.label_mean / law.size).astype(np.float32)
    gained: dict[int, list[Any]] = {n: [] for n in n_samples}
    largest: list[Any] = []
    best: list[Any] = []
    sizes: list[Any] = []
    for block in block_sizes(n_draws, most * max(law.points.shape)):
        phi = units(rng, law.points, pool_size, (block, most))
        count = np.arange(1, most + 1)
        b = phi @ v
        if sum(one.size for one in sizes) < _UNITS:
            sizes.append(np.abs(b).ravel())
        best.append((np.cumsum(np.abs(b), axis=1, dtype=float) / count)[:, prefix])
        mean_of = np.cumsum(np.abs(phi), axis=1)[:, prefix].max(axis=2) / count[prefix]
        largest.append(scale * mean_of)
        for n in n_samples:
            seen = law.label_counts(rng, n, block).astype(np.float32)
            chosen = np.where(np.matmul(phi, seen[:, :, None])[:, :, 0] < 0, -b, b)
            gained[n].append((np.cumsum(chosen, axis=1, dtype=float) / count)[:, prefix])
    ends = intervals.known_variance(
        np.concatenate(sizes).astype(float), law.second_moment(pool_size), false_alarm
    )
    linear = np.concatenate(largest) <= 1
    factor = scale * loss_bound / 2

    def risks(means: list[Any]) -> Any:
        return np.where(linear, factor * (ends[1] - np.concatenate(means)), loss_bound)

    excess = {
        (m, n): column
        for n in n_samples
        for m, column in zip(n_features, risks(gained[n]).T, strict=True)
    }
    return Drawn(excess, ends, dict(zip(n_features, risks(best).T, strict=True)))
