"""Waves on a circle with a Gaussian spectrum: leverage and error of a draw in closed form."""

from __future__ import annotations

from typing import Any

import numpy as np


class Circle:
    r"""Features sqrt2 cos(kx + b), k of law exp(-k^2/(2 scale^2)), b one of equidistant phases.

    On uniform x the functions sqrt2 cos kx, sqrt2 sin kx are orthonormal, so the operator is
    diagonal: p_k/2 twice for each k >= 1, p_0 for the constants; and a feature is the vector
    (cos b, -sin b) in the block of its k, sqrt2 cos b for k = 0. Phases integrate squares exactly
    as uniform ones do, from 3 on.
    """

    def __init__(self, scale: float = 3.0, k_max: int = 16, phases: int = 16) -> None:
        waves = np.arange(k_max + 1)
        law = np.exp(-(waves**2) / (2 * scale**2))
        law /= law.sum()
        self.phases = phases
        self.k = np.repeat(waves, phases)
        self.b = np.tile(2 * np.pi * np.arange(phases) / phases, waves.size)
        self.law = law[self.k] / phases
        self.eigenvalues = np.where(waves == 0, law, law / 2)

    def leverage(self, ridge: float) -> Any:
        """Compute S of each feature."""
        square = np.where(self.k == 0, 2 * np.cos(self.b) ** 2, 1.0)
        return square / (self.eigenvalues[self.k] + ridge)

    def degrees(self, ridge: float) -> float:
        """Compute the degrees of freedom."""
        return float(self.law @ self.leverage(ridge))

    def best(self, ridge: float) -> Any:
        """Return the distribution proportional to leverage."""
        return self.law * self.leverage(ridge) / self.degrees(ridge)

    def ratio(self, ridge: float, drawn: Any) -> float:
        """Compute the largest leverage over the density that is drawn from."""
        seen = drawn > 0
        return float(np.max((self.leverage(ridge) * self.law)[seen] / drawn[seen]))

    def errors(self, rng: np.random.Generator, drawn: Any, m: int, ridge: float, n: int) -> Any:
        """Compute sup over |f| <= 1 of the least error plus ridge with m features, in n draws."""
        density = np.divide(drawn, self.law)
        weights = np.divide(1.0, density, out=np.zeros_like(density), where=density > 0)
        counts = rng.multinomial(m, drawn / drawn.sum(), size=n)
        seen = (counts * (weights / m)).reshape(n, -1, self.phases)
        turned = np.exp(2j * self.b[: self.phases])
        least = (seen.sum(axis=2) - np.abs(seen @ turned)) / 2
        least[:, 0] = seen[:, 0] @ (2 * np.cos(self.b[: self.phases]) ** 2)
        return ridge * (self.eigenvalues / (least + ridge)).max(axis=1)
