"""Lemma 7: how far a kernel sum moves if a pool of random features replaces the kernel.

Sums f of alpha_n K(x_n, .) keep their alpha with the kernel of a pool of M_0 drawn features. The
bound of Shahrampour and Kolouri (2019), restored from words, is compared with mean L2 errors of
drawn pools on a circle. For some f of norm 1 in the kernel's space, where |f| <= 1, it is above 10,
and so says nothing.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from mehler.statements import Context, Evidence, Plot, Series, check
from mehler.verify import intervals

from .._comparisons import compare_ratios, compute
from .._plots import plot
from ._instances import Circle

# M_0; points x_n of a sum, or many; points of integrals, exact from 2 k_max + 1 on.
_POOL, _POINTS, _MANY, _GRID = 100, 12, 30, 48
Limit = Callable[[Any, float], float]


class Sums:
    """Functions sum_n alpha_n K(x_n, .), K the mean product of waves sqrt2 cos(kx + b) of x."""

    def __init__(self, n_points: int = _POINTS) -> None:
        self.circle = Circle(k_max=16, phases=8)
        grid = 2 * np.pi * np.arange(_GRID) / _GRID
        points = 2 * np.pi * (np.arange(n_points) + 0.3) / n_points
        self.on_grid = self._waves(grid)
        self.at_points = self._waves(points)
        self.kernel = (self.at_points * self.circle.law) @ self.at_points.T

    def _waves(self, x: Any) -> Any:
        return np.sqrt(2) * np.cos(np.outer(x, self.circle.k) + self.circle.b)

    @property
    def largest_deviation(self) -> float:
        """Return the supremum over pairs of the standard deviation of one product."""
        law = self.circle.law
        square = (self.at_points**2 * law) @ (self.on_grid**2).T
        mean = (self.at_points * law) @ self.on_grid.T
        return float(np.sqrt(np.max(square - mean**2)))

    def mean_square(self, alpha: Any, size: int) -> float:
        """Compute E |f - f_hat|^2 for pools of `size` features."""
        products = (alpha @ self.at_points) * self.on_grid
        mean = products @ self.circle.law
        return float(np.mean((products**2) @ self.circle.law - mean**2)) / size

    def errors(self, rng: np.random.Generator, alpha: Any, size: int, n: int) -> Any:
        """Return L2 errors of the same sum over pools of `size` features, in n draws."""
        counts = rng.multinomial(size, self.circle.law / self.circle.law.sum(), size=n) / size
        gaps = ((counts - self.circle.law) * (alpha @ self.at_points)) @ self.on_grid.T
        return np.sqrt(np.mean(gaps**2, axis=1))


def promised(alpha: Any, deviation: float) -> float:
    """Compute the bound: |alpha|_1 times the largest standard deviation of a pool's mean."""
    return float(np.abs(alpha).sum()) * deviation / _POOL**0.5


@check("leverage.lemma-7", form="restored", name="given coefficients", pays=True)
def fixed(context: Context, *, limit: Limit = promised) -> Evidence:
    """Compare mean errors of sums with given coefficients with the lemma's bound."""
    sums = Sums()
    n = 4000 if context.quick else 50_000
    rng = context.rng("coefficients")
    ratios = []
    for _ in range(3):
        alpha = rng.standard_normal(_POINTS) / _POINTS
        errors = sums.errors(rng, alpha, _POOL, n)
        bound = limit(alpha, sums.largest_deviation)
        most = sums.mean_square(alpha, _POOL)
        low, high = intervals.known_variance(errors, most, context.false_alarm / 3)
        ratios.append((low / bound, float(errors.mean()) / bound, high / bound, 3 * n * _POOL))
    claim = (
        r"$E\|f-\hat f\|$ over $\|\alpha\|_1\sup\sqrt{\mathrm{Var}\,\hat K_{M_0}}$, three sums "
        f"of {_POINTS} kernels on a circle, pools of {_POOL}"
    )
    method = f"Catoni's intervals at the exact mean square, {n} pools each"
    return compare_ratios(claim, ratios, context.false_alarm, method=method, plots=(_plot(),))


@check("leverage.lemma-7", form="proved", name="in a ball")
def ball(context: Context, *, which: int = 0) -> Evidence:
    """Evaluate the lemma's bound, its right-hand side, in the unit ball of the kernel's space."""
    norms = _in_the_ball(Sums(_MANY), which)
    claim = (
        r"for some $\|f\|_H \le 1$, so that $\|f\| \le 1$, the right-hand side at $M_0 = 100$ "
        "is at least"
    )
    return compute(claim, norms, 1e-6, relative=True, lower=10.0)


def _in_the_ball(sums: Sums, which: int) -> float:
    values, vectors = np.linalg.eigh(sums.kernel)
    alpha = vectors[:, which] / np.sqrt(values[which])
    return promised(alpha, sums.largest_deviation)


def _plot() -> Plot:
    counts = np.arange(2, _MANY + 1, 2)
    sides = np.array([_in_the_ball(Sums(int(n)), 0) for n in counts])
    return plot(
        "Lemma 7 in the unit ball of the kernel's space, 100 features",
        "points that the function is a sum over",
        "right-hand side",
        Series(label="right-hand side", x=counts, y=sides),
        Series(
            label="the most that the function's own norm can be", x=counts, y=np.ones(len(counts))
        ),
        log="y",
        caption="Functions of norm 1 have coefficients of any size: the lemma needs theirs.",
    )
