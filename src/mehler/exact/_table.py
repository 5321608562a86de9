"""Expectations of two maxout units at an angle: one grid of wedges, a table per pool size q.

M and M' are the maxima of q pairs of normals of correlation rho = cos(theta), D and D' the pairs
that have them, and h_1 = E M. Tables hold kappa = P(D = D'), K = E M M', S = E M^2 M'^2, and the
last two with M - h_1 for M. The way to all of them is the event D = D'. There one pair has both
maxima, X, Y = a cos(theta/2) +- b sin(theta/2) for independent normals a and b, and the q - 1
others lie below both: in a wedge of the plane with its apex at (a, b), of Gaussian measure G. As
any of the q pairs may be that one, E[f(M, M'); D = D'] is the mean of q f(X, Y) G^(q-1) over
(a, b), a sum over one grid, `wedge_grid`, that serves all q. With f = 1 it is kappa.

K and S follow from their derivatives in rho, which are such means: dK/drho = kappa, and dS/drho is
4 E[M M'; D = D']. They are integrated from rho = 1, where M = M' and moments of M serve.
`pool_table` takes the means at 64 angles, and fits polynomials in theta; `evaluate`, and the
functions of rho and q at the end, evaluate these. Proofs: :doc:`/theorems/certified-balls`.
"""

from __future__ import annotations

import functools
import itertools
import math
import threading
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev, legendre
from numpy.typing import NDArray

from mehler import _arrays
from mehler.exact import _correlations, _moments
from mehler.exact._correlations import angle, over_sine

# Chebyshev nodes in theta: kappa_q is analytic on [0, pi], and at q = 10^6 its coefficients fall
# below 1e-15 before the 64th.
N_ANGLES = 64
# Gauss-Legendre panels for a <= 0. Up to a = 10.6, where q phi(a) < 1e-17 for q = 10^6; finer
# where G^(q-1) turns from 0 to 1, which is near a = sqrt(2 log q).
_PANELS = (10.6, 7.5, 6.0, 5.0, 4.0, 3.0, 1.6, 0.0)
_NODES = 24
_B_END, _B_STEPS = 8.8, 80  # trapezoid rule in b >= 0 (an even integrand): phi(8.8) < 1e-17


@dataclass(frozen=True)
class WedgeGrid:
    """log G by angle theta and apex (a, b), with quadrature weights for a standard normal apex."""

    theta: NDArray[np.float64]  # (t,)
    a: NDArray[np.float64]  # (i,)
    b: NDArray[np.float64]  # (k,)
    weight_a: NDArray[np.float64]  # (i,): phi(a) da
    weight_b: NDArray[np.float64]  # (k,): phi(b) db, both signs of b
    log_g: NDArray[np.float64]  # (t, i, k)


_grid_lock = threading.Lock()


def wedge_grid() -> WedgeGrid:
    """Return the grid, built once (about 0.1 s) and shared by all threads."""
    with _grid_lock:
        return _build_grid()


@functools.cache
@np.errstate(under="ignore")
def _build_grid() -> WedgeGrid:
    """Integrate dG/da from panel to panel of a <= 0; for a > 0, G follows by reflection."""
    from scipy.special import erfc, ndtr  # deferred: 0.1 s to import

    theta = (1 + chebyshev.chebpts1(N_ANGLES)) * (np.pi / 2)
    cos, sin = np.cos(theta / 2)[:, None, None], np.sin(theta / 2)[:, None, None]
    nodes, weights = legendre.leggauss(_NODES)
    integrate = _integration_matrix(nodes)
    b = np.linspace(0.0, _B_END, _B_STEPS + 1)
    weight_b = np.full(b.shape, 2 * _B_END / _B_STEPS)
    weight_b[0] /= 2

    g_below, a_below, weight_below = [], [], []
    so_far = np.zeros((N_ANGLES, 1, b.size))
    for far, close in itertools.pairwise(_PANELS):  # a from -far to -close
        half = (far - close) / 2
        a = -far + half * (nodes + 1)
        x, y = a[:, None] * cos + b * sin, a[:, None] * cos - b * sin
        x_across, y_across = a[:, None] * sin - b * cos, a[:, None] * sin + b * cos
        slope = cos * (_phi(x) * ndtr(x_across) + _phi(y) * ndtr(y_across))
        g_below.append(so_far + half * np.matmul(integrate, slope))
        so_far = so_far + half * np.tensordot(slope, weights, (1, 0))[:, None, :]
        a_below.append(a)
        weight_below.append(half * weights)
    g = np.concatenate(g_below, axis=1)
    a = np.concatenate(a_below)
    weight_a = np.concatenate(weight_below) * _phi(a)

    x, y = -a[::-1, None] * cos + b * sin, -a[::-1, None] * cos - b * sin
    upper = (erfc(x / np.sqrt(2)) + erfc(y / np.sqrt(2))) / 2 - g[:, ::-1, :]
    with np.errstate(divide="ignore"):
        # Narrow wedges: G = 0 in float64, its log is -inf, and its powers are 0 as they should be.
        log_below = np.log(np.maximum(g, 0.0))
        log_above = np.log1p(-np.minimum(upper, 1.0))
    return WedgeGrid(
        theta=theta,
        a=np.concatenate([a, -a[::-1]]),
        b=b,
        weight_a=np.concatenate([weight_a, weight_a[::-1]]),
        weight_b=weight_b * _phi(b),
        log_g=np.concatenate([log_below, log_above], axis=1),
    )


def _phi(t: NDArray[np.float64]) -> Any:
    return np.exp(-t * t / 2) / np.sqrt(2 * np.pi)


def _integration_matrix(nodes: NDArray[np.float64]) -> Any:
    """M[i, j] = integral from -1 to nodes[i] of the j-th Lagrange polynomial at `nodes`."""
    n = nodes.size
    # Legendre series of the interpolant: Gauss-Legendre quadrature makes the transform exact.
    _, weights = legendre.leggauss(n)
    to_series = legendre.legvander(nodes, n - 1).T * weights * (np.arange(n)[:, None] + 0.5)
    return legendre.legval(nodes, legendre.legint(to_series, lbnd=-1)).T


_PIECES = 64  # equal parts of [0, pi], with a polynomial on each
_DEGREE = 9


@dataclass(frozen=True)
class PoolTable:
    """Local polynomials in theta, each of shape (degree + 1, pieces), for one pool size."""

    kappa: NDArray[np.float64]  # P(D = D')
    # sin(theta/2) d kappa / d rho, for q > 2: it is infinite at theta = 0 alone
    kappa_slope: NDArray[np.float64]
    kernel: NDArray[np.float64]  # K = E M M'
    gap: NDArray[np.float64]  # (K(1) - K) / (1 - rho), the mean of kappa over [rho, 1]
    mean: NDArray[np.float64]  # (K - K(0)) / rho, the mean of kappa over [0, rho]
    second: NDArray[np.float64]  # S = E M^2 M'^2
    second_slope: NDArray[np.float64]  # d S / d rho
    centred_second: NDArray[np.float64]  # E (M - h_1)^2 (M' - h_1)^2
    centred_second_slope: NDArray[np.float64]
    slope: NDArray[np.float64]  # (1 - rho^2) d kappa / d rho


_lock = threading.Lock()


def pool_table(q: int) -> PoolTable:
    """Return the table of pool size `q`, built in milliseconds and shared by all threads."""
    with _lock:
        return _build(q)


@functools.lru_cache(maxsize=256)
@np.errstate(under="ignore")
def _build(q: int) -> PoolTable:
    """Sum q f(X, Y) G^(q-1) over the grid at each angle, fit polynomials in theta and integrate."""
    grid = wedge_grid()
    cos, sin = np.cos(grid.theta / 2), np.sin(grid.theta / 2)
    h1, h2, h4 = (_moments.max_moment(k, q) for k in (1, 2, 4))
    power = q * np.exp((q - 1) * grid.log_g) if q > 1 else np.ones_like(grid.log_g)
    # Sums over b first: (angle, a), without and with b^2.
    plain, b_squared = np.moveaxis(
        power @ np.stack([grid.weight_b, grid.weight_b * grid.b**2], axis=-1), -1, 0
    )
    along = grid.a * cos[:, None]  # half the sum of the projections: X, Y = along +- b sin

    def product(c: float) -> Any:
        """E[(M - c)(M' - c); D=D'], from (X - c)(Y - c); without cancellation."""
        return ((along - c) ** 2 * plain - sin[:, None] ** 2 * b_squared) @ grid.weight_a

    shared = plain @ grid.weight_a  # kappa at the angles
    sine = np.sin(grid.theta)
    kappa = _series(shared)
    local, slope = with_slope(shared, grid.theta)
    # dS/drho, and that with M - h_1 for M. In the angle, drho is -sin(theta) dtheta.
    raw_slope, centred_slope = 4 * product(0.0), 4 * product(h1)
    return PoolTable(
        kappa=local,
        kappa_slope=slope,
        kernel=_localise(_integrate(h2, _series(shared * sine))),
        gap=_localise(_series(_mean_between(grid.theta, 0.0, kappa))),
        mean=_localise(_series(_mean_between(grid.theta, np.pi / 2, kappa))),
        second=_localise(_integrate(h4, _series(raw_slope * sine))),
        second_slope=_localise(_series(raw_slope)),
        centred_second=_localise(
            _integrate(_moments.centred_moment(4, q), _series(centred_slope * sine))
        ),
        centred_second_slope=_localise(_series(centred_slope)),
        slope=_localise(chebyshev.chebmul(_sine_slope(kappa), _series(sine))),
    )


def with_slope(values: NDArray[np.float64], theta: NDArray[np.float64]) -> tuple[Any, Any]:
    """Localise a collision probability from the nodes, and sin(theta/2) of its slope in rho."""
    series = _series(values)
    at_nodes = chebyshev.chebval(2 / np.pi * theta - 1, _sine_slope(series))
    return _localise(series), _localise(_series(at_nodes / (2 * np.cos(theta / 2))))


def _sine_slope(series: NDArray[np.float64]) -> Any:
    """Return sin(theta) times the derivative in rho, which is minus that in theta."""
    return -chebyshev.chebder(series) * (2 / np.pi)


def _mean_between(theta: NDArray[np.float64], end: float, kappa: NDArray[np.float64]) -> Any:
    """Average kappa from rho to cos(end), as an integral in the angle, over their distance."""
    nodes, weights = legendre.leggauss(N_ANGLES)
    at = end + (theta - end)[:, None] * ((1 + nodes) / 2)
    values = chebyshev.chebval(2 / np.pi * at - 1, kappa) * np.sin(at)
    length = 4 * np.sin((theta - end) / 2) * np.sin((theta + end) / 2)
    return values @ weights * ((theta - end) / length)


def _series(values: NDArray[np.float64]) -> Any:
    """Interpolate `values` at Chebyshev nodes of the first kind, by a cosine transform."""
    n = values.shape[0]
    # Reduce angles as integers: the three-term recurrence would lose a digit at the ends.
    angle = np.outer(np.arange(n), 2 * np.arange(n)[::-1] + 1) % (4 * n) * (np.pi / (2 * n))
    return np.cos(angle) @ values * np.where(np.arange(n) == 0, 1, 2) / n


def _integrate(at_zero: float, series: NDArray[np.float64]) -> Any:
    """Return at_zero minus the integral from 0 to theta, as a series in 2 theta/pi - 1."""
    integral = -chebyshev.chebint(series, lbnd=-1) * (np.pi / 2)
    integral[0] += at_zero
    return integral


def _localise(series: NDArray[np.float64]) -> Any:
    """Return coefficients (degree + 1, pieces) of interpolants on equal pieces of [0, pi]."""
    nodes = chebyshev.chebpts1(_DEGREE + 1)
    middles = (2 * np.arange(_PIECES) + 1) / _PIECES - 1
    values = chebyshev.chebval(middles[None, :] + nodes[:, None] / _PIECES, series)
    local = chebyshev.chebvander(nodes, _DEGREE).T @ values * (2 / (_DEGREE + 1))
    local[0] /= 2
    return _TO_POWERS @ local


# Column k: the monomial coefficients of T_k.
_TO_POWERS = np.stack(
    [np.pad(chebyshev.cheb2poly(np.eye(k + 1)[k]), (0, _DEGREE - k)) for k in range(_DEGREE + 1)],
    axis=1,
)


def evaluate(pieces: NDArray[np.float64], rho: _arrays.Array) -> _arrays.Array:
    """Evaluate at correlations `rho` in [-1, 1], in the namespace and dtype of `rho`."""
    if type(rho) is float:
        return _at_number(pieces, math.acos(rho))
    return _arrays.map_elements(lambda xp, flat: _at(pieces, xp, angle(xp, flat)), rho)


def evaluate_at_angle(pieces: NDArray[np.float64], theta: _arrays.Array) -> _arrays.Array:
    """Evaluate at angles in [0, pi], for callers who know small ones better than their cosine."""
    return _arrays.map_elements(lambda xp, flat: _at(pieces, xp, flat), theta)


def _at_number(pieces: NDArray[np.float64], theta: float) -> float:
    piece = min(_PIECES - 1, int(theta * (_PIECES / math.pi)))
    t = theta * (2 * _PIECES / math.pi) - (2 * piece + 1)
    coefficients = pieces[:, piece].tolist()
    value = coefficients[_DEGREE]
    for k in range(_DEGREE - 1, -1, -1):
        value = value * t + coefficients[k]
    return float(value)


def _at(pieces: NDArray[np.float64], xp: ModuleType, theta: _arrays.Array) -> _arrays.Array:
    place = _arrays.place_of(theta)
    # JAX without x64 has no int64 either.
    whole = xp.int64 if _arrays.dtype_name(theta.dtype) == "float64" else xp.int32
    piece = xp.astype(theta * (_PIECES / np.pi), whole)
    piece = _arrays.clip(xp, piece, 0, _PIECES - 1)
    t = theta * (2 * _PIECES / np.pi) - xp.astype(2 * piece + 1, theta.dtype)
    table = _arrays.from_host(pieces, place, theta.dtype)
    value = xp.take(table[_DEGREE, :], piece)
    for k in range(_DEGREE - 1, -1, -1):
        value = value * t + xp.take(table[k, :], piece)
    return value


def collision_at(rho: _arrays.Array, q: int) -> _arrays.Array:
    """Compute kappa_q = P(D = D') of checked correlations, from the table for q > 2."""
    if q <= 2:
        return _correlations.collision_on_array(rho, q)
    value = functools.partial(probability, pool_table(q).kappa)
    return _arrays.with_derivative(value, lambda r: collision_slope(r, q), rho)


def probability(pieces: NDArray[np.float64], rho: _arrays.Array) -> _arrays.Array:
    """Evaluate a table of probabilities; rounding may exceed [0, 1]."""
    value = evaluate(pieces, rho)
    if type(value) is float:
        return min(1.0, max(0.0, value))
    return _arrays.array_namespace(rho).clip(value, 0.0, 1.0)


def collision_slope(rho: _arrays.Array, q: int) -> _arrays.Array:
    """Compute the derivative of kappa_q for q >= 3; where it is infinite, 0."""
    return over_root(pool_table(q).kappa_slope, rho)


def over_root(pieces: NDArray[np.float64], rho: _arrays.Array) -> _arrays.Array:
    """Divide by sin(theta/2) = sqrt((1 - rho)/2); where that is 0, give 0."""
    xp = _arrays.array_namespace(rho)
    over = (1.0 + rho) ** 0.5 * over_sine(xp, rho)  # 1/sqrt(1 - rho), and 0 at the ends
    over = xp.where(rho > -1.0, over, 0.5**0.5 * xp.ones_like(rho))
    return 2.0**0.5 * over * evaluate(pieces, rho)


def kernel_at(rho: _arrays.Array, q: int) -> _arrays.Array:
    """Compute K_q = E M M' likewise."""
    if q <= 2:
        return _correlations.kernel_on_array(rho, q)
    value = functools.partial(evaluate, pool_table(q).kernel)
    return _arrays.with_derivative(value, lambda r: collision_at(r, q), rho)


def second_moment_at(rho: _arrays.Array, q: int) -> _arrays.Array:
    """Compute S_q = E M^2 M'^2 likewise."""
    if q == 1:
        return 1 + 2 * rho * rho
    table = pool_table(q)
    return _tabled(table.second, table.second_slope, rho)


def _tabled(
    value: NDArray[np.float64], slope: NDArray[np.float64], rho: _arrays.Array
) -> _arrays.Array:
    return _arrays.with_derivative(
        functools.partial(evaluate, value), functools.partial(evaluate, slope), rho
    )


def centred_at(rho: _arrays.Array, q: int) -> _arrays.Array:
    """Compute K_q - h_1^2, h_1 = E M, likewise."""
    if q == 1:
        return rho
    value = lambda r: r * evaluate(pool_table(q).mean, r)  # noqa: E731
    return _arrays.with_derivative(value, lambda r: collision_at(r, q), rho)


def centred_variance_at(rho: _arrays.Array, q: int) -> _arrays.Array:
    """Compute the variance of (M - h_1) (M' - h_1) likewise."""
    if q == 1:
        return 1 + rho * rho
    table = pool_table(q)
    square = _tabled(table.centred_second, table.centred_second_slope, rho)
    return square - centred_at(rho, q) ** 2
