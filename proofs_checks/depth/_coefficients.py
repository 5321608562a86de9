"""Coefficients of zonal kernels: eigenvalues on the sphere for its uniform law."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from mehler import DeepKernel, exact


@functools.cache
def _rule() -> tuple[Any, Any]:
    return np.polynomial.legendre.leggauss(1500)


def eigenvalues(method: str, q: int, depth: int, d: int, degrees: tuple[int, ...]) -> Any:
    """Return those of the kernel of rows of length sqrt(d) in dimension d, at critical weights.

    Gauss-Legendre in the angle, in which the kernels are analytic up to both ends.
    """
    nodes, weights = _rule()
    theta = 0.5 * math.pi * (nodes + 1)
    rows = np.stack([np.cos(theta), np.sin(theta)], axis=1) * 2**0.5
    network = DeepKernel("maxout", depth, pool_size=q, weight_variance=1 / exact.sigma2(q))
    values = getattr(network, method)(np.array([[2**0.5, 0.0]]), rows)[0]
    law = weights * np.sin(theta) ** (d - 2)
    law /= law.sum()
    found = _gegenbauer(np.cos(theta), d, max(degrees))
    return np.array([np.sum(law * values * found[k]) for k in degrees])


def _gegenbauer(t: Any, d: int, most: int) -> list[Any]:
    """Return the polynomials of the sphere in dimension d, 1 at 1."""
    found = [np.ones_like(t), t]
    for k in range(1, most):
        found.append(((2 * k + d - 2) * t * found[k] - k * found[k - 1]) / (k + d - 2))
    return found


def of_power(nu: float, d: int, k: int) -> float:
    """Return the eigenvalue of degree k of (1 - t)^nu, by Rodrigues' formula."""
    h = (d - 1) / 2
    # (-nu)_k Gamma(h) / (2^k Gamma(k + h)) times the integral of (1-t)^(nu+h-1) (1+t)^(k+h-1).
    sign = math.prod(-1.0 if j - nu < 0 else 1.0 for j in range(k))
    log = sum(math.log(abs(j - nu)) for j in range(k)) + math.lgamma(h) - math.lgamma(k + h)
    log += (nu + 2 * h - 1) * math.log(2.0)
    log += math.lgamma(nu + h) + math.lgamma(k + h) - math.lgamma(nu + k + 2 * h)
    whole = (2 * h - 1) * math.log(2.0) + 2 * math.lgamma(h) - math.lgamma(2 * h)
    return sign * math.exp(log - whole)


def kink(q: int) -> float:
    """Return a_q: kappa_q = 1 - a_q theta + ... next to equal rows."""
    return float(exact.max_moment(1, q)) / math.sqrt(math.pi)


def leading(method: str, q: int, depth: int, a: float) -> tuple[float, float]:
    """Return (nu, c): the kernel is a polynomial and c (1 - t)^nu to leading order at t = 1."""
    w = slope = 1 / exact.sigma2(q)
    if method == "nngp":
        # C = 1 - slope ((1 - t) - (a/3) theta^3 + ...): cubes of angles add up.
        cubes = sum(slope ** (depth - k) * slope ** (1.5 * k) for k in range(depth))
        return 1.5, w * a / 3 * 2**1.5 * cubes
    # Theta_(l+1) = Sigma_(l+1) + w kappa(rho_l) Theta_l, with angles slope^(l/2) theta, and
    # Theta_l(1) = w (1 + w + ... + w^l).
    lines = sum(
        w ** (depth - k) * slope ** (k / 2) * w * sum(w**j for j in range(k + 1))
        for k in range(depth)
    )
    return 0.5, -a * 2**0.5 * lines
