"""Smallest enclosing balls of all subsets of a few points, between certified ends."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

from mehler.doubling._points import Points

_UNIT = 2.0**-52
# Determinants below this are rounding.
_FLAT = 1e-13


@dataclass(frozen=True)
class Miniballs:
    """The smallest enclosing ball of each subset, a bit mask of points.

    `low`, `high` (2^n,): ends of its squared radius. `centre` (2^n, d): the ball of squared radius
    `high` around it contains the subset.
    """

    low: Any
    high: Any
    centre: Any


def miniballs(points: Points) -> Miniballs:
    """Enclose every subset.

    The smallest ball of a set is that of some of its points which lie on its boundary, with its
    centre a convex combination of them; no subset has a larger one. The upper end is the largest
    distance from the centre that was computed. The lower end is the dual one: for weights w_i of
    sum 1 the squared radius is at least sum_i w_i |x_i - c|^2, c = sum_i w_i x_i.
    """
    n, d = points.n, points.n_inputs
    reach = float(np.max(np.abs(points.host)))
    centres, masks, floors = [], [], []
    for size in range(1, min(n, d + 1) + 1):
        chosen = np.array(list(itertools.combinations(range(n), size)))
        weights = _weights(points.host[chosen])
        good = np.isfinite(weights).all(axis=1) & (weights >= 0).all(axis=1)
        weights, chosen = weights[good], chosen[good]
        centre = np.einsum("bi,bid->bd", weights, points.host[chosen])
        away = points.host[chosen] - centre[:, None, :]
        dual = np.einsum("bi,bid,bid->b", weights, away, away)
        # Sums of d squares; and weights whose sum is 1 up to rounding move the centre, which
        # takes the square of its way off the dual.
        error = 2 * (d + 32) * _UNIT * dual + d * (32 * _UNIT * reach) ** 2
        centres.append(centre)
        floors.append(np.maximum(dual - error, 0.0))
        masks.append((1 << chosen).sum(axis=1))
    centre, floor, mask = map(np.concatenate, (centres, floors, masks))
    return _over_subsets(points, centre, floor, mask)


def _weights(corners: Any) -> Any:
    """Return barycentric coordinates of circumcentres: (b, s, d) to (b, s), NaN for none."""
    edges = corners[:, 1:, :] - corners[:, :1, :]
    gram = np.einsum("bid,bjd->bij", edges, edges)
    if gram.shape[1] == 0:
        return np.ones((corners.shape[0], 1))
    # Normalise edges, so that near corners among far ones do not seem degenerate.
    length = np.sqrt(np.einsum("bii->bi", gram))
    gram = gram / (length[:, :, None] * length[:, None, :])
    # Corners of determinant 0 have no circumcentre, and support no ball.
    flat = np.linalg.det(gram) < _FLAT
    gram[flat] = np.eye(gram.shape[1])
    others = np.linalg.solve(gram, length[..., None] / 2)[..., 0] / length
    weights = np.concatenate([1 - others.sum(axis=1, keepdims=True), others], axis=1)
    weights[flat] = np.nan
    return weights


def _over_subsets(points: Points, centre: Any, floor: Any, mask: Any) -> Miniballs:
    n = points.n
    low = np.zeros(1 << n)
    which = np.zeros(1 << n, dtype=np.int64)
    order = np.argsort(floor, kind="stable")
    low[mask[order]], which[mask[order]] = floor[order], order
    every = np.arange(1 << n)
    for i in range(n):
        with_it = every[(every >> i) & 1 == 1]
        without = with_it ^ (1 << i)
        better = low[without] > low[with_it]
        low[with_it[better]] = low[without[better]]
        which[with_it[better]] = which[without[better]]
    away = points.upper(points.squared_from(centre, slice(0, n)))
    inside = (every[:, None] >> np.arange(n)) & 1 == 1
    high = np.where(inside, away[which], 0.0).max(axis=1)
    return Miniballs(low, high, centre[which])
