"""The largest exact variance of a feature product over all correlations."""

from __future__ import annotations

import functools

import numpy as np

from mehler import exact

_CELLS = 4000


@functools.lru_cache(maxsize=64)
def largest_variance(q: int) -> float:
    r"""Bound sup over rho of V(rho) = S - K^2 for unit vectors, within 0.1 % where q <= 1024.

    V' = 4 E[M M'; D = D'] - 2 K kappa is at most 6 sigma^2 in absolute value, as K and the
    expectation are at most sigma^2, so between two grid points h apart V exceeds the larger of
    its values there by at most 6 sigma^2 h/2.
    """
    rho = np.linspace(-1, 1, _CELLS + 1)
    return float(np.max(exact.maxout_variance(rho, q))) + 6 * exact.sigma2(q) / _CELLS
