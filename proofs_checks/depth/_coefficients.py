"""Coefficients of zonal kernels: eigenvalues on the sphere for its uniform law."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from mehler import DeepKernel, exact

# Points of two rules, whose difference shows the error of either.
_POINTS = (1500, 1601)


@functools.cache
def _rule(points: int) -> tuple[Any, Any]:
    return np.polynomial.legendre.leggauss(points)


def eigenvalues(
    method: str,
    q: int,
    depth: int,
    d: int,
    degrees: tuple[int, ...],
    *,
    weight_variance: float | None = None,
    bias_variance: float = 0.0,
) -> tuple[Any, Any]:
    """Return those of the kernel of rows of length sqrt(d) in dimension d, and their errors.

    Gauss-Legendre in the angle, in which the kernels are analytic up to both ends, so that
    rounding is what is left: four times the difference of two rules. Weights of no variance are
    the critical ones.
    """
    w = 1 / exact.sigma2(q) if weight_variance is None else weight_variance
    network = DeepKernel(
        "maxout", depth, pool_size=q, weight_variance=w, bias_variance=bias_variance
    )
    kernel, found = getattr(network, method), []
    for nodes, weights in map(_rule, _POINTS):
        theta = 0.5 * math.pi * (nodes + 1)
        rows = np.stack([np.cos(theta), np.sin(theta)], axis=1) * 2**0.5
        law = weights * np.sin(theta) ** (d - 2)
        law *= kernel(np.array([[2**0.5, 0.0]]), rows)[0] / law.sum()
        polynomials = _gegenbauer(np.cos(theta), d, max(degrees))
        found.append(np.array([np.sum(law * polynomials[k]) for k in degrees]))
    return found[0], 4.0 * np.abs(found[0] - found[1])


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


def leading(
    method: str,
    q: int,
    depth: int,
    a: float,
    *,
    weight_variance: float | None = None,
    bias_variance: float = 0.0,
) -> tuple[float, float]:
    """Return (nu, c): the kernel is a polynomial and c (1 - t)^nu to leading order at t = 1."""
    second = exact.sigma2(q)
    w = 1 / second if weight_variance is None else weight_variance
    # Of each layer: Sigma_l and Theta_l at equal rows, and its angle over that of the rows.
    variance = tangent = w + bias_variance
    lines = angles = 0.0
    for layer in range(1, depth + 1):
        angle = (w**layer / variance) ** 0.5
        angles += angle
        lines += w ** (depth + 1 - layer) * angle * tangent
        variance = w * second * variance + bias_variance
        tangent = variance + w * tangent
    if method == "nngp":
        return 1.5, 2**1.5 / 3 * a * w ** (depth + 1) * angles
    return 0.5, -(2**0.5) * a * lines
