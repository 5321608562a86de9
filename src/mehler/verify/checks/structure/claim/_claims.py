"""Claimed squared lengths of sums of features, at rows made to reveal a wrong kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mehler._arrays import to_host
from mehler.verify.checks.structure._domain import Domain

# Claimed correlations of neighbours with the centre of their cluster, as far as the kernel allows:
# close pairs reveal a kernel that is too rough, a cluster's sum one that is too smooth.
_NEAR = (0.9, 0.6, 0.3, 0.05)
# Steps from the centre that are tried, relative to its length; none leads to 0.
_STEPS = 0.8 * 2.0 ** np.arange(-11.0, 1.0)
# Directions of smaller claimed length are mostly rounding.
_SHORTEST = 1e-2


@dataclass(frozen=True)
class Claims:
    """Claimed means of the forms |sum v_i phi(x_i)/sqrt(k(x_i,x_i))|^2, with rows and directions v.

    `unit` is sqrt(k(x, x)), shape (n,); `directions` has shape (forms, n); `means` include the
    allowance.
    """

    rows: Any
    unit: Any
    directions: Any
    means: Any

    def forms(self, gram: Any) -> Any:
        """Return the forms at one draw's Gram matrix."""
        scaled = gram / (self.unit[:, None] * self.unit[None, :])
        return np.maximum(((self.directions @ scaled) * self.directions).sum(axis=1), 0.0)

    def lengths(self, gram: Any) -> float:
        """Return the mean over rows of |phi(x)|^2 / k(x, x)."""
        return float((np.diag(gram) / self.unit**2).mean())

    @classmethod
    def of(cls, kernel: Any, rows: Any, clusters: Any, allowance: float) -> Claims:
        """Claim single rows, pairs and sums within clusters, and eigenvectors of the Gram matrix.

        `clusters` are labels, shape (n,); every claimed correlation may be off by `allowance`.
        """
        value = gram_of(kernel, rows)
        unit = np.sqrt(np.diag(value))
        correlation = value / (unit[:, None] * unit[None, :])
        n = len(rows)
        identity = np.eye(n)
        directions = [identity]
        for cluster in np.unique(clusters):
            index = np.flatnonzero(clusters == cluster)
            i, j = (index[k] for k in np.triu_indices(index.size, 1))
            directions += [identity[i] + identity[j], identity[i] - identity[j]]
            directions.append(identity[index].sum(axis=0, keepdims=True))
        directions.append(np.linalg.eigh(correlation)[1].T)
        v = np.concatenate(directions)
        means = ((v @ correlation) * v).sum(axis=1)
        norms = (v**2).sum(axis=1)
        v, means = (part[means > _SHORTEST * norms] for part in (v, means))
        return cls(rows, unit, v, means + allowance * np.abs(v).sum(axis=1) ** 2)


def gram_of(kernel: Any, rows: Any, *, positive: bool = True) -> Any:
    """Return the claimed Gram matrix; raise ValueError where there is no claim or k(x, x) <= 0."""
    rows = np.asarray(rows, dtype=np.float64)
    value = np.asarray(to_host(kernel(rows, rows)), dtype=np.float64)
    if value.shape != (len(rows),) * 2 or not np.isfinite(value).all():
        raise ValueError("the kernel claims nothing there")
    if positive and not (np.diag(value) > 0.0).all():
        raise ValueError("k(x, x) is not positive there")
    return value


def clusters_of(
    kernel: Any, domain: Domain, d: int, norm: float, rng: np.random.Generator
) -> tuple[Any, Any]:
    """Return rows of length `norm`, (n, d), in clusters of several correlations, and their labels.

    Centres lie in a random direction, along a diagonal and on an axis; neighbours of the first go
    in all directions, and of two more in the first and the last third of the columns only.
    """
    axis = np.zeros(d)
    axis[rng.integers(d)] = 1.0
    random = rng.standard_normal(d)
    diagonal = rng.choice([-1.0, 1.0], size=d)
    third = -(-d // 3)
    ways = [
        (random, np.ones(d)),
        (diagonal, np.ones(d)),
        (axis, axis),
        *([(random, np.arange(d) < third), (random, np.arange(d) >= d - third)] if d > 2 else []),
    ]
    rows, clusters = [], []
    for k, (direction, where) in enumerate(ways):
        centre = norm * direction / np.linalg.norm(direction)
        made = domain.keep(centre + _neighbours(kernel, domain, centre, where, rng), norm)
        rows.append(made)
        clusters.append(np.full(len(made), k))
    return np.concatenate(rows), np.concatenate(clusters)


def _neighbours(
    kernel: Any, domain: Domain, centre: Any, where: Any, rng: np.random.Generator
) -> Any:
    """Return a centre's steps to itself and to its neighbours."""
    norm = float(np.linalg.norm(centre))
    step = _direction(where, rng)
    tried = domain.keep(centre + norm * np.outer(np.append(0.0, _STEPS), step), norm)
    value = gram_of(kernel, tried)
    correlation = value[0, 1:] / np.sqrt(value[0, 0] * np.diag(value)[1:])
    lengths = [0.0, *(_STEPS[int(np.argmin(np.abs(correlation - near)))] for near in _NEAR)]
    return norm * np.stack([length * _direction(where, rng) for length in lengths])


def _direction(where: Any, rng: np.random.Generator) -> Any:
    """Return a random unit vector supported on the columns of `where`."""
    v = rng.standard_normal(where.size) * where
    size = np.linalg.norm(v)
    return v / size
