"""The supremum of psi_rho over all correlations, from its values at some: bounds between two.

Two bounds of psi_rho between correlations a < b that are h apart, both proved on the page: by its
derivative, at most the mean of its values at the ends and h/2 times a bound of the derivative,
which is sharp where lambda is small; and by that of E exp(lambda F), which obeys

    d/drho E exp(lambda F) >= -lambda exp(-2) kappa   and   d/drho E exp(-lambda F) <= lambda
    exp(-2) kappa,    kappa the derivative of K,

and needs nothing at 2 lambda. The cell down to -1 has no left end; :func:`to_opposite`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mehler import exact


def supremum(q: int, at: Any, rho: Any, upper: Any, lower: Any, simple: Any) -> tuple[Any, Any]:
    """Bound both exponents over [-1, 1] from values at `rho`, descending from 1: (rho, at).

    `simple` bounds both at every correlation.
    """
    kernel = np.asarray(exact.maxout_kernel(np.append(rho, -1.0), q))[:, None]
    above, below = kernel[:-1], kernel[1:]
    # Each cell has its right end in `rho`; the last one, down to -1, has no other.
    slack = at * math.exp(-2) * (above - below)
    by_right = np.log(np.exp(upper + at * above) + slack) - at * below
    at_left = np.exp(lower[1:] - at * below[:-1])
    opposite = np.exp(lower[-1:] - at * above[-1:]) + to_opposite(q, at, float(rho[-1]))
    by_left = np.log(np.vstack([at_left + slack[:-1], opposite])) + at * above
    widths = -np.diff(np.append(rho, -1.0))[:, None]
    return (
        _by_slopes(q, at, upper, widths, np.minimum(by_right, simple)),
        _by_slopes(q, at, lower, widths, np.minimum(by_left, simple)),
    )


def to_opposite(q: int, at: Any, rho: float) -> Any:
    """Bound how much E exp(-at F) grows from `rho` < 0 down to -1.

    d/drho E exp(-at F) >= -at (kappa + E [exp(2 at abs(F)); D = D', F < 0]); one index with signs
    that differ has all others below its negative one, which makes the expectation finite.
    """
    kappa = float(exact.collision_probability(rho, q))
    return (1 + rho) * at * (kappa + q * 2.0 ** (2 - q) / np.sqrt(2 - 4 * at))


def _by_slopes(q: int, at: Any, values: Any, widths: Any, cells: Any) -> Any:
    """Improve on bounds of the cells, (cell, at), by those of the derivative, three times."""
    for _ in range(3):
        slope = derivative(q, at, cells.max(axis=0))
        inner = (values[:-1] + values[1:] + widths[:-1] * slope) / 2
        last = values[-1:] + widths[-1:] * slope
        cells = np.minimum(cells, np.vstack([inner, last]))
    return cells.max(axis=0)


def derivative(q: int, at: Any, bound: Any) -> Any:
    """Bound the derivative of psi_rho in rho: lambda t/2 + lambda^2 (sigma^2 + t sqrt(E M^4)).

    t^2 = exp(bound at 2 lambda) - 1 is at least the variance of exp(lambda F)/E exp(lambda F). As
    psi grows with lambda, a bound at the next larger one of the grid will do.
    """
    doubled = np.append(bound, np.inf)[np.searchsorted(at, 2 * at * (1 - 1e-12))]
    with np.errstate(over="ignore"):
        spread = np.sqrt(np.expm1(doubled))
    fourth = math.sqrt(exact.max_moment(4, q))
    return at * spread / 2 + at**2 * (exact.sigma2(q) + spread * fourth)
