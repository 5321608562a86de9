r"""Primal-dual hybrid gradient with restarts, for the hinge family.

The saddle point of sum_i psi_i(theta_i) - theta^T K beta over beta in [-1, 1]^m and theta within
its ends, psi linear. Each iteration costs one product with K and one with its transpose. Restarts
from the better of the last point and the average make it linearly convergent on such problems
(Applegate, Hinder, Lu and Lubin 2023). Both sets are bounded, so the true duality gap is always
finite, and it is what decides.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from mehler._arrays import Array
from mehler.learn._candidates import Best, Candidate
from mehler.learn._rows import Rows
from mehler.learn._signed_rows import SignedRows

_CHECK = 20  # iterations between two looks, each of which waits for the device
_ENOUGH, _SOME = 0.2, 0.8  # restart when the gap fell so far, or so far and then rose
_LONG = 0.36  # or when this part of all iterations was spent since the last restart


@dataclass(frozen=True)
class _Point:
    """A pair, and its images under K and the transpose of K."""

    beta: Array
    theta: Array
    margins: Array
    pull: Array

    def sides(self, xp: Any, rows: Rows) -> tuple[float, float]:
        """Primal and dual value, mean over rows."""
        upper = float(xp.mean(rows.values(xp, self.margins)))
        penalty = float(xp.sum(xp.abs(self.pull))) / self.theta.shape[0]
        return upper, float(xp.mean(rows.dual(xp, self.theta))) - penalty


def iterate(data: SignedRows, rows: Rows, beta: Array, limit: int) -> Iterator[Candidate]:
    """Candidates, from `beta` on, every few iterations until `limit`."""
    xp = data.xp
    point = _at(data, beta, rows.maximiser(xp, data.margins(beta)))
    best = Best()
    best.offer(point.beta, point.theta, *point.sides(xp, rows))
    yield best.candidate(0)
    norm = data.norm()
    if norm == 0.0:
        return
    weight = math.sqrt(data.n / data.m)  # how far theta moves for a move of beta
    start, start_gap, last_gap = point, math.inf, math.inf
    sums, terms = None, 0
    for iteration in range(1, limit + 1):
        before, point = point, _step(data, rows, point, norm, weight)
        sums, terms = point if sums is None else _plus(sums, point), terms + 1
        if iteration % _CHECK and iteration != limit:
            continue
        ends = [point, _Point(*(each / terms for each in _fields(sums)))]
        gaps = []
        for end in ends:
            upper, lower = end.sides(xp, rows)
            best.offer(end.beta, end.theta, upper, lower)
            gaps.append(upper - lower)
        yield best.candidate(iteration)
        norm = max(norm, _stretch(xp, before, point))
        gap = min(gaps)
        rising = gap <= _SOME * start_gap and gap > last_gap
        last_gap = gap
        if gap <= _ENOUGH * start_gap or rising or terms >= max(_LONG * iteration, 5 * _CHECK):
            chosen = ends[gaps.index(gap)]
            # Fresh images: those of an average carry the rounding of all its terms.
            point = _at(data, chosen.beta, chosen.theta)
            weight = _rebalanced(xp, weight, start, point)
            start, start_gap, last_gap = point, gap, math.inf
            sums, terms = None, 0


def _fields(point: _Point) -> tuple[Array, ...]:
    return point.beta, point.theta, point.margins, point.pull


def _plus(a: _Point, b: _Point) -> _Point:
    return _Point(*(x + y for x, y in zip(_fields(a), _fields(b))))


def _at(data: SignedRows, beta: Array, theta: Array) -> _Point:
    return _Point(beta, theta, data.margins(beta), data.transposed(theta))


def _step(data: SignedRows, rows: Rows, point: _Point, norm: float, weight: float) -> _Point:
    """One iteration; its step sizes multiply to 1 / norm^2."""
    xp = data.xp
    beta = xp.clip(point.beta + point.pull / (norm * weight), -1.0, 1.0)
    margins = data.margins(beta)
    ahead = 2.0 * margins - point.margins
    theta = rows.clip(xp, point.theta + (weight / norm) * (1.0 - ahead))
    return _Point(beta, theta, margins, data.transposed(theta))


def _length(xp: Any, vector: Array) -> float:
    return float(xp.sqrt(xp.sum(vector * vector)))


def _stretch(xp: Any, before: _Point, after: _Point) -> float:
    """How much K stretched the last move: more than `norm` if power iteration stopped short."""
    moved = _length(xp, after.beta - before.beta)
    return 1.02 * _length(xp, after.margins - before.margins) / moved if moved > 0.0 else 0.0


def _rebalanced(xp: Any, weight: float, start: _Point, end: _Point) -> float:
    """The geometric mean of the weight and the ratio of the moves since the last restart."""
    beta = _length(xp, end.beta - start.beta)
    theta = _length(xp, end.theta - start.theta)
    return math.sqrt(weight * theta / beta) if beta > 0.0 and theta > 0.0 else weight
