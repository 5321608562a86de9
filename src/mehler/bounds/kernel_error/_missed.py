r"""What the trapezoid rule misses, with growth of the density off the real plane for any pool size.

Phi_2(x, y) = P(W), W the wedge {g <= x, g' <= y}. Where its apex moves by i u in any direction,

    Phi_2 = 1 - z,    z = exp(u^2/2) E[exp(-i u g); not W],    g the coordinate along it,

and with T = P(not W) = 2 P(g > v) no set of this probability has a larger E[g^2; not W] than
V = T + 2 v phi(v), that of abs(g) > v. As cos t >= p - r t^2 with r = sin(t0)/(2 t0) and
p = cos(t0) + t0 sin(t0)/2, and abs(1 - z)^2 = 1 - 2 Re z + abs(z)^2,

    log abs(Phi_2) <= -exp(u^2/2) (p T - r u^2 V) + exp(u^2) T^2/2   and   <= u^2/2 + log(1 - T).

The first is good where T is small, the second elsewhere. Their largest value over T, times q - 1,
bounds the growth of Phi_2^(q-1): nearly nothing up to u = 1.5/sqrt(2 log q).
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from mehler import exact

_SHIFTS = np.linspace(0.05, 3.0, 60)
# Values of t0, at each of which the parabola touches the cosine.
_TOUCHING = (0.3, 0.6, 0.9, 1.2, 1.4, math.pi / 2)
_CELLS = 2000


@functools.lru_cache(maxsize=256)
def _growth(q: int) -> Any:
    """Bound log abs(Phi_2^(q-1)) at each shift, over all apexes: on cells of T, by their ends."""
    from scipy.special import ndtri

    ends = np.concatenate([[0.0], np.geomspace(1e-15, 1.0, _CELLS)])
    low, high = ends[:-1], ends[1:]
    v = -ndtri(high / 2)
    second = high + 2 * v * np.exp(-v * v / 2) / math.sqrt(2 * math.pi)
    return (q - 1) * np.array([max(0.0, _largest(float(u), low, high, second)) for u in _SHIFTS])


def _largest(u: float, low: Any, high: Any, second: Any) -> float:
    whole = math.exp(u * u / 2)
    # The last cell ends at T = 1, but the bound of its beginning holds on all of it.
    bound = u * u / 2 + np.log1p(-low)
    for t in _TOUCHING:
        r, p = math.sin(t) / (2 * t), math.cos(t) + t * math.sin(t) / 2
        near = -whole * (p * low - r * u * u * second) + (whole * high) ** 2 / 2
        bound = np.minimum(bound, near)
    return float(bound.max())


def missed(rho: float, q: int, at: Any, step: float) -> Any:
    """Bound the rule's error for E [exp(y) - 1 - y], y = at (F - K), F = M M', at each `at` > 0.

    For both signs of y. By Poisson's formula the rule of this step misses at most
    4 eta/(1 - eta) + 4 (eta'/(1 - eta'))^2, eta = exp(-2 pi u/h), eta' = eta^(1/sqrt 2), times
    the integral of abs(density) abs(y)^2 exp(abs(Re y))/2 over a plane that is shifted by a
    vector of length u; the terms are shifts of one axis, and of both by u/sqrt 2. There
    abs(F) <= r + u^2 with r = (x^2 + y^2)/2, abs(Re F) <= abs(x y) + u^2, and the density is at
    most exp(u^2) times the growth of Phi_2^(q-1) times q phi_2 + q^2 phi phi. Weighted by
    exp(+-at x y) both laws have mass at most sqrt(v) and E r^2 <= 3 v^2 + 2 v + 3,
    1/v = 1 - at (1 + abs(rho)). Every u gives a bound.
    """
    at = np.asarray(at, dtype=float)[..., None]
    u = _SHIFTS
    v = 1 / (1 - at * (1 + abs(rho)))
    shift = u * u + abs(float(exact.maxout_kernel(rho, q)))
    decay = -2 * math.pi * u / step
    eta, both = np.exp(decay), np.exp(decay / math.sqrt(2))
    share = 4 * eta / (1 - eta) + 4 * (both / (1 - both)) ** 2
    mass = 2 * np.sqrt(v) * (q + q * q)
    size = np.log(share * mass * (3 * v * v + 2 * v + 3 + shift**2))
    with np.errstate(over="ignore"):
        return at[..., 0] ** 2 * np.exp((size + u * u + _growth(q) + at * shift).min(axis=-1))


@functools.lru_cache(maxsize=256)
def step_for(q: int, rho: float) -> float:
    """Return the longest of a few steps that misses at most 1e-8 at^2, at 0.9 of the pole."""
    steps = 0.2 * np.exp2(-np.arange(60) / 12)
    at = 0.9 / (1 + abs(rho))
    return next(float(h) for h in steps if missed(rho, q, at, float(h)) < 1e-8 * at**2)
