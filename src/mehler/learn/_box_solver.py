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


class Incumbent:
    """The best weights beta in [-1, 1]^m and the best theta, which need not come together.

    `gap` is upper less lower, mean over rows, from products in the dtype of `Z`: no certificate.
    """

    def __init__(self) -> None:
        self.upper, self.lower, self.iterations = math.inf, -math.inf, 0
        self.beta: Array = None
        self.theta: Array = None

    def offer(self, beta: Array, theta: Array, upper: float, lower: float) -> None:
        """Replace either side if the new one is better."""
        if upper < self.upper:
            self.upper, self.beta = upper, beta
        if lower > self.lower:
            self.lower, self.theta = lower, theta

    @property
    def gap(self) -> float:
        """Upper less lower."""
        return self.upper - self.lower


def smooth_minimum(
    data: SignedRows, rows: RowLosses, beta: Array, gap: float, limit: int
) -> Incumbent:
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
        if best.gap <= gap:
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
    best.iterations = int(outcome.nit)
    return best


class Graph:
    """Projection of (beta, t), joined, on t = K beta in a norm sum_j weights_j (beta, t)_j^2.

    The weights precondition rows and columns: that of t_i is one over the largest margin of row i,
    if above 1, and that of beta_l grows with the norm of column l, a tenth of the mean eigenvalue
    overall, so that betas move about as much as margins do.
    """

    def __init__(self, data: SignedRows, limits: NDArray[np.float64]) -> None:
        self.data, self.xp = data, data.xp
        xp, wide = data.xp, data.m <= data.n
        w = data.vector(1.0 / np.maximum(limits, 1.0))
        # Column norms over the largest; short columns count as a millionth of that.
        lengths = xp.sqrt(data.column_squares())
        top = xp.max(lengths)
        lengths = lengths / xp.where(top > _NOTHING, top, xp.ones_like(top))
        lengths = xp.where(lengths > 1e-6, lengths, xp.full_like(lengths, 1e-6))
        gram = data.gram(w, 1.0 / lengths)
        # 0 if no weights move any margin.
        total = xp.linalg.trace(gram) / xp.sum(lengths if wide else 1.0 / w)
        self.scale = 0.1 * float(total)
        if self.scale < _NOTHING:
            return
        self.e, self.w = self.scale * lengths, w
        self.weights = xp.concat([self.e, w])
        # Of the smaller of diag(e) + K^T diag(w) K and diag(1/w) + K diag(1/e) K^T.
        unit = xp.eye(gram.shape[0], dtype=xp.float64, device=data.place.device)
        system = gram + self.e * unit if wide else gram / self.scale + unit / w
        self.inverse = xp.linalg.inv(system)

    def project(self, point: Array) -> Array:
        """Return the nearest point of the graph."""
        data, xp, beta, t = self.data, self.xp, point[: self.data.m], point[self.data.m :]
        if data.m <= data.n:
            beta = xp.matmul(self.inverse, self.e * beta + data.transposed(self.w * t))
            return xp.concat([beta, data.margins(beta)])
        share = xp.matmul(self.inverse, t - data.margins(beta))
        return xp.concat([beta + data.transposed(share) / self.e, t - share / self.w])

    def length(self, point: Array) -> float:
        """Return the norm of a point."""
        return math.sqrt(float(self.xp.sum(self.weights * point * point)))


def iterate(
    graph: Graph, rows: HingeRows, beta: Array, theta: Array, limit: int
) -> Iterator[Incumbent]:
    """Yield the best pair so far, from `beta` and `theta` on, every few iterations until `limit`.

    Restarts begin from the last point when the residual has fallen by enough; rho, the weight of
    dual over primal, is then balanced by how far both have moved, within a factor of 4.
    """
    data, xp, m, best = graph.data, graph.xp, graph.data.m, Incumbent()

    def offer(beta: Array, theta: Array, iteration: int) -> Incumbent:
        upper = float(xp.mean(rows.values(xp, data.margins(beta))))
        penalty = float(xp.sum(xp.abs(data.transposed(theta)))) / data.n
        best.offer(beta, theta, upper, float(xp.mean(rows.dual(xp, theta))) - penalty)
        best.iterations = iteration
        return best

    yield offer(beta, theta, 0)
    if graph.scale < _NOTHING:
        return
    # As steep as the losses, over margins of order 1.
    rho = float(xp.mean(rows.high)) / float(xp.mean(graph.w))
    # The point whose proximal points are beta and theta.
    forces = xp.concat([data.transposed(theta), -theta])
    at = xp.concat([beta, data.margins(beta)]) + forces / (rho * graph.weights)
    anchor, taken, first, last = at, 0, math.inf, math.inf
    before: tuple[Array, Array] | None = None
    for iteration in range(1, limit + 1):
        beta = clip(xp, at[:m], -1.0, 1.0)
        theta = rows.proximal(xp, at[m:], rho * graph.w)
        near = xp.concat([beta, at[m:] + theta / (rho * graph.w)])
        on_graph = graph.project(2.0 * near - at)
        step = on_graph - near
        reflected = at + 2.0 * step
        if taken == 0:
            first = graph.length(step)
        restart = False
        if iteration % _CHECK == 0 or iteration == limit:
            yield offer(beta, theta, iteration)
            residual = graph.length(step)
            rising = last < residual <= _SOME * first
            long = taken >= max(_LONG * iteration, 5 * _CHECK)
            restart, last = residual <= _ENOUGH * first or rising or long, residual
        if not restart:
            taken += 1
            at = reflected + (anchor - reflected) / (taken + 1)
            continue
        dual, new = rho * (near - at), rho
        if before is not None:
            moved, turned = (graph.length(b - a) for a, b in zip(before, (on_graph, dual)))
            if moved > 0.0 and turned > 0.0:
                new = min(max(math.sqrt(rho * turned / moved), rho / 4.0), 4.0 * rho)
        before = on_graph, dual
        at = reflected if new == rho else near - dual / new
        rho, anchor, taken, last = new, at, 0, math.inf
