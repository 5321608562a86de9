"""Check how fast eigenvalues of deep maxout kernels fall on the sphere: as for ReLU networks.

A kernel of the angle has one eigenvalue mu_k for each degree k, under the sphere's uniform law. By
the statement mu_k over that of c (1 - t)^nu tends to 1: t is the cosine, c a number of the network,
nu = 1/2 for the tangent kernel, 3/2 for the covariance. The difference from 1 must halve from k to
2k. ReLU is the case q = 2: the larger of two numbers is one of them plus a ReLU of a difference.
"""

import functools
import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from mehler import DeepKernel, exact
from mehler.statements import Context, Evidence, check

from .._comparisons import Instance, compare_instances, compute

_POINTS = (700, 801)  # points of two rules, whose difference shows the error of either
_rule = functools.cache(np.polynomial.legendre.leggauss)


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
    """Return the kernel's eigenvalues for rows of length sqrt(d) in dimension d, and their errors.

    `method` is "nngp", the covariance, or "ntk", the tangent kernel; a unit is the largest of q
    projections. Gauss-Legendre in the angle, where kernels are analytic up to both ends, leaves
    rounding: four times the difference of two rules. Weights have the critical variance by default,
    at which layers keep mean squares.
    """
    w = 1 / exact.sigma2(q) if weight_variance is None else weight_variance
    network = DeepKernel(
        "maxout", depth, pool_size=q, weight_variance=w, bias_variance=bias_variance
    )
    kernel, values = getattr(network, method), []
    for nodes, weights in map(_rule, _POINTS):
        theta = 0.5 * math.pi * (nodes + 1)
        rows = np.stack([np.cos(theta), np.sin(theta)], axis=1) * 2**0.5
        law = weights * np.sin(theta) ** (d - 2)
        law *= kernel(np.array([[2**0.5, 0.0]]), rows)[0] / law.sum()
        polynomials = _gegenbauer(np.cos(theta), d, max(degrees))
        values.append(np.array([np.sum(law * polynomials[k]) for k in degrees]))
    return values[0], 4.0 * np.abs(values[0] - values[1])


def _gegenbauer(t: Any, d: int, most: int) -> list[Any]:
    """Return the Gegenbauer polynomials of degrees to `most` on the sphere in R^d, 1 at t = 1."""
    polynomials = [np.ones_like(t), t]
    for k in range(1, most):
        polynomials.append(
            ((2 * k + d - 2) * t * polynomials[k] - k * polynomials[k - 1]) / (k + d - 2)
        )
    return polynomials


def of_power(nu: float, d: int, k: int) -> float:
    """Return the eigenvalue of degree k of (1 - t)^nu, t the cosine, by Rodrigues' formula."""
    h = (d - 1) / 2
    # (-nu)_k Gamma(h) / (2^k Gamma(k + h)) times the integral of (1-t)^(nu+h-1) (1+t)^(k+h-1).
    sign = math.prod(-1.0 if j - nu < 0 else 1.0 for j in range(k))
    log = sum(math.log(abs(j - nu)) for j in range(k)) + math.lgamma(h) - math.lgamma(k + h)
    log += (nu + 2 * h - 1) * math.log(2.0)
    log += math.lgamma(nu + h) + math.lgamma(k + h) - math.lgamma(nu + k + 2 * h)
    whole = (2 * h - 1) * math.log(2.0) + 2 * math.lgamma(h) - math.lgamma(2 * h)
    return sign * math.exp(log - whole)


def kink(q: int) -> float:
    """Return a_q: at a small angle theta another of q projections is largest by chance a_q theta.

    The chance is 1 less `exact.collision_probability`, but for higher orders of theta.
    """
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
    """Return (nu, c): near t = 1 the kernel is a polynomial and c (1 - t)^nu; `a` is `kink(q)`."""
    second = exact.sigma2(q)
    w = 1 / second if weight_variance is None else weight_variance
    # For each layer: both kernels at equal rows, and the layer's angle over that of the rows.
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


# Relative error of an eigenvalue by quadrature, of degrees to 82, if no more is measured.
_QUADRATURE = 1e-4
_DEGREES = (40, 41, 80, 81)  # degrees k, even and odd, and about twice those
Leading = Callable[..., tuple[float, float]]


def _networks(context: Context) -> Iterator[tuple[int, int, dict[str, float]]]:
    """Yield pool sizes q, depths and variances; weights are critical unless they are given."""
    sizes = ((3, 4), (1, 3)) if context.quick else ((3, 4, 8, 16), (1, 2, 3, 5))
    for q, depth in itertools.product(*sizes):
        yield q, depth, {}
    biased = ({"bias_variance": 0.1}, {"weight_variance": 0.6, "bias_variance": 0.3})
    few = ((2, 4), (1, 3)) if context.quick else ((2, 3, 8), (1, 2, 5))
    for q, depth, variances in itertools.product(*few, biased):
        yield q, depth, variances


def _instances(
    method: str, context: Context, claimed: Leading, slope: Callable[[int], float]
) -> list[Instance]:
    """Compare the relative difference at about 2k with half of that at k, plus errors."""
    instances = []
    for (q, depth, variances), d in itertools.product(_networks(context), (3, 5)):
        nu, c = claimed(method, q, depth, slope(q), **variances)
        powers = [c * of_power(nu, d, k) for k in _DEGREES]
        values, errors = eigenvalues(method, q, depth, d, _DEGREES, **variances)
        gap = np.abs(values / powers - 1.0)
        error = max(_QUADRATURE, float(np.max(errors / np.abs(powers))))
        where = "".join(f", {name.replace('_', ' ')} {value}" for name, value in variances.items())
        for k, near, far in zip(_DEGREES[:2], gap[:2], gap[2:], strict=True):
            instances.append(
                Instance(
                    f"q = {q}, depth {depth}{where}, dimension {d}, degree {k}",
                    (max(0.0, far - error), far + error),
                    0.5 * near + 2.0 * error,
                )
            )
    return instances


@check("depth.spectrum", form="printed", name="tangent kernel")
def tangent(
    context: Context, *, claimed: Leading = leading, slope: Callable[[int], float] = kink
) -> Evidence:
    """Compare the tangent kernel's eigenvalues of odd and even degree with their limit."""
    return compare_instances(
        r"tangent kernel: $|\mu_k/(c\,\mu_k[(1-t)^{1/2}]) - 1|$ halves where $k$ doubles",
        *_instances("ntk", context, claimed, slope),
    )


@check("depth.spectrum", form="printed", name="covariance")
def covariance(
    context: Context, *, claimed: Leading = leading, slope: Callable[[int], float] = kink
) -> Evidence:
    """Compare the covariance's eigenvalues of odd and even degree with their limit."""
    return compare_instances(
        r"covariance: $|\mu_k/(c\,\mu_k[(1-t)^{3/2}]) - 1|$ halves where $k$ doubles",
        *_instances("nngp", context, claimed, slope),
    )


@check("depth.spectrum", form="printed", name="the kink")
def kinks(context: Context, *, slope: Callable[[int], float] = kink) -> Evidence:
    """Compare a_q with differences of `exact.collision_probability` at small angles."""
    worst, at = 0.0, 0
    for q in (2, 3, 4, 8, 16, 64):
        # Neville's scheme on 1 - kappa over the angle, at angles h, h/2, h/4, ...
        h = 0.05 * 0.5 ** np.arange(6)
        column = (1.0 - np.array([exact.collision_probability(np.cos(x), q) for x in h])) / h
        for order in range(1, 6):
            column = (2.0**order * column[1:] - column[:-1]) / (2.0**order - 1.0)
        gap = float(column[0]) / slope(q) - 1.0
        if abs(gap) >= abs(worst):
            worst, at = gap, q
    claim = rf"$1 - \kappa_q(\cos\theta) \sim a_q\theta$ (largest difference at $q = {at}$)"
    # Rounding of kappa, 1e-13, over the smallest angle and by the scheme's weights.
    return compute(
        claim, worst, 1e-8, exact=0.0, resolution=1e-6, method="extrapolated differences"
    )


@check("depth.spectrum", form="printed", name="one layer of ReLU has no odd orders")
def relu_misses_half(context: Context, *, q: int = 2) -> Evidence:
    """Check that odd degrees vanish for one layer of pools of two, unlike those of three."""
    (even, odd), _ = eigenvalues("ntk", q, 1, 3, (40, 41))
    ratio = abs(float(odd / even))
    return Evidence.from_interval(
        claim=f"the tangent kernel's eigenvalue of degree 41 over that of 40, one layer, q = {q}",
        observed=ratio,
        interval=(max(0.0, ratio - 1e-9), ratio + 1e-9),
        upper=1e-6,
        method="Gauss-Legendre quadrature in the angle",
    )
