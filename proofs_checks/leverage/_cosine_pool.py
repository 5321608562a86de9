"""A pool of waves on a circle with an exact Gram on the distribution of the inputs."""

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
        """Compute the diagonal of G (G + ridge)^-1."""
        return scores_of(self.gram, ridge)

    def estimated(self, rng: np.random.Generator, n_rows: int, ridge: float) -> Any:
        """Compute the scores of the Gram on independent rows."""
        return scores_of(self.estimated_gram(rng, n_rows), ridge)

    def estimated_gram(self, rng: np.random.Generator, n_rows: int) -> Any:
        """Compute the Gram on independent rows."""
        turn = np.exp(2j * np.pi * rng.random(n_rows))
        # Powers by multiplication: a cosine for each wave would take ten times as long.
        powers = np.empty((self.k[-1], n_rows), dtype=complex)
        powers[0] = turn
        for k in range(1, len(powers)):
            np.multiply(powers[k - 1], turn, out=powers[k])
        waves = np.concatenate([powers.real, powers.imag])
        # cos(kx + b) = cos b cos kx - sin b sin kx.
        mix = np.zeros((self.k.size, len(waves)))
        members = np.arange(self.k.size)
        mix[members, self.k - 1] = np.sqrt(2) * np.cos(self.b)
        mix[members, len(powers) + self.k - 1] = -np.sqrt(2) * np.sin(self.b)
        return mix @ (waves @ waves.T) @ mix.T / (n_rows * self.k.size)


def scores_of(gram: Any, ridge: float) -> Any:
    """Compute the scores of a Gram by its eigenvalues."""
    values, vectors = np.linalg.eigh(gram)
    values = np.maximum(values, 0.0)
    return (vectors**2) @ (values / (values + ridge))


def spread_of(gram: Any, estimated: Any, ridge: float) -> float:
    """Compute the least Delta with estimated + ridge within factors 1 -+ Delta of G + ridge."""
    values, vectors = np.linalg.eigh(gram)
    root = vectors / np.sqrt(np.maximum(values, 0.0) + ridge)
    return float(np.abs(np.linalg.eigvalsh(root.T @ (estimated - gram) @ root)).max())
