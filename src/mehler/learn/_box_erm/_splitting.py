r"""Graph splitting by restarted Halpern iterations of the Peaceman-Rachford operator.

The problem is sum_i e_i(t_i) over beta in [-1, 1]^m with t = K beta. One half of an iteration takes
the proximal points of the losses and of the box, each number by itself; the other projects on the
graph of K, with one inverse of size min(n, m) that is made once (Parikh and Boyd 2014). Pulling the
iterates towards where they started, by ever less, makes the residual fall like 1/k (Lieder 2021),
and restarts make that linear on piecewise linear problems (Chen, Sun, Yuan, Zhang and Zhao 2024).

Features have a large common mean, which makes K ill-conditioned. The projection does away with it;
methods that only multiply by K and its transpose took ten times the iterations on digits.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from mehler._arrays import Array, clip
from mehler.learn._box_erm._certificate import Candidate, Incumbent
from mehler.learn._box_erm._margins import SignedRows
from mehler.learn._box_erm._row_losses import RowLosses

_CHECK = 10  # iterations between checks, each of which synchronises with the device
_ENOUGH, _SOME = 0.2, 0.8  # restart when the residual has fallen by this, or by this and then risen
_LONG = 0.36  # or when this fraction of all iterations has passed since the last restart
_NOTHING = 1e-280  # no weights move the margins: the starting point is the minimum


@dataclass(frozen=True)
class _Pair:
    """A vector of the size of the weights, and one of the size of the margins."""

    beta: Array
    t: Array

    def plus(self, factor: float, other: _Pair) -> _Pair:
        return _Pair(self.beta + factor * other.beta, self.t + factor * other.t)


class Graph:
    """Projection on t = K beta in the norm sum_l e_l beta_l^2 + sum_i w_i t_i^2.

    The weights precondition rows and columns: w_i is one over the largest margin of row i, if
    above 1, and e_l grows with the norm of column l, a tenth of the mean eigenvalue overall, so
    that betas move about as much as margins do. Lazy: nothing is computed before it is needed.
    """

    def __init__(self, data: SignedRows, limits: Any) -> None:
        self.data, self.xp = data, data.xp
        self.w = data.vector(1.0 / np.maximum(limits, 1.0))

    @cached_property
    def _lengths(self) -> Array:
        """Column norms over the largest; short columns count as a millionth of that."""
        xp = self.xp
        lengths = xp.sqrt(self.data.column_squares())
        top = xp.max(lengths)
        relative = lengths / xp.where(top > _NOTHING, top, xp.ones_like(top))
        return xp.where(relative > 1e-6, relative, xp.full_like(relative, 1e-6))

    @cached_property
    def _gram(self) -> Array:
        return self.data.gram(self.w, 1.0 / self._lengths)

    @cached_property
    def scale(self) -> float:
        """A tenth of the mean eigenvalue; 0 if no weights move any margin."""
        xp, weights = self.xp, self._lengths if self.data.m <= self.data.n else 1.0 / self.w
        return 0.1 * float(xp.linalg.trace(self._gram) / xp.sum(weights))

    @cached_property
    def e(self) -> Array:
        """Weights of the betas."""
        return self.scale * self._lengths

    @cached_property
    def inverse(self) -> Array:
        """Inverse of the smaller of diag(e) + K^T diag(w) K and diag(1/w) + K diag(1/e) K^T."""
        xp, size = self.xp, self._gram.shape[0]
        unit = xp.eye(size, dtype=xp.float64, device=self.data.place.device)
        if self.data.m <= self.data.n:
            inverse = xp.linalg.inv(self._gram + self.e * unit)
        else:
            inverse = xp.linalg.inv(self._gram / self.scale + unit / self.w)
        del self._gram
        return inverse

    def project(self, point: _Pair) -> _Pair:
        data, xp = self.data, self.xp
        if data.m <= data.n:
            pull = self.e * point.beta + data.transposed(self.w * point.t)
            beta = xp.matmul(self.inverse, pull)
            return _Pair(beta, data.margins(beta))
        share = xp.matmul(self.inverse, point.t - data.margins(point.beta))
        return _Pair(point.beta + data.transposed(share) / self.e, point.t - share / self.w)

    def length(self, point: _Pair) -> float:
        xp = self.xp
        squares = xp.sum(self.e * point.beta * point.beta) + xp.sum(self.w * point.t * point.t)
        return math.sqrt(float(squares))


def iterate(
    graph: Graph, rows: RowLosses, beta: Array, theta: Array, limit: int
) -> Iterator[Candidate]:
    """Candidates, from `beta` and `theta` on, every few iterations until `limit`."""
    data, xp = graph.data, graph.xp
    best = Incumbent()

    def look(iteration: int) -> Candidate:
        upper = float(xp.mean(rows.values(xp, data.margins(beta))))
        penalty = float(xp.sum(xp.abs(data.transposed(theta)))) / data.n
        best.offer(beta, theta, upper, float(xp.mean(rows.dual(xp, theta))) - penalty)
        return best.candidate(iteration)

    yield look(0)
    if graph.scale < _NOTHING:
        return
    # As steep as the losses, over margins of order 1.
    rho = float(xp.mean(rows.high)) / float(xp.mean(graph.w))
    at = _Pair(  # the point whose proximal points are beta and theta
        beta + data.transposed(theta) / (rho * graph.e),
        data.margins(beta) - theta / (rho * graph.w),
    )
    restart = _Restart(graph, at)
    for iteration in range(1, limit + 1):
        beta = clip(xp, at.beta, -1.0, 1.0)
        theta = rows.proximal(xp, at.t, rho * graph.w, theta)
        near = _Pair(beta, at.t + theta / (rho * graph.w))
        looking = iteration % _CHECK == 0 or iteration == limit
        if looking:
            yield look(iteration)
        on_graph = graph.project(near.plus(1.0, near.plus(-1.0, at)))
        step = on_graph.plus(-1.0, near)
        reflected = at.plus(2.0, step)
        if restart.first:
            restart.residual = graph.length(step)
        if looking and restart.due(graph.length(step), iteration):
            rho, at = restart.rebalanced(rho, reflected, near, at, on_graph)
        else:
            at = restart.pulled_back(reflected)


class _Restart:
    """Restart rule: when, from where, and with which weight between primal and dual."""

    def __init__(self, graph: Graph, anchor: _Pair) -> None:
        self.graph, self.anchor = graph, anchor
        self.taken = 0
        self.residual = self.last = math.inf
        self.primal: _Pair | None = None
        self.dual: _Pair | None = None

    @property
    def first(self) -> bool:
        return self.taken == 0

    def pulled_back(self, reflected: _Pair) -> _Pair:
        self.taken += 1
        share = 1.0 / (self.taken + 1)
        return reflected.plus(share, self.anchor.plus(-1.0, reflected))

    def due(self, residual: float, iteration: int) -> bool:
        rising = residual <= _SOME * self.residual and residual > self.last
        self.last = residual
        long = self.taken >= max(_LONG * iteration, 5 * _CHECK)
        return residual <= _ENOUGH * self.residual or rising or long

    def rebalanced(
        self, rho: float, reflected: _Pair, near: _Pair, at: _Pair, on_graph: _Pair
    ) -> tuple[float, _Pair]:
        """Return the geometric mean of rho and the ratio of dual to primal moves since the last."""
        away = near.plus(-1.0, at)
        dual = _Pair(rho * away.beta, rho * away.t)
        new = rho
        if self.primal is not None and self.dual is not None:
            moved = self.graph.length(on_graph.plus(-1.0, self.primal))
            turned = self.graph.length(dual.plus(-1.0, self.dual))
            if moved > 0.0 and turned > 0.0:
                new = min(max(math.sqrt(rho * turned / moved), rho / 4.0), 4.0 * rho)
        self.primal, self.dual = on_graph, dual
        self.anchor = reflected if new == rho else near.plus(-1.0 / new, dual)
        self.taken, self.last = 0, math.inf
        return new, self.anchor
