"""Regularised least squares and nearest neighbours on orbits, each with its number of sequences.

Features that are the same for a whole orbit need one row an orbit: what `mehler.learn.ridge` finds
from thousands of sequences follows from 792 rows with multiplicities, by their Gram alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

# Ridges, as shares of the Gram's trace.
SHARES = 10.0 ** np.arange(-9.0, 0.25, 0.5)


def learned(gram: Any, labels: Any, counts: Any) -> Any:
    """Return values of all orbits (o,), learned from `counts` sequences each, leaving one out.

    The row that is left out is one sequence; others of its orbit stay.
    """
    some = counts > 0
    c, y = counts[some].astype(float), labels[some]
    total = c.sum()
    share = c / total
    means = gram[:, some] @ share
    centred = gram[:, some] - means[:, None] - means[some] + share @ means[some]
    root = np.sqrt(c)
    values, vectors = np.linalg.eigh(root[:, None] * centred[some] * root)
    values = np.maximum(values, 0.0)
    middle = share @ y
    seen = vectors.T @ (root * (y - middle))
    ridges = SHARES * values.sum()
    kept = values[:, None] / (values[:, None] + ridges)
    off = (y - middle)[:, None] - vectors @ (kept * seen[:, None]) / root[:, None]
    leverage = 1.0 / total + (vectors * vectors) @ kept / c[:, None]
    left_out = share @ (off / np.maximum(1.0 - leverage, 2.0**-52)) ** 2
    ridge = ridges[np.argmin(left_out)]
    return middle + centred @ (root * (vectors @ (seen / (values + ridge))))


def accuracy(values: Any, labels: Any, counts: Any) -> float:
    """Compute the fraction of the `counts` sequences whose value has the sign of their label."""
    return float(counts @ ((values >= 0) == (labels > 0)) / counts.sum())


def by_neighbour(
    gram: Any, labels: Any, train: Any, test: Any, *, ties: float | None = None
) -> float:
    """Compute the accuracy of the nearest training sequence.

    Ties are broken at random, or by the class `ties` if it is among them.
    """
    some = train > 0
    own = np.diag(gram)
    square = own[:, None] + own[some] - 2.0 * gram[:, some]
    # Many neighbours are at equal distance: rounding must not decide between them.
    near = square <= square.min(axis=1, keepdims=True) + 1e-9 * square.max()
    weight = near * train[some]
    if ties is not None:
        preferred = weight * (labels[some] == ties)
        weight = np.where(preferred.any(axis=1)[:, None], preferred, weight)
    right = (weight * (labels[:, None] == labels[some])).sum(axis=1) / weight.sum(axis=1)
    return float(test @ right / test.sum())
