"""Check that kernels of deep maxout networks are strictly positive definite on the sphere.

The kernels are a wide network's covariance ("nngp") and tangent kernel ("ntk"). Their matrices at
opposite points, which are the hardest to tell apart, must have no eigenvalue 0.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from mehler import DeepKernel, exact
from mehler.statements import Context, Evidence, check

from .._comparisons import compute

# (q, depth) of the statement: linear pieces of a maxout unit, and number of hidden layers.
_CASES = ((2, 2), (2, 3), (3, 1), (3, 2), (4, 1), (16, 1))
# Eigenvalues below this fraction of the largest are not distinguished from rounding.
_LEAST = 1e-10
# With biases: the pool and depth that need them, and others.
_BIASED = ((2, 1), (2, 2), (3, 1))
Cases = tuple[tuple[int, int], ...]


def points(n: int) -> Any:
    """Return n pairs of opposite points of the circle, which only odd functions tell apart."""
    angle = np.pi * (np.arange(n) + 0.3) / n
    rows = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return np.concatenate([rows, -rows])


def smallest(
    method: str, cases: Cases, bias_variance: float = 0.0
) -> tuple[float, tuple[int, int]]:
    """Return the least ratio of smallest to largest eigenvalue in all cases, and its (q, depth)."""
    ratios = {}
    for q, depth in cases:
        kernel = DeepKernel("maxout", depth, pool_size=q, bias_variance=bias_variance)
        eigenvalues = np.linalg.eigvalsh(getattr(kernel, method)(points(4)))
        ratios[q, depth] = float(eigenvalues[0] / eigenvalues[-1])
    worst = min(ratios, key=lambda case: ratios[case])
    return ratios[worst], worst


def _compare(method: str, cases: Cases, bias_variance: float = 0.0) -> Evidence:
    observed, (q, depth) = smallest(method, cases, bias_variance)
    biases = f", bias variance {bias_variance:g}" if bias_variance else ""
    claim = (
        f"smallest over largest eigenvalue of the {method} of four pairs of opposite points is "
        f"distinguished from 0 (least at $q = {q}$, depth {depth}{biases})"
    )
    # Eight rows, entries good to 1e-13.
    method = "eigenvalues in float64, with a bound of their error"
    return compute(claim, observed, 1e-12, lower=_LEAST, method=method)


@check("depth.positive-definite", form="printed", name="covariance of opposite points")
def covariance(context: Context, *, cases: Cases = _CASES) -> Evidence:
    """Check the covariance of infinitely wide networks at opposite points."""
    return _compare("nngp", cases)


@check("depth.positive-definite", form="printed", name="tangent kernel of opposite points")
def tangent(context: Context, *, cases: Cases = _CASES) -> Evidence:
    """Check the tangent kernel, that of a network's gradients, at opposite points."""
    return _compare("ntk", cases)


@check("depth.positive-definite", form="printed", name="covariance, biases")
def covariance_with_biases(context: Context, *, bias_variance: float = 0.3) -> Evidence:
    """Check the covariance with random biases, which make one layer of pools of two definite."""
    return _compare("nngp", _BIASED, bias_variance)


@check("depth.positive-definite", form="printed", name="tangent kernel, biases")
def tangent_with_biases(context: Context, *, bias_variance: float = 0.3) -> Evidence:
    """Check the tangent kernel with random biases."""
    return _compare("ntk", _BIASED, bias_variance)


@check("depth.positive-definite", form="printed", name="coefficients of the series")
def coefficients(
    context: Context, *, of: Callable[[int, int], Any] = exact.collision_coefficients
) -> Evidence:
    """Check the series of kappa_q, the chance that the same of q projections wins at two rows."""
    pools, n = (3, 4, 16) if context.quick else (3, 4, 5, 8, 16, 64), 41
    values = {
        (q, i): float(value)
        for q in pools
        for i, value in enumerate(np.asarray(of(q, n))[21:n], 21)
    }
    (q, i), observed = min(values.items(), key=lambda item: item[1])
    claim = f"coefficients 21 to {n - 1} of kappa_q are positive (least: $q = {q}$, order {i})"
    return compute(claim, observed, 1e-12, lower=0.0, method="float64 with its error bound")
