"""Independent routes to the exact functions: partition sums by quadrature, and Hoeffding's formula.

None of them uses the wedges, steps or bounds of the library.
"""

import functools
import math
from typing import Any

import mpmath
import numpy as np
from scipy import integrate
from scipy.special import ndtr, owens_t

# Of the trapezoid rule, to a unit.
NODES = 16


def coefficients(q: int, n: int) -> list[Any]:
    """a_0(q), ..., a_(n-1)(q) by partitions and the trapezoid rule, to 25 digits.

    a_i = (i+1) sum over partitions of i+1 with l <= q parts of q!/((q-l)! prod m_k!) I^2 with
    I = int Phi^(q-l) prod psi_(lambda_j), psi_m = phi He_(m-1)/sqrt(m!). The rule's error for an
    entire function f is e^(-2 pi y/h) int |f(t + iy)| dt, here for q <= 40 at y = 1 below 1e-30.
    """
    with mpmath.workdps(30):
        return [(i + 1) * sum(_term(q, parts) for parts in _partitions(i + 1)) for i in range(n)]


def _term(q: int, parts: tuple[int, ...]) -> Any:
    if len(parts) > q:
        return mpmath.mpf(0)

    def integrand(i: int) -> Any:
        return _law(i) ** (q - len(parts)) * mpmath.fprod(_psi(m, i) for m in parts)

    integral = mpmath.fsum(integrand(i) for i in range(-12 * NODES, 12 * NODES + 1)) / NODES
    same = math.prod(math.factorial(parts.count(m)) for m in set(parts))
    return mpmath.mpf(math.perm(q, len(parts))) / same * integral**2


@functools.cache
def _law(i: int) -> Any:
    return mpmath.ncdf(mpmath.mpf(i) / NODES)


@functools.cache
def _psi(m: int, i: int) -> Any:
    t = mpmath.mpf(i) / NODES
    # mpmath's Hermite polynomials are the physicists'.
    he = mpmath.hermite(m - 1, t / mpmath.sqrt(2)) / 2 ** mpmath.mpf((m - 1) / 2)
    return mpmath.npdf(t) * he / mpmath.sqrt(mpmath.factorial(m))


def _partitions(n: int, largest: int | None = None) -> list[tuple[int, ...]]:
    if n == 0:
        return [()]
    top = min(n, largest or n)
    return [(m, *rest) for m in range(1, top + 1) for rest in _partitions(n - m, m)]


def product_moments(rho: float, q: int) -> tuple[float, float]:
    """K and S to 1e-10: moments of M at once, and covariances by Hoeffding's formula.

    Cov(g(M), g(M')) = int int g'(x) g'(y) (Phi_2(x, y)^q - Phi(x)^q Phi(y)^q) dx dy.
    """
    h = 0.04
    t = h * (np.arange(-225, 225) + 0.5)
    x, y = t[:, None], t[None, :]
    root = math.sqrt((1 - rho) * (1 + rho))
    both = 0.5 * (ndtr(x) + ndtr(y)) - (x * y < 0) / 2
    both = both - owens_t(x, (y / x - rho) / root) - owens_t(y, (x / y - rho) / root)
    gap = np.maximum(both, 0.0) ** q - (ndtr(x) * ndtr(y)) ** q
    density = q * np.exp(-t * t / 2) / math.sqrt(2 * math.pi) * ndtr(t) ** (q - 1)
    first, second = (h * float(np.sum(t**k * density)) for k in (1, 2))
    kernel = h * h * float(np.sum(gap)) + first**2
    return kernel, h * h * float(np.sum(4 * x * y * gap)) + second**2


def antipodal_constant(q: int) -> float:
    """B_q of kappa_q(cos theta) ~ B_q (pi - theta)^(q-1), by adaptive quadrature."""

    def integrand(t: float) -> float:
        phi = math.exp(-t * t / 2) / math.sqrt(2 * math.pi)
        return phi * (t * float(ndtr(t)) + phi) ** (q - 1)

    cone, _ = integrate.quad(integrand, -8, 20, epsabs=0, epsrel=1e-12, limit=200)
    return math.sqrt(q) * (2 * math.pi) ** (-(q - 1) / 2) * cone


def closed_probability(rho: Any, q: int) -> Any:
    """kappa_q for q = 1, 2, 3: 1, 1 - theta/pi, and by the orthants of three Gaussians."""
    t = np.arccos(-np.asarray(rho))
    if q < 3:
        return t / math.pi if q == 2 else np.ones_like(t)
    return 1 / 3 + 3 / (4 * math.pi**2) * (t**2 - np.arccos(np.asarray(rho) / 2) ** 2)


def closed_kernel(rho: Any, q: int) -> Any:
    """K_q for q = 1, 2, 3, the integral of kappa_q."""
    rho = np.asarray(rho)
    if q == 1:
        return rho
    if q == 2:
        t = np.arccos(-rho)
        return (np.sqrt((1 - rho) * (1 + rho)) + t * rho) / math.pi

    def part(u: Any) -> Any:
        angle = np.arccos(u)
        return u * angle**2 - 2 * np.sin(angle) * angle - 2 * u

    return rho / 3 - 3 / (4 * math.pi**2) * (part(-rho) + 2 * part(rho / 2))
