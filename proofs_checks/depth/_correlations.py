"""Correlations of maxout layers by two routes: one layer in closed form, many by recursion."""

from __future__ import annotations

import math

import numpy as np

from mehler import DeepKernel, exact

# Of exact.maxout_kernel and exact.sigma2, relative.
ERROR = 3e-13


def layer_gap(rho: float, q: int) -> float:
    """Return 1 - C(rho) = 1 - K_q(rho)/sigma^2(q), good to `ERROR` in absolute terms."""
    return 1.0 - float(exact.maxout_kernel(rho, q)) / float(exact.sigma2(q))


def angle_after(theta: float, q: int, depth: int) -> float:
    """Return the angle of two rows after so many layers, from the covariances of the network."""
    rows = np.array([[1.0, 0.0], [math.cos(theta), math.sin(theta)]])
    k = DeepKernel("maxout", depth, pool_size=q, weight_variance=1 / exact.sigma2(q)).nngp(rows)
    return float(np.arccos(np.clip(k[0, 1] / math.sqrt(k[0, 0] * k[1, 1]), -1.0, 1.0)))


def gaps(
    q: int, depths: tuple[int, ...], weight_variance: float, bias_variance: float
) -> list[float]:
    """Return 1 - rho of two orthogonal rows after each depth."""
    found = []
    for depth in depths:
        network = DeepKernel(
            "maxout",
            depth,
            pool_size=q,
            weight_variance=weight_variance,
            bias_variance=bias_variance,
        )
        k = network.nngp(np.eye(2))
        found.append(1.0 - float(k[0, 1] / k[0, 0]))
    return found
