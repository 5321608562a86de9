"""The doubling dimension of few points: log2 of how many half-size balls cover any ball."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, milp

from mehler.doubling._ends import Witness
from mehler.doubling._points import Points

_SLACK = 1e-6  # rounding of the solver's bounds, which are integers


# Zeros and ones are valid: OpenBLAS 0.3.31 reads stale memory for float32 rows of five columns,
# and NumPy may then warn of an invalid value.
@np.errstate(invalid="ignore")
def greedy_count(sets: NDArray[np.bool_]) -> int:
    """Count the sets of a greedy cover; `sets` (n_sets, n_points) says which points they hold."""
    weights = sets.astype(np.float32)
    uncovered = np.ones(sets.shape[1], dtype=np.float32)
    count = 0
    while uncovered.any():
        gains = weights @ uncovered
        best = int(gains.argmax())
        uncovered *= 1 - weights[best]
        count += 1
    return count


def cover_counts(sets: NDArray[np.bool_]) -> tuple[int, int]:
    """Return bounds on the size of a minimum cover, equal if the solver finished."""
    high = greedy_count(sets)
    if high <= 2:
        # A cover of one set would have been found by the greedy choice.
        return high, high
    solution = milp(
        np.ones(sets.shape[0]),
        constraints=LinearConstraint(sets.T.astype(np.float64), lb=1.0),
        integrality=np.ones(sets.shape[0]),
        bounds=Bounds(0, 1),
    )
    low = 1
    if solution.mip_dual_bound is not None:
        low = max(low, math.ceil(solution.mip_dual_bound - _SLACK))
    if solution.x is not None and sets[solution.x > 0.5].any(axis=0).all():
        high = min(high, int((solution.x > 0.5).sum()))
    return low, high


def largest_need(problems: Any) -> tuple[int, Any, int]:
    """Return (low, key, high) of the largest minimum cover among (key, sets) problems.

    The problem `key` needs at least `low` sets; none needs more than `high`.
    """
    hard = sorted(
        ((greedy_count(sets), i, key, sets) for i, (key, sets) in enumerate(problems)),
        key=lambda problem: (-problem[0], problem[1]),
    )
    low, worst, high = 1, None, 1
    for greedy, _, key, sets in hard:
        if greedy <= low and greedy <= high:
            break
        least, most = cover_counts(sets)
        if least > low:
            low, worst = least, key
        high = max(high, most)
    return low, worst, high


_UNIT = 2.0**-52
_FLAT = 1e-13  # determinants below this are rounding


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
    """Enclose the squared radius of the smallest ball around every subset.

    The smallest ball of a set is that of some of its points which lie on its boundary, with its
    centre a convex combination of them; no subset has a larger one. The upper end is the largest
    squared distance from the computed centre. The lower end is the dual one: for weights w_i >= 0
    of sum 1 the squared radius is at least sum_i w_i |x_i - c|^2, c = sum_i w_i x_i.
    """
    n, d = points.n, points.n_inputs
    reach = float(np.max(np.abs(points.host)))
    centres, masks, floors = [], [], []
    for size in range(1, min(n, d + 1) + 1):
        subsets = np.array(list(itertools.combinations(range(n), size)))
        weights = _weights(points.host[subsets])
        good = np.isfinite(weights).all(axis=1) & (weights >= 0).all(axis=1)
        weights, subsets = weights[good], subsets[good]
        centre = np.einsum("bi,bid->bd", weights, points.host[subsets])
        offsets = points.host[subsets] - centre[:, None, :]
        dual = np.einsum("bi,bid,bid->b", weights, offsets, offsets)
        # Sums of d squares; and weights whose sum is 1 up to rounding move the centre, which
        # takes the square of its way off the dual.
        error = 2 * (d + 32) * _UNIT * dual + d * (32 * _UNIT * reach) ** 2
        centres.append(centre)
        floors.append(np.maximum(dual - error, 0.0))
        masks.append((1 << subsets).sum(axis=1))
    centre, floor, mask = map(np.concatenate, (centres, floors, masks))
    return _over_subsets(points, centre, floor, mask)


def _weights(corners: NDArray[np.float64]) -> Any:
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


def _over_subsets(
    points: Points, centre: NDArray[np.float64], floor: NDArray[np.float64], mask: NDArray[np.int64]
) -> Miniballs:
    """Give each subset the ball, of those of its own subsets (`mask`), with the largest `floor`."""
    n = points.n
    low = np.zeros(1 << n)
    ball = np.zeros(1 << n, dtype=np.int64)
    order = np.argsort(floor, kind="stable")
    low[mask[order]], ball[mask[order]] = floor[order], order
    masks = np.arange(1 << n)
    for i in range(n):
        with_i = masks[(masks >> i) & 1 == 1]
        without_i = with_i ^ (1 << i)
        better = low[without_i] > low[with_i]
        low[with_i[better]] = low[without_i[better]]
        ball[with_i[better]] = ball[without_i[better]]
    squares = points.upper(points.squared_from(centre))
    inside = (masks[:, None] >> np.arange(n)) & 1 == 1
    high = np.where(inside, squares[ball], 0.0).max(axis=1)
    return Miniballs(low, high, centre[ball])


def exact_anywhere(points: Points) -> tuple[int, Witness, int]:
    """Return bounds (low, ball that proves it, high) on the half-size balls that any ball needs.

    Subsets stand for balls: the points in a ball B(c, r) lie in their own smallest ball, whose
    radius is at most r and whose half-size balls are no larger.
    """
    enclosed = miniballs(points)
    # Covers allowed by the lower ends may not exist, but no real one is smaller.
    low, mask, _ = largest_need(_problems(points.n, enclosed, enclosed.high / 4, enclosed.low))
    _, _, high = largest_need(_problems(points.n, enclosed, enclosed.low / 4, enclosed.high))
    if mask is None:
        return low, Witness.of_point(points), high
    inside = np.flatnonzero((mask >> np.arange(points.n)) & 1)
    witness = Witness.covered(
        points, enclosed.centre[mask], float(enclosed.high[mask]), inside, low
    )
    return low, witness, high


def _problems(
    n: int, enclosed: Miniballs, limits: NDArray[np.float64], radius: NDArray[np.float64]
) -> Iterator[tuple[int, Any]]:
    """Yield each subset T with its maximal subsets of squared radius at most ``limits[T]``."""
    masks = np.arange(1 << n)
    inside = (masks[:, None] >> np.arange(n)) & 1 == 1
    for mask in _closed(enclosed, n):
        part = masks[masks & ~mask == 0][1:]
        fits = part[(radius[part] <= limits[mask]) | (np.bitwise_count(part) == 1)]
        maximal = np.ones(fits.size, dtype=bool)
        feasible = np.zeros(1 << n, dtype=bool)
        feasible[fits] = True
        for i in np.flatnonzero(inside[mask]):
            maximal &= ~(feasible[fits | (1 << i)] & (fits >> i & 1 == 0))
        yield int(mask), inside[fits[maximal]][:, inside[mask]]


def _closed(enclosed: Miniballs, n: int) -> Iterator[int]:
    """Yield subsets of at least two points that cannot grow within their ball."""
    masks = np.arange(1 << n)
    grows = np.bitwise_count(masks) >= 2
    for i in range(n):
        more = masks | (1 << i)
        grows &= (
            (masks == more)
            | (enclosed.high[more] > enclosed.high)
            | (enclosed.low[more] != enclosed.low)
        )
    yield from (int(mask) for mask in masks[grows])
