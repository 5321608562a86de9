r"""What the rules of exponents miss at most: the proof of the steps that `_exponent.STEPS` holds.

The trapezoid rule of a step h misses what the growth of the integrand off the real plane allows.
Phi_2(x, y) = P(W), W the wedge {g <= x, g' <= y}. Where its apex moves by i u in any direction,

    Phi_2 = 1 - z,    z = exp(u^2/2) E[exp(-i u g); not W],    g the coordinate along it,

and with T = P(not W) = 2 P(g > v) no set of this probability has a larger E[g^2; not W] than
V = T + 2 v phi(v), that of abs(g) > v. As cos t >= p - r t^2 with r = sin(t0)/(2 t0) and
p = cos(t0) + t0 sin(t0)/2, and abs(1 - z)^2 = 1 - 2 Re z + abs(z)^2,

    log abs(Phi_2) <= -exp(u^2/2) (p T - r u^2 V) + exp(u^2) T^2/2   and   <= u^2/2 + log(1 - T).

The first is good where T is small, the second elsewhere. Their largest value over T, times q - 1,
bounds the growth of Phi_2^(q-1): nearly nothing up to u = 1.5/sqrt(2 log q). For the largest of q
absolute normals the wedge is the strip abs(g) <= x, whose complement is that of V; there
abs(erf((x + i y)/sqrt 2)) <= exp(u^2/2) (1 - T + u sqrt(2/pi)) for y up to u stands for the second.
"""

import functools
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler import exact
from mehler.bounds._arguments import Floats
from mehler.bounds.kernel_error._exponent import GAUSS, PANELS, edges, end

# Lengths u of shifts into the complex plane: each gives a bound of the error.
SHIFTS = np.linspace(0.05, 3.0, 60)
# Values of t0, at each of which the parabola touches the cosine.
TOUCHING = (0.3, 0.6, 0.9, 1.2, 1.4, math.pi / 2)
CELLS = 2000


@functools.lru_cache(maxsize=256)
def growth(q: int, *, strip: bool = False) -> Any:
    """Bound log abs(Phi_2^(q-1)) at each shift, over all apexes: on cells of T, by their ends.

    Of a strip, log abs(erf^(q-1)); erf is bounded near the real line, and largest on the edges.
    """
    from scipy.special import ndtri

    ends = np.concatenate([[0.0], np.geomspace(1e-15, 1.0, CELLS)])
    low, high = ends[:-1], ends[1:]
    v = -ndtri(high / 2)
    second = high + 2 * v * np.exp(-v * v / 2) / math.sqrt(2 * math.pi)
    at_zero = math.sqrt(2 / math.pi) * SHIFTS if strip else np.zeros_like(SHIFTS)
    shifts = zip(SHIFTS.tolist(), at_zero.tolist(), strict=True)
    return (q - 1) * np.array([max(0.0, steepest(*u, low, high, second)) for u in shifts])


def steepest(u: float, at_zero: float, low: Floats, high: Floats, second: Floats) -> float:
    whole = math.exp(u * u / 2)
    # The last cell ends at T = 1, but the bound of its beginning holds on all of it.
    bound = u * u / 2 + np.log1p(at_zero - low)
    for t in TOUCHING:
        r, p = math.sin(t) / (2 * t), math.cos(t) + t * math.sin(t) / 2
        near = -whole * (p * low - r * u * u * second) + (whole * high) ** 2 / 2
        bound = np.minimum(bound, near)
    return float(bound.max())


def missed(rho: float, q: int, at: float | NDArray[np.float64], step: float) -> Any:
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
    u = SHIFTS
    v = 1 / (1 - at * (1 + abs(rho)))
    shift = u * u + abs(float(exact.maxout_kernel(rho, q)))
    decay = -2 * math.pi * u / step
    eta, both = np.exp(decay), np.exp(decay / math.sqrt(2))
    share = 4 * eta / (1 - eta) + 4 * (both / (1 - both)) ** 2
    mass = 2 * np.sqrt(v) * (q + q * q)
    size = np.log(share * mass * (3 * v * v + 2 * v + 3 + shift**2))
    with np.errstate(over="ignore"):
        return at[..., 0] ** 2 * np.exp((size + u * u + growth(q) + at * shift).min(axis=-1))


def missed_of_largest(q: int, at: NDArray[np.float64], panels: float = PANELS) -> Any:
    """Bound what the rule of `largest_nodes` misses of E [exp(s N^2) - 1 - s N^2], s = `at`.

    On a panel of half the length h the rule of n nodes, whose weights are positive, misses at most
    8 h M r^(1-2n)/(r - 1) of a function that is at most M on the ellipse of radius r, which is
    as high as u = h (r - 1/r)/2. There the integrand is at most exp(u^2/2) times the growth of
    erf^(q-1) times q phi(x) s^2 y^2 exp(s x^2), y = x^2 + u^2, and y^2 exp(-p y/2) at most
    16 exp(-2)/p^2, p = 1 - 2 s. Beyond the last panel x^4 exp(-p x^2/2) has the integral
    1.05 x^3 exp(-p x^2/2)/p at most.
    """
    at = np.asarray(at, dtype=float)
    last, u, p = end(q), SHIFTS, 1 - 2 * at
    half = float(edges(q, panels)[1]) / 2
    radius = u / half + np.hypot(u / half, 1.0)
    rule = (1 - 2 * GAUSS) * np.log(radius) - np.log(radius - 1)
    share = 4 * last * math.exp(float(np.min(rule + u * u + growth(q, strip=True))))
    beyond = 1.05 * last**3 * np.exp(-p * last**2 / 2) / p
    return q / math.sqrt(2 * math.pi) * at**2 * (share * 16 * math.exp(-2) / p**2 + beyond)
