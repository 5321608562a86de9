"""Whether an interval excludes a value, for many checks at once, without making the interval.

Each route is written from the formula in the interval's docstring, not from its code; that both
exclude the same is tested.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import ndtr

import mehler
from mehler.verify import intervals
from tests.corpus import fourier
from tests.corpus.fourier import Cosines, Pairs

RATE, UNITS = 1e-3, 60
# Checks that one drawn map serves.
BATCH = 1000
COST = math.log(2.0 / RATE)
X = np.array([[0.9, -0.3, 0.5]])
Y = np.array([[0.4, 0.7, 1.1]])


@dataclass(frozen=True)
class Batch:
    """Samples of shape (checks, UNITS) of products whose mean is `exact`."""

    samples: Any
    exact: float
    variance: float
    reach: float
    pool: int

    def shifted(self, by: float) -> Batch:
        """Return the checks of another claim."""
        return replace(self, exact=self.exact + by)

    def first(self, n: int) -> Batch:
        return replace(self, samples=self.samples[:n])

    def intervals(self, name: str) -> list[tuple[float, float]]:
        if name == "betting":
            return [intervals.betting(x, -self.reach, self.reach, RATE) for x in self.samples]
        return [intervals.known_variance(x, self.variance, RATE) for x in self.samples]


def batch(phi: Any, x: Any, y: Any, reach: float = math.inf) -> Batch:
    products = np.asarray(phi.products(x, y), dtype=float).reshape(BATCH, UNITS)
    # Pairs of columns make one sample, of half the variance that is declared a column.
    variance = float(phi.variance(x, y)[0, 0]) * products.size / phi.n_features
    pool = getattr(phi, "pool_size", 0)
    return Batch(products, float(phi.kernel(x, y)[0, 0]), variance, reach, pool)


def maxout(cls: Any = mehler.MaxoutFeatures, q: int = 4, **options: Any) -> Any:
    return lambda seed: batch(cls.draw(3, BATCH * UNITS, q, seed=seed, **options), X, Y)


def waves(cls: Any, columns: int, reach: float) -> Any:
    x, y = fourier.ROWS[:1], fourier.ROWS[1:2]
    return lambda seed: batch(cls(seed, n_features=columns * BATCH * UNITS), x, y, reach)


MAPS = {
    "maxout": maxout(),
    "maxout, pool of 2": maxout(q=2),
    "centred": maxout(centred=True),
    "decoupled": maxout(mehler.DecoupledMaxoutFeatures, directions="fresh"),
    "codes": maxout(mehler.MaxoutCodes),
    "cosines": waves(Cosines, 1, 2.0),
    "pairs": waves(Pairs, 2, 1.0),
}


def known_variance(checks: Batch, share: float = 1.0) -> Any:
    """|sum psi(a (X_i - theta))| > n a^2 V/2 + log(2/alpha)."""
    n, variance = checks.samples.shape[1], share * checks.variance
    a = math.sqrt(2.0 * COST / (n * variance))
    u = a * (checks.samples - checks.exact)
    score = np.sign(u) * np.log(1.0 + np.abs(u) + 0.5 * u * u)
    return np.abs(score.sum(axis=1)) > n * a * a * variance / 2.0 + COST


def betting(checks: Batch) -> Any:
    """Either capital reaches 2/alpha at the last sample, at this mean."""
    x = (checks.samples + checks.reach) / (2.0 * checks.reach)
    m = (checks.exact + checks.reach) / (2.0 * checks.reach)
    n = x.shape[1]
    seen = np.arange(1, n + 1)
    means = (0.5 + np.cumsum(x, axis=1)) / (seen + 1)
    variances = (0.25 + np.cumsum((x - means) ** 2, axis=1)) / (seen + 1)
    before = np.hstack([np.full((len(x), 1), 0.25), variances[:, :-1]])
    stakes = np.sqrt(2.0 * COST / (n * before))
    up = np.log(1.0 + np.minimum(stakes, 0.75 / m) * (x - m)).sum(axis=1)
    down = np.log(1.0 - np.minimum(stakes, 0.75 / (1.0 - m)) * (x - m)).sum(axis=1)
    return np.maximum(up, down) >= COST


def bounded(checks: Batch) -> Any:
    return _each(checks, lambda row: intervals.bounded(row, -checks.reach, checks.reach, RATE))


def binomial(checks: Batch) -> Any:
    ends = [intervals.binomial(k, UNITS, RATE) for k in range(UNITS + 1)]
    return _each(checks, lambda row: ends[int(row.sum())])


def uniforms(seed: int) -> Any:
    """Features of exact laws through their distribution functions, shape (BATCH, UNITS)."""
    if seed % 2:
        phi: Any = Cosines(seed, n_features=BATCH * UNITS)
        t = phi(fourier.ROWS[:1])[0] * math.sqrt(phi.n_features)
        u = fourier.arcsine_cdf(None, t)
    else:
        phi = mehler.MaxoutFeatures.draw(3, BATCH * UNITS, 4, seed=seed)
        t = phi(X)[0] * math.sqrt(phi.n_features) / math.sqrt(float((X @ X.T)[0, 0]))
        u = ndtr(t) ** 4
    return np.reshape(u, (BATCH, UNITS))


def _each(checks: Batch, ends: Any) -> Any:
    found = (ends(row) for row in checks.samples)
    return np.array([not low <= checks.exact <= high for low, high in found])
