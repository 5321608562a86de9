"""Instances for leverage scores: waves on a circle in closed form, and features on small sets.

The *leverage* of a feature phi at a ridge is S = <phi, (T + ridge)^-1 phi>, T the kernel's
operator, the mean of phi phi^T; its mean is the *degrees of freedom*. The scores tau of a *pool* of
M_0 features, diag G (G + ridge)^-1 with the Gram matrix G (1/M_0 included), are leverages over M_0.
Shahrampour and Kolouri (2019) draw features in proportion to them, estimated from rows.
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import stats

from .._comparisons import Bounding, Instance, mean_exceeds


class Circle:
    r"""Features sqrt2 cos(kx + b), k of law exp(-k^2/(2 scale^2)), b one of equidistant phases.

    On uniform x the functions sqrt2 cos kx, sqrt2 sin kx are orthonormal, so the operator is
    diagonal: p_k/2, p the law, twice for k >= 1, p_0 for constants; and a feature is the vector
    (cos b, -sin b) in the block of its k, sqrt2 cos b for k = 0. From 3 on phases average exactly.
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
        """Compute the leverage S of each feature phi, <phi, (operator + ridge)^-1 phi>."""
        square = np.where(self.k == 0, 2 * np.cos(self.b) ** 2, 1.0)
        return square / (self.eigenvalues[self.k] + ridge)

    def degrees(self, ridge: float) -> float:
        return float(self.law @ self.leverage(ridge))

    def best(self, ridge: float) -> Any:
        """Return the distribution proportional to leverage."""
        return self.law * self.leverage(ridge) / self.degrees(ridge)

    def ratio(self, ridge: float, law: Any) -> float:
        """Compute the largest leverage over the density that is drawn from."""
        positive = law > 0
        return float(np.max((self.leverage(ridge) * self.law)[positive] / law[positive]))

    def errors(self, rng: np.random.Generator, law: Any, m: int, ridge: float, n: int) -> Any:
        """Compute sup over |f| <= 1 of the least error plus ridge with m features, in n draws."""
        density = np.divide(law, self.law)
        weights = np.divide(1.0, density, out=np.zeros_like(density), where=density > 0)
        counts = rng.multinomial(m, law / law.sum(), size=n)
        sums = (counts * (weights / m)).reshape(n, -1, self.phases)
        waves = np.exp(2j * self.b[: self.phases])
        least = (sums.sum(axis=2) - np.abs(sums @ waves)) / 2
        least[:, 0] = sums[:, 0] @ (2 * np.cos(self.b[: self.phases]) ** 2)
        return ridge * (self.eigenvalues / (least + ridge)).max(axis=1)


class Waves:
    """A pool of M_0 features sqrt2 cos(kx + b), x uniform: two random b for each whole k."""

    def __init__(self, rng: np.random.Generator, size: int) -> None:
        self.k = 1 + np.arange(size) // 2
        self.b = 2 * np.pi * rng.random(size)
        same = self.k[:, None] == self.k[None, :]
        self.gram = np.where(same, np.cos(self.b[:, None] - self.b[None, :]), 0.0) / size

    def scores(self, ridge: float) -> Any:
        return scores_of(self.gram, ridge)

    def estimated(self, rng: np.random.Generator, n_rows: int, ridge: float) -> Any:
        return scores_of(self.estimated_gram(rng, n_rows), ridge)

    def estimated_gram(self, rng: np.random.Generator, n_rows: int) -> Any:
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
    """Compute the scores of a Gram matrix by its eigenvalues."""
    values, vectors = np.linalg.eigh(gram)
    values = np.maximum(values, 0.0)
    return (vectors**2) @ (values / (values + ridge))


def spread_of(gram: Any, estimated: Any, ridge: float) -> float:
    """Compute the least Delta with estimated + ridge within factors 1 -+ Delta of G + ridge."""
    values, vectors = np.linalg.eigh(gram)
    root = vectors / np.sqrt(np.maximum(values, 0.0) + ridge)
    return float(np.abs(np.linalg.eigvalsh(root.T @ (estimated - gram) @ root)).max())


# Features on small sets, nearest to the bounds: an Instance pairs the exact chance of a larger
# error than the bound with the promised one, `failure`.

# So many rows that shares of them are normal to 1e-20, also those of a set of one in a thousand.
ENDLESS = 10**46
_SHARE = 1e-3
_THIRD = 64.0
_FAILURES = (0.3, 1e-3, 1e-15)


def one_score(bound: Bounding) -> Iterator[Instance]:
    """Yield errors of one score: the feature is 1 on a set of measure p, the ridge p, tau 1/2.

    The error over 1 - tau is (f - p)/(f + p) for a fraction f of rows in the set.
    """
    for failure in _FAILURES:
        value = bound(ENDLESS, ridge=_SHARE, degrees_of_freedom=0.5, delta=failure).value
        # Just above, for what is of second order.
        t = 2 * value * (1 + 1e-9) * math.sqrt(_SHARE / (1 - _SHARE) * ENDLESS)
        low, high = mean_exceeds(t, ENDLESS, third=_THIRD)
        yield Instance(f"one score, failure {failure:g}", (2 * low, 2 * high), failure)


def two_probabilities(bound: Bounding) -> Iterator[Instance]:
    """Yield errors of two probabilities: disjoint sets of measure p, ridge p/2, all scores 1/2.

    The sum of errors is |a - b|/4, a and b relative ones of fractions; a - b has variance 2/(p N).
    """
    for failure in _FAILURES:
        value = bound(
            ENDLESS, pool_size=2, ridge=_SHARE / 2, degrees_of_freedom=1.0, delta=failure
        ).value
        t = 4 * value * (1 + 1e-9) * math.sqrt(_SHARE / 2 * ENDLESS)
        low, high = mean_exceeds(t, ENDLESS, third=_THIRD)
        yield Instance(f"two probabilities, failure {failure:g}", (2 * low, 2 * high), failure)


def rarest_feature(bound: Bounding) -> Iterator[Instance]:
    """Yield errors of the ball for a thousand orthonormal features and a tiny ridge.

    In the direction of the i-th the error is ridge/n over its share of the draws plus the ridge:
    the rarest decides. Shares are binomial and negatively associated, so that the chance that one
    of them is too small lies between n p - (n p)^2/2 and n p, p that of a single one.
    """
    n, m = 1000, 10**10
    ridge = 1e-9 / n
    d = n / (1 + ridge * n)
    for failure in (1e-3, 1e-15, 1e-250):
        value = bound(m, ridge=ridge, degrees_of_freedom=d, delta=failure).value
        # A share that is too small, at most 1.
        least = min(1.0, ridge / n / value - ridge) if value > 0 else 1.0
        low, high = (
            float(stats.binom.cdf(math.floor(m * least * (1 + sign * 1e-12)), m, 1 / n))
            for sign in (-1, 1)
        )
        happens = (max(low, n * low - (n * low) ** 2 / 2), min(1.0, n * high))
        yield Instance(f"a thousand features, failure {failure:g}", happens, failure)


def pool(rng: np.random.Generator, n_rows: int, n_features: int, spread: float = 2.0) -> Any:
    """Compute sqrt2 cos(wx + b) on Gaussian rows, shape (n_rows, n_features)."""
    x = rng.standard_normal(n_rows)
    w, b = spread * rng.standard_normal(n_features), 2 * np.pi * rng.random(n_features)
    return np.sqrt(2) * np.cos(np.outer(x, w) + b)
