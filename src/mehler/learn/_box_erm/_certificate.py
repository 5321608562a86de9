r"""Primal and dual bounds from a pair of feasible points, in float64.

For any alpha in the box and any theta within its ends, by weak duality,

.. math:: \frac1n\sum_i \psi_i(\theta_i) - \frac Cm \sum_l \Big|\frac1n \sum_i \theta_i y_i
          z_{il}\Big| \;\le\; \min_{|\alpha|_\infty \le C/m} \frac1n \sum_i e_i(y_i f(x_i))
          \;\le\; \frac1n \sum_i e_i(y_i f_\alpha(x_i)).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mehler import _arrays
from mehler._arrays import Array
from mehler.learn._box_erm._margins import SignedRows
from mehler.learn._box_erm._row_losses import RowLosses


@dataclass(frozen=True)
class Certificate:
    """The risk of alpha, a lower bound of every risk in the box up to rounding, and the margins.

    Margins y_i f(x_i) are float64, (n,).
    """

    upper: float
    lower: float
    margins: Any


def certify(data: SignedRows, rows: RowLosses, alpha: Array, theta: Array) -> Certificate:
    """Evaluate primal and dual at `alpha` and `theta`; the losses are float64, beside the data."""
    xp = data.xp
    alpha = xp.astype(alpha, xp.float64, copy=False)
    theta = rows.clip(xp, theta)
    weights = theta * data.y
    margins, total = [], xp.zeros_like(alpha)
    for part, block in data.blocks():
        margins.append(data.y[part] * xp.matmul(block, alpha))
        total = total + xp.matmul(xp.matrix_transpose(block), weights[part])
    joined = xp.concat(margins)
    penalty = data.half_width * float(xp.sum(xp.abs(total))) / data.n
    return Certificate(
        upper=float(xp.mean(rows.values(xp, joined))),
        lower=float(xp.mean(rows.dual(xp, theta))) - penalty,
        margins=_arrays.to_host(joined),
    )


def rounding(n: int, m: int, at_zero: float, slope: float, limits: Any) -> float:
    """Bound the rounding error of a float64 risk or bound of a certificate.

    A sum of k terms rounds by at most gamma_k = k u / (1 - k u) times the sum of their sizes,
    u = 2^-53. Margins are sums of m terms of total size limit_i; the penalty sums n m terms of
    total size n slope mean(limits); a loss is at most at_zero + slope limit_i. 64 more
    operations cover the elementary functions and the ends of theta, the factor 2 both sides.
    """
    terms = (n + m + 64) * 2.0**-53
    return 2.0 * terms / (1.0 - terms) * (at_zero + slope * float(limits.mean()))


@dataclass(frozen=True)
class Candidate:
    """A feasible pair: beta (m,) in [-1, 1], weights over C/m, and theta (n,).

    `gap` is upper less lower, mean over rows, from products in the dtype of `Z`: no certificate.
    """

    iterations: int
    beta: Array
    theta: Array
    gap: float


class Incumbent:
    """Keeps the best weights and the best theta; they need not come from one iteration."""

    def __init__(self) -> None:
        self.upper, self.lower = float("inf"), -float("inf")
        self.beta: Array = None
        self.theta: Array = None

    def offer(self, beta: Array, theta: Array, upper: float, lower: float) -> None:
        """Replace either side if the new one is better."""
        if upper < self.upper:
            self.upper, self.beta = upper, beta
        if lower > self.lower:
            self.lower, self.theta = lower, theta

    def candidate(self, iterations: int) -> Candidate:
        """Return the best pair so far."""
        return Candidate(iterations, self.beta, self.theta, self.upper - self.lower)
