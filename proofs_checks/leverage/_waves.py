"""A pool of waves on a circle whose Gram on the law of the inputs is exact."""

from __future__ import annotations

from typing import Any

import numpy as np


class Waves:
    """sqrt2 cos(kx + b), x uniform: two phases at random for each of M_0/2 whole k."""

    def __init__(self, rng: np.random.Generator, size: int) -> None:
        self.k = 1 + np.arange(size) // 2
        self.b = 2 * np.pi * rng.random(size)
        same = self.k[:, None] == self.k[None, :]
        self.gram = np.where(same, np.cos(self.b[:, None] - self.b[None, :]), 0.0) / size

    def scores(self, ridge: float) -> Any:
        """The diagonal of G (G + ridge)^-1."""
        return scores_of(self.gram, ridge)

    def estimated(self, rng: np.random.Generator, n_rows: int, ridge: float) -> Any:
        """The same for the Gram on independent rows."""
        x = 2 * np.pi * rng.random(n_rows)
        phi = np.sqrt(2) * np.cos(np.outer(x, self.k) + self.b)
        return scores_of(phi.T @ phi / (n_rows * self.k.size), ridge)


def scores_of(gram: Any, ridge: float) -> Any:
    """Scores of a Gram, by its eigenvalues."""
    values, vectors = np.linalg.eigh(gram)
    values = np.maximum(values, 0.0)
    return (vectors**2) @ (values / (values + ridge))
