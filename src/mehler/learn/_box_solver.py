r"""Minimise a convex loss over the box, and certify the minimum.

The problem is sum_i e_i(t_i) over beta in [-1, 1]^m with t = K beta. Smooth losses go to SciPy's
L-BFGS-B, which is stopped by the duality gap: its own rules stop early on features.

Piecewise linear losses go to graph splitting, by restarted Halpern iterations of the
Peaceman-Rachford operator. One half of an iteration takes the proximal points of the losses and of
the box, each number by itself; the other projects on the graph of K, with one inverse of size
min(n, m) that is made once (Parikh and Boyd 2014). Pulling the iterates towards where they started,
by ever less, makes the residual fall like 1/k (Lieder 2021), and restarts make that linear on
piecewise linear problems (Chen, Sun, Yuan, Zhang and Zhao 2024).
Features have a large common mean, which makes K ill-conditioned. The projection does away with it;
methods that only multiply by K and its transpose took ten times the iterations on digits.

For any alpha in the box and any theta within its ends, by weak duality,

.. math:: \frac1n\sum_i \psi_i(\theta_i) - \frac Cm \sum_l \Big|\frac1n \sum_i \theta_i y_i
          z_{il}\Big| \;\le\; \min_{|\alpha|_\infty \le C/m} \frac1n \sum_i e_i(y_i f(x_i))
          \;\le\; \frac1n \sum_i e_i(y_i f_\alpha(x_i)).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler import _arrays
from mehler._arrays import Array, clip
from mehler.learn.losses import HingeRows, RowLosses

_BLOCK = 1024
_CHECK = 10  # iterations between checks, each of which synchronises with the device
_ENOUGH, _SOME = 0.2, 0.8  # restart when the residual has fallen by this, or by this and then risen
_LONG = 0.36  # or when this fraction of all iterations has passed since the last restart
_NOTHING = 1e-280  # no weights move the margins: the starting point is the minimum


class SignedRows:
    """The map K from weights beta in [-1, 1]^m to margins y_i c <z_i, beta>, and its transpose.

    Vectors are float64. `Z` keeps its dtype; exact operations read it in float64 blocks. Rows on a
    device without float64 are copied to the host.
    """

    def __init__(self, z: Array, y: Array, half_width: float) -> None:
        self.home, self.dtype = _arrays.place_of(z), z.dtype
        self.place = self.home
        if not _arrays.has_float64(self.home.xp, self.home.device):
            z, self.place = _arrays.to_host(z), _arrays.resolve_place(None)
        self.xp = self.place.xp
        self.z = z
        self.y = self.vector(_arrays.to_host(y))
        self.half_width = half_width
        self.inner = _rounded_down(half_width, _arrays.dtype_name(z.dtype))
        self.n, self.m = z.shape

    def vector(self, values: Array) -> Array:
        """Return host values as float64, beside the rows."""
        return _arrays.from_host(values, self.place, "float64")

    def weights(self, beta: Array) -> Array:
        """Return the weights alpha of a beta, in the dtype of `Z` and within the box."""
        return self._narrow(self.inner * beta)

    def at_home(self, alpha: Array) -> Array:
        """Return weights where the caller's rows live."""
        if self.place is self.home:
            return alpha
        return _arrays.from_host(alpha, self.home)

    def margins(self, beta: Array) -> Array:
        """Compute K beta, shape (n,)."""
        return self.y * self._wide(self.xp.matmul(self.z, self.weights(beta)))

    def transposed(self, theta: Array) -> Array:
        """Compute K^T theta, shape (m,)."""
        columns = self.xp.matrix_transpose(self.z)
        return self.inner * self._wide(self.xp.matmul(columns, self._narrow(self.y * theta)))

    def blocks(self) -> Iterator[tuple[slice, Array]]:
        """Yield blocks of rows of `Z` in float64."""
        for rows in _arrays.slices(self.n, _BLOCK):
            yield rows, self._wide(self.z[rows, :])

    def limits(self) -> Any:
        """Compute (C/m) sum_l |z_il| on the host: the largest |f(x_i)| over the box."""
        xp = self.xp
        with np.errstate(over="ignore"):  # `require_limits` refuses infinity
            sums = [_arrays.to_host(xp.sum(xp.abs(block), axis=1)) for _, block in self.blocks()]
            return self.half_width * np.concatenate(sums)

    def column_squares(self) -> Array:
        """Compute squared norms of the columns of K."""
        xp = self.xp
        return self.inner**2 * sum(xp.sum(block * block, axis=0) for _, block in self.blocks())

    def gram(self, rows: Array, columns: Array) -> Array:
        """Compute K^T diag(rows) K or K diag(columns) K^T, whichever is smaller, block by block."""
        xp, total = self.xp, 0.0
        if self.m <= self.n:
            for part, block in self.blocks():
                weighted = rows[part][:, None] * block
                total = total + xp.matmul(xp.matrix_transpose(block), weighted)
            return self.inner**2 * total
        for part in _arrays.slices(self.m, _BLOCK):
            block = self.y[:, None] * self._wide(self.z[:, part])
            weighted = columns[part][:, None] * xp.matrix_transpose(block)
            total = total + xp.matmul(block, weighted)
        return self.inner**2 * total

    def _wide(self, x: Array) -> Array:
        return self.xp.astype(x, self.xp.float64, copy=False)

    def _narrow(self, x: Array) -> Array:
        return self.xp.astype(x, self.z.dtype, copy=False)


def _rounded_down(value: float, dtype: str) -> float:
    # The box in float32 must lie in the box.
    kind = getattr(np, dtype)
    rounded = kind(value)
    return float(rounded if float(rounded) <= value else np.nextafter(rounded, kind(0)))


@dataclass(frozen=True)
class Certificate:
    """The risk of alpha, a lower bound of every risk in the box up to rounding, and the margins.

    Margins y_i f(x_i) are float64, (n,).
    """

    upper: float
    lower: float
    margins: Any


def certify(data: SignedRows, rows: RowLosses, alpha: Array, theta: Array) -> Certificate:
    """Evaluate primal and dual at `alpha` and `theta`; the losses are float64, beside the data."""
    xp = data.xp
    alpha = xp.astype(alpha, xp.float64, copy=False)
    theta = rows.clip(xp, theta)
    weights = theta * data.y
    margins, total = [], xp.zeros_like(alpha)
    for part, block in data.blocks():
        margins.append(data.y[part] * xp.matmul(block, alpha))
        total = total + xp.matmul(xp.matrix_transpose(block), weights[part])
    joined = xp.concat(margins)
    penalty = data.half_width * float(xp.sum(xp.abs(total))) / data.n
    return Certificate(
        upper=float(xp.mean(rows.values(xp, joined))),
        lower=float(xp.mean(rows.dual(xp, theta))) - penalty,
        margins=_arrays.to_host(joined),
    )


def rounding(n: int, m: int, at_zero: float, slope: float, limits: Array) -> float:
    """Bound the rounding error of a float64 risk or bound of a certificate.

    A sum of k terms rounds by at most gamma_k = k u / (1 - k u) times the sum of their sizes,
    u = 2^-53. Margins are sums of m terms of total size limit_i; the penalty sums n m terms of
    total size n slope mean(limits); a loss is at most at_zero + slope limit_i. 64 more
    operations cover the elementary functions and the ends of theta, the factor 2 both sides.
    """
    terms = (n + m + 64) * 2.0**-53
    return 2.0 * terms / (1.0 - terms) * (at_zero + slope * float(limits.mean()))


@dataclass(frozen=True)
class Candidate:
    """A feasible pair: beta (m,) in [-1, 1], weights over C/m, and theta (n,).

    `gap` is upper less lower, mean over rows, from products in the dtype of `Z`: no certificate.
    """

    iterations: int
    beta: Array
    theta: Array
    gap: float


class Incumbent:
    """Keeps the best weights and the best theta; they need not come from one iteration."""

    def __init__(self) -> None:
        self.upper, self.lower = float("inf"), -float("inf")
        self.beta: Array = None
        self.theta: Array = None

    def offer(self, beta: Array, theta: Array, upper: float, lower: float) -> None:
        """Replace either side if the new one is better."""
        if upper < self.upper:
            self.upper, self.beta = upper, beta
        if lower > self.lower:
            self.lower, self.theta = lower, theta

    def candidate(self, iterations: int) -> Candidate:
        """Return the best pair so far."""
        return Candidate(iterations, self.beta, self.theta, self.upper - self.lower)


def smooth_minimum(
    data: SignedRows, rows: RowLosses, beta: Array, gap: float, limit: int
) -> Candidate:
    """Return the best pair of L-BFGS-B from `beta` on, until its gap is at most `gap`."""
    from scipy.optimize import minimize

    xp, best = data.xp, Incumbent()

    def objective(point: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        # In float64 even for float32 rows: a line search ends where values are noise.
        beta = data.vector(point)
        margins = xp.concat([data.y[i] * xp.matmul(z, beta) for i, z in data.blocks()])
        margins = data.inner * margins
        theta = rows.maximiser(xp, margins)
        dual = rows.dual(xp, theta)
        signed = data.inner * data.y * theta
        products = [xp.matmul(xp.matrix_transpose(z), signed[i]) for i, z in data.blocks()]
        gradient = sum(products[1:], start=products[0])
        upper = float(xp.mean(dual - theta * margins))
        penalty = float(xp.sum(xp.abs(gradient))) / data.n
        best.offer(beta, theta, upper, float(xp.mean(dual)) - penalty)
        return upper, -np.asarray(_arrays.to_host(gradient)) / data.n

    def stop(point: NDArray[np.float64]) -> None:
        if best.upper - best.lower <= gap:
            raise StopIteration

    outcome = minimize(
        objective,
        np.asarray(_arrays.to_host(beta)),
        jac=True,
        method="L-BFGS-B",
        bounds=[(-1.0, 1.0)] * data.m,
        callback=stop,
        options={"maxiter": limit, "maxfun": 4 * limit, "ftol": 0.0, "gtol": 0.0, "maxls": 50},
    )
    return best.candidate(int(outcome.nit))


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

    def __init__(self, data: SignedRows, limits: NDArray[np.float64]) -> None:
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
        del self._gram  # as large as the inverse, and `scale` is cached
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
    graph: Graph, rows: HingeRows, beta: Array, theta: Array, limit: int
) -> Iterator[Candidate]:
    """Candidates, from `beta` and `theta` on, every few iterations until `limit`."""
    data, xp = graph.data, graph.xp
    best = Incumbent()

    def candidate(iteration: int) -> Candidate:
        upper = float(xp.mean(rows.values(xp, data.margins(beta))))
        penalty = float(xp.sum(xp.abs(data.transposed(theta)))) / data.n
        best.offer(beta, theta, upper, float(xp.mean(rows.dual(xp, theta))) - penalty)
        return best.candidate(iteration)

    yield candidate(0)
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
        theta = rows.proximal(xp, at.t, rho * graph.w)
        near = _Pair(beta, at.t + theta / (rho * graph.w))
        checking = iteration % _CHECK == 0 or iteration == limit
        if checking:
            yield candidate(iteration)
        on_graph = graph.project(near.plus(1.0, near.plus(-1.0, at)))
        step = on_graph.plus(-1.0, near)
        reflected = at.plus(2.0, step)
        if restart.first:
            restart.residual = graph.length(step)
        if checking and restart.due(graph.length(step), iteration):
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
        """Return rho, balanced by dual over primal moves within a factor of 4, and the anchor."""
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
