"""Independent routes to the exact functions: partition sums by quadrature, and Hoeffding's formula.

None of them uses the wedges, steps or bounds of the library.
"""

from __future__ import annotations

import math
from typing import Any

import mpmath
import numpy as np
from scipy import integrate
from scipy.special import ndtr, owens_t


def coefficients(q: int, n: int) -> list[Any]:
    """a_0(q), ..., a_(n-1)(q) by partitions and Gauss-Legendre quadrature, to 25 digits.

    a_i = (i+1) sum over partitions of i+1 with l <= q parts of q!/((q-l)! prod m_k!) I^2 with
    I = int Phi^(q-l) prod psi_(lambda_j), psi_m = phi He_(m-1)/sqrt(m!).
    """
    with mpmath.workdps(30):
        return [(i + 1) * sum(_term(q, parts) for parts in _partitions(i + 1)) for i in range(n)]


def _term(q: int, parts: tuple[int, ...]) -> Any:
    if len(parts) > q:
        return mpmath.mpf(0)

    def integrand(t: Any) -> Any:
        # mpmath's Hermite polynomials are the physicists'.
        at = t / mpmath.sqrt(2)
        he = [mpmath.hermite(m - 1, at) / 2 ** mpmath.mpf((m - 1) / 2) for m in parts]
        psi = [mpmath.npdf(t) * h / mpmath.sqrt(mpmath.factorial(m)) for h, m in zip(he, parts)]
        return mpmath.ncdf(t) ** (q - len(parts)) * mpmath.fprod(psi)

    integral = mpmath.quad(integrand, [-12, -6, -2, 0, 2, 6, 12])
    same = math.prod(math.factorial(parts.count(m)) for m in set(parts))
    return mpmath.mpf(math.perm(q, len(parts))) / same * integral**2


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
