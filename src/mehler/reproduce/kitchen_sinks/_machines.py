"""Machines that choose non-linearities by optimisation: greedy steps and boosted stumps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


def greedy_path(phi: Any, y: Any, sizes: tuple[int, ...]) -> dict[int, Any]:
    """Return weights of the columns after some numbers of the slides' greedy steps.

    Each step is (1 - alpha) f + alpha g with the column g and the alpha of least squared error on
    the rows; columns are scaled so that one alone can reach the targets, and have both signs.

    Parameters
    ----------
    phi : array, shape (N, P)
        Features to choose from.
    y : array, shape (N,)
        Targets.
    sizes : tuple of int
        Ascending numbers of steps to keep.
    """
    lengths = np.sqrt(np.maximum((phi**2).mean(axis=0), 1e-300))
    # The total weight: ten times the targets' norm, so that sums of features can be reached.
    scale = 10.0 * np.sqrt(np.mean(y**2)) / lengths
    atoms = phi * scale
    squares, cross = (atoms**2).mean(axis=0), atoms.T @ y / len(y)
    f, weights, kept = np.zeros(len(y)), np.zeros(phi.shape[1]), {}
    for step in range(1, max(sizes) + 1):
        along, size, fit = atoms.T @ f / len(y), np.mean(f**2), np.mean(f * y)
        best: tuple[float, int, float, float] | None = None
        for sign in (1.0, -1.0):
            # |f + alpha (s g - f) - y|^2 is a parabola in alpha.
            spread = squares - 2 * sign * along + size
            gain = sign * (cross - along) - fit + size
            alpha = np.clip(gain / np.maximum(spread, 1e-300), 0.0, 1.0)
            change = alpha**2 * spread - 2 * alpha * gain
            at = int(np.argmin(change))
            if best is None or change[at] < best[0]:
                best = float(change[at]), at, float(alpha[at]), sign
        assert best is not None
        _, at, alpha_at, sign = best
        f = (1 - alpha_at) * f + alpha_at * sign * atoms[:, at]
        weights *= 1 - alpha_at
        weights[at] += alpha_at * sign * scale[at]
        if step in sizes:
            kept[step] = weights.copy()
    return kept


@dataclass(frozen=True)
class Stumps:
    """A vote of stumps: sum of weight sign (x_column > threshold)."""

    columns: Any
    thresholds: Any
    weights: Any

    def __call__(self, X: Any) -> Any:
        """Compute the vote on rows: above 0 for the second class."""
        above = X[:, self.columns] > self.thresholds
        return np.where(above, 1.0, -1.0) @ self.weights


def boosted(X: Any, y: Any, n_thresholds: int, sizes: tuple[int, ...]) -> dict[int, Stumps]:
    """Run AdaBoost on stumps whose thresholds are quantiles, and keep some numbers of rounds.

    Parameters
    ----------
    X : array, shape (N, d)
        Rows.
    y : array, shape (N,)
        -1 or 1.
    n_thresholds : int
        Quantiles per column.
    sizes : tuple of int
        Ascending numbers of rounds to keep.
    """
    shares = (np.arange(n_thresholds) + 0.5) / n_thresholds
    cuts = np.quantile(X, shares, axis=0)
    columns = np.tile(np.arange(X.shape[1]), n_thresholds)
    thresholds = cuts.ravel()
    votes = np.where(X[:, columns] > thresholds, np.float32(1), np.float32(-1))
    mass = np.full(len(y), 1.0 / len(y))
    chosen: list[int] = []
    weights: list[float] = []
    kept = {}
    for step in range(1, max(sizes) + 1):
        agreement = (mass * y).astype(np.float32) @ votes
        at = int(np.argmax(np.abs(agreement)))
        edge = float(np.clip(agreement[at], -1 + 1e-9, 1 - 1e-9))
        weight = 0.5 * np.log((1 + edge) / (1 - edge))
        mass = mass * np.exp(-weight * y * votes[:, at])
        mass /= mass.sum()
        chosen.append(at)
        weights.append(float(weight))
        if step in sizes:
            at_all = np.array(chosen)
            kept[step] = Stumps(columns[at_all], thresholds[at_all], np.array(weights))
    return kept
