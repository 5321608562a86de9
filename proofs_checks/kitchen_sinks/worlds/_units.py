"""Maxout units as random features: unbounded, or divided by a bound to be at most 1."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from mehler import exact
from mehler.bounds.kitchen_sinks import feature_scale_maxout

from ._cosines import blocks

By = Literal["frobenius", "longest"]


@dataclass(frozen=True)
class Units:
    """Units of a pool of q weights on `n_points` points of norm sqrt(d), those of mu.

    Each unit is divided by its "frobenius" or "longest" norm, if `by` says so.
    """

    n_inputs: int
    pool_size: int
    by: By | None = None
    n_points: int = 32

    @property
    def feature_scale(self) -> float:
        """E b, by which C grows; 1 for units as they are."""
        if self.by is None:
            return 1.0
        return feature_scale_maxout(
            self.n_inputs, self.pool_size, radius=math.sqrt(self.n_inputs), by=self.by
        )

    def points(self, rng: np.random.Generator) -> Any:
        """Draw the points of mu, shape (n_points, d)."""
        x = rng.standard_normal((self.n_points, self.n_inputs))
        return x * (math.sqrt(self.n_inputs) / np.linalg.norm(x, axis=1, keepdims=True))

    def draw(self, rng: np.random.Generator, n: int) -> Any:
        """Draw n units' weights, divided by their b where there is one; shape (n, q, d)."""
        if self.by is None:
            return rng.standard_normal((n, self.pool_size, self.n_inputs))
        radius = math.sqrt(self.n_inputs)
        if self.by == "frobenius":
            return self._directions(rng, n) / radius
        found: list[Any] = []
        while sum(map(len, found)) < n:
            w = self._directions(rng, n)
            longest = np.linalg.norm(w, axis=2).max(axis=1)
            kept = rng.random(n) < longest
            found.append(w[kept] / longest[kept, np.newaxis, np.newaxis])
        return np.concatenate(found)[:n] / radius

    def _directions(self, rng: np.random.Generator, n: int) -> Any:
        """Draw directions uniformly on the unit sphere of all coordinates.

        That is their law under the density |W|_F times the normal one too: the direction of
        normal weights is independent of their length.
        """
        w = rng.standard_normal((n, self.pool_size, self.n_inputs))
        return w / np.linalg.norm(w, axis=(1, 2), keepdims=True)

    def errors(self, rng: np.random.Generator, n_features: int, n_draws: int) -> Any:
        """Return L2 errors of averages of K features, one a draw."""
        x = self.points(rng)
        target = exact.max_moment(1, self.pool_size) * math.sqrt(self.n_inputs)
        found = []
        for n in blocks(n_draws, n_features * self.pool_size * self.n_points):
            w = self.draw(rng, n * n_features)
            units = (w.reshape(-1, self.n_inputs) @ x.T).reshape(
                n, n_features, self.pool_size, self.n_points
            )
            average = self.feature_scale * units.max(axis=2).mean(axis=1)
            found.append(np.sqrt(((average - target) ** 2).mean(axis=1)))
        return np.concatenate(found)
