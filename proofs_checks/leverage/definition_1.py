"""Definition 1: degrees of freedom are the mean leverage, and not below those of sampled rows.

The leverage of a feature phi at a ridge is <phi, (T + ridge)^-1 phi>, T the kernel's operator, and
the degrees of freedom are Tr T (T + ridge)^-1 (Shahrampour, Kolouri 2019). They are compared with
the sum of a pool's scores, each a probability times leverage. Ours: the sum of scores estimated
from few rows is not larger in the mean, as draws confirm.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from mehler.features.leverage import ridge_leverage_scores
from mehler.statements import Context, Evidence, check
from mehler.verify import intervals

from .._comparisons import compute
from ._instances import Circle, Waves

_RIDGE = 0.02
_ROUNDING = 1e-9  # sums of some fifty scores of at most 1 with errors of 1e-13


def trace(eigenvalues: Any, ridge: float) -> float:
    """Compute Tr T (T + ridge)^-1, T the operator of these eigenvalues."""
    return float(np.sum(eigenvalues / (eigenvalues + ridge)))


@check("leverage.score-identity", form="restored", name="degrees of freedom, the mean leverage")
def mean_leverage(context: Context, *, degrees: Callable[[Any, float], float] = trace) -> Evidence:
    """Compare the sum of the scores with the trace, whose eigenvalues are known."""
    circle = Circle(k_max=9, phases=3)
    x = 2 * np.pi * np.arange(20) / 20
    phi = np.sqrt(2) * np.cos(np.outer(x, circle.k) + circle.b)
    p = circle.eigenvalues
    # A wave has two eigenfunctions, cosine and sine, and the constant one.
    spectrum = np.concatenate([p[:1], np.repeat(p[1:], 2)])
    ratios = [
        ridge_leverage_scores(phi, ridge, pool_weights=circle.law).degrees_of_freedom
        / degrees(spectrum, ridge)
        for ridge in (1e-4, 1e-3, 1e-2, 1.0)
    ]
    worst = float(ratios[int(np.argmax(np.abs(np.asarray(ratios) - 1)))])
    claim = (
        r"the sum of the scores over $\mathrm{Tr}\,\Sigma(\Sigma+\lambda)^{-1}$, on a circle "
        "(farthest from 1 of four ridges)"
    )
    return compute(claim, worst, _ROUNDING, exact=1.0)


@check("leverage.score-identity", form="proved", name="degrees of freedom from rows", pays=True)
def from_rows(context: Context, *, factor: float = 1.0) -> Evidence:
    """Compare degrees of freedom estimated from few rows, in the mean, with the true ones."""
    waves = Waves(context.rng("pool"), 16)
    n = 1500 if context.quick else 20_000
    rows = 12
    rng = context.rng("rows")
    estimates = np.array([waves.estimated(rng, rows, _RIDGE).sum() for _ in range(n)])
    truth = factor * float(waves.scores(_RIDGE).sum())
    low, high = intervals.betting(estimates, 0.0, float(min(rows, 16)), context.false_alarm)
    return Evidence.from_interval(
        claim=rf"$E\,\hat d \le d$: the mean from {rows} rows, $d = {truth:.2f}$",
        observed=float(estimates.mean()),
        interval=(low, high),
        upper=truth,
        false_alarm=context.false_alarm,
        n_features=16 * n,
        method=f"empirical Bernstein interval, {n} draws of the rows",
        assumptions=("draws are independent",),
    )
