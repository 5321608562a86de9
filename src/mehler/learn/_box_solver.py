"""Minimise the mean of convex losses e_i(t_i) of margins t = K beta over beta in [-1, 1]^m.

K takes the weights beta to the margins y_i f(x_i). Steps towards the box and low losses alternate
with projections on the graph t = K beta (splitting), drawn back to an anchor that is renewed at
restarts (Halpern's iteration). Dual variables theta bound the minimum below: :doc:`/learning`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler import _arrays
from mehler._arrays import Array, Place, clip

_CHECK = 10  # iterations between checks, each of which synchronises with the device
_ENOUGH, _SOME = 0.2, 0.8  # restart when the residual falls to this part, or to this and then rises
_LONG = 0.36  # or when this fraction of all iterations has passed since the last restart
_NOTHING = 1e-280  # no weights move the margins: the starting point is the minimum


@dataclass(frozen=True)
class RowLosses:
    r"""Convex losses e_i of n rows at margins t: h_i max(0, 1 - t), or lines constant_i - h_i t.

    As maxima over slopes, e_i(t) = max_{l_i <= theta <= h_i} psi_i(theta) - theta t, with h_i in
    `high`: psi_i(theta) is theta, and l_i = 0; of a line psi_i is the constant, and l_i = h_i.
    """

    high: Array
    is_line: Array
    constant: Array

    def on(self, place: Place) -> RowLosses:
        fields = (self.high, self.is_line, self.constant)
        return RowLosses(*(_arrays.from_host(x, place) for x in fields))

    def dual(self, xp: ModuleType, theta: Array) -> Array:
        """Compute psi_i(theta_i)."""
        return xp.where(self.is_line, self.constant, theta)

    def values(self, xp: ModuleType, margins: Array) -> Array:
        theta = self.maximiser(xp, margins)
        return self.dual(xp, theta) - theta * margins

    def clip(self, xp: ModuleType, theta: Array) -> Array:
        """Return the nearest feasible theta."""
        low = xp.where(self.is_line, self.high, xp.zeros_like(self.high))
        return xp.minimum(xp.maximum(theta, low), self.high)

    def maximiser(self, xp: ModuleType, margins: Array) -> Array:
        """Return the theta at which the maximum over slopes is the loss: minus its slope."""
        return xp.where(self.is_line | (margins < 1.0), self.high, xp.zeros_like(self.high))


def envelope(
    limits: NDArray[np.float64], slope: float, bound: float, tolerance: float
) -> RowLosses:
    """Return the largest convex losses below min(slope max(0, 1 - t), bound) on [-limit, limit].

    Where a limit is within `tolerance` of a boundary between cases it counts as on the boundary.
    """
    inside = limits <= 1.0 + tolerance
    at_limit = slope * (1.0 - limits)
    whole = slope * (1.0 + limits) <= bound * (1.0 + tolerance)
    flat = ~whole & (at_limit >= bound)
    chord = ~whole & ~flat & inside
    # Chords have limits above 0: at 0 one of the first two cases applies.
    chord_slope = (bound - at_limit) / np.where(chord, 2.0 * limits, 1.0)
    cases, zeros = [whole, flat, chord], np.zeros_like(limits)
    high = np.select(cases, [zeros + slope, zeros, chord_slope], bound / (1.0 + limits))
    at_zero = np.select(cases, [zeros + slope, zeros + bound, 0.5 * (bound + at_limit)])
    return RowLosses(high, (whole & inside) | flat | chord, at_zero)


class SignedRows:
    """Rows of features times labels, y_i z_i, and K: margins y_i <alpha, z_i> of alpha = beta C/m.

    C/m is `half_width`. In float64, on the device of the rows or on the host if that has none.
    """

    def __init__(self, z: Array, y: Array, half_width: float) -> None:
        self.home, self.dtype = _arrays.place_of(z), z.dtype
        self.place = self.home
        if not _arrays.has_float64(self.home.xp, self.home.device):
            z, self.place = _arrays.to_host(z), _arrays.resolve_place(None)
        self.xp = self.place.xp
        labels = self.vector(_arrays.to_host(y))
        self.rows = labels[:, None] * self.xp.astype(z, self.xp.float64, copy=False)
        self.half_width = half_width
        # Rounded to the dtype of the rows, the box must lie in the exact one.
        kind = getattr(np, _arrays.dtype_name(z.dtype))
        nearest = kind(half_width)
        outside = float(nearest) > half_width
        self.inner = float(np.nextafter(nearest, kind(0)) if outside else nearest)
        self.n, self.m = z.shape

    def vector(self, values: Array) -> Array:
        """Return host values as float64, on the device of the rows."""
        return _arrays.from_host(values, self.place, "float64")

    def weights(self, beta: Array) -> Array:
        """Return the weights alpha of a beta where the caller's rows are, in their dtype."""
        alpha = self.inner * beta
        if self.place is not self.home:
            return _arrays.from_host(alpha, self.home, _arrays.dtype_name(self.dtype))
        return self.xp.astype(alpha, self.dtype, copy=False)

    def margins(self, beta: Array) -> Array:
        """Compute K beta, shape (n,)."""
        return self.inner * self.xp.matmul(self.rows, beta)

    def transposed(self, theta: Array) -> Array:
        """Compute K^T theta, shape (m,)."""
        return self.inner * self.xp.matmul(self.xp.matrix_transpose(self.rows), theta)

    def limits(self) -> Any:
        """Compute (C/m) sum_l |z_il| on the host: the largest |f(x_i)| over the box."""
        with np.errstate(over="ignore"):  # infinity is refused
            sums = self.xp.sum(self.xp.abs(self.rows), axis=1)
            return self.half_width * np.asarray(_arrays.to_host(sums))


@dataclass(frozen=True)
class Certificate:
    """Risk of weights alpha, a lower bound on the least risk in the box, and margins of alpha."""

    upper: float
    lower: float
    margins: Any


def certify(data: SignedRows, losses: RowLosses, alpha: Array, theta: Array) -> Certificate:
    """Return the mean loss at alpha, and the lower bound of theta, by weak duality, in float64."""
    xp, theta = data.xp, losses.clip(data.xp, theta)
    if data.place is not data.home:
        alpha = _arrays.to_host(alpha)
    margins = xp.matmul(data.rows, xp.astype(alpha, xp.float64, copy=False))
    total = xp.matmul(xp.matrix_transpose(data.rows), theta)
    penalty = data.half_width * float(xp.sum(xp.abs(total))) / data.n
    return Certificate(
        upper=float(xp.mean(losses.values(xp, margins))),
        lower=float(xp.mean(losses.dual(xp, theta))) - penalty,
        margins=_arrays.to_host(margins),
    )


def rounding(n: int, m: int, slope: float, limits: Array) -> float:
    """Bound the rounding error of a certificate's risk or lower bound, in float64."""
    terms = (n + m + 64) * 2.0**-53
    return 2.0 * terms / (1.0 - terms) * slope * (1.0 + float(limits.mean()))


class Graph:
    """Projection of (beta, t) on t = K beta, in the squared norm e |beta|^2 + sum_i w_i t_i^2.

    w_i is one over the largest margin of row i, if above 1; e a tenth of the mean eigenvalue.
    """

    def __init__(self, data: SignedRows, limits: NDArray[np.float64]) -> None:
        self.data, self.xp = data, data.xp
        xp, rows, columns = data.xp, data.rows, data.xp.matrix_transpose(data.rows)
        self.is_wide = data.m <= data.n
        self.w = data.vector(1.0 / np.maximum(limits, 1.0))
        # K^T diag(w) K, or K K^T if that is smaller.
        product = (columns, self.w[:, None] * rows) if self.is_wide else (rows, columns)
        gram = data.inner**2 * xp.matmul(*product)
        # 0 if no weights move any margin.
        size = data.m if self.is_wide else float(xp.sum(1.0 / self.w))
        self.e = 0.1 * float(xp.linalg.trace(gram)) / size
        if self.e < _NOTHING:
            return
        self.weights = xp.concat([xp.full_like(rows[0, :], self.e), self.w])
        # Of the smaller of e + K^T diag(w) K and diag(1/w) + K K^T / e.
        unit = xp.eye(gram.shape[0], dtype=xp.float64, device=data.place.device)
        system = gram + self.e * unit if self.is_wide else gram / self.e + unit / self.w
        self.inverse = xp.linalg.inv(system)

    def project(self, point: Array) -> Array:
        """Return the point of the graph nearest to a point (beta, t), in the norm of the class."""
        data, xp, beta, t = self.data, self.xp, point[: self.data.m], point[self.data.m :]
        if self.is_wide:
            beta = xp.matmul(self.inverse, self.e * beta + data.transposed(self.w * t))
            return xp.concat([beta, data.margins(beta)])
        share = xp.matmul(self.inverse, t - data.margins(beta))
        return xp.concat([beta + data.transposed(share) / self.e, t - share / self.w])

    def length(self, point: Array) -> float:
        return math.sqrt(float(self.xp.sum(self.weights * point * point)))


def iterate(
    graph: Graph, losses: RowLosses, beta: Array, theta: Array, limit: int
) -> Iterator[tuple[int, Array, Array]]:
    """Yield (iteration, beta, theta) every few iterations, from a start, up to `limit` ones."""
    data, xp, m = graph.data, graph.xp, graph.data.m
    yield 0, beta, theta
    if graph.e < _NOTHING:
        return
    # The weight of the quadratic in a step: as steep as the losses, over margins of order 1.
    rho = float(xp.mean(losses.high)) / float(xp.mean(graph.w))
    # The point from which a step leads to beta and theta.
    forces = xp.concat([data.transposed(theta), -theta])
    point = xp.concat([beta, data.margins(beta)]) + forces / (rho * graph.weights)
    anchor, steps, first, last = point, 0, math.inf, math.inf
    previous: tuple[Array, Array] | None = None
    for iteration in range(1, limit + 1):
        beta = clip(xp, point[:m], -1.0, 1.0)
        # The slope that moves the margin to 1, within the slopes of the loss.
        theta = losses.clip(xp, rho * graph.w * (1.0 - point[m:]))
        near = xp.concat([beta, point[m:] + theta / (rho * graph.w)])
        on_graph = graph.project(2.0 * near - point)
        step = on_graph - near
        reflection = point + 2.0 * step
        if steps == 0:
            first = graph.length(step)
        restart = False
        # Restart from the last point when the residual has fallen by enough.
        if iteration % _CHECK == 0 or iteration == limit:
            yield iteration, beta, theta
            residual = graph.length(step)
            rising = last < residual <= _SOME * first
            long = steps >= max(_LONG * iteration, 5 * _CHECK)
            restart, last = residual <= _ENOUGH * first or rising or long, residual
        if not restart:
            steps += 1
            point = reflection + (anchor - reflection) / (steps + 1)
            continue
        # Balance the weight of dual over primal by how far both have moved.
        dual, new = rho * (near - point), rho
        if previous is not None:
            primal_way, dual_way = (graph.length(b - a) for a, b in zip(previous, (on_graph, dual)))
            if primal_way > 0.0 and dual_way > 0.0:
                new = min(max(math.sqrt(rho * dual_way / primal_way), rho / 4.0), 4.0 * rho)
        previous = on_graph, dual
        point = reflection if new == rho else near - dual / new
        rho, anchor, steps, last = new, point, 0, math.inf
