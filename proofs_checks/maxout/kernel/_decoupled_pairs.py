"""Variance and covariance of decoupled units, by routes independent of their closed forms."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from mehler import DecoupledMaxoutFeatures, exact, verify
from mehler.statements import Context, Evidence, check

from ..._measured_products import Draw

Variance = Callable[..., Any]
_RHO = (-0.95, -0.6, -0.2, 0.3, 0.7, 0.95)


def covariance_of_two(rho: float) -> float:
    """Compute the covariance of neighbouring products for a pool of two."""
    kappa = 1 - math.acos(rho) / math.pi
    half_lines = (math.sqrt(1 - rho * rho) + rho * (math.pi - math.acos(rho))) / math.pi
    equal, all_pairs = rho * kappa + half_lines, 2 * rho * kappa
    together = kappa / 2 * equal + (1 - kappa) / 2 * (all_pairs - equal)
    return rho * together - (rho * kappa) ** 2


@check("maxout.decoupled-kernel", form="proved", name="covariance of neighbouring units")
def covariance(context: Context, *, variance: Variance = exact.decoupled_variance) -> Evidence:
    """Compare the covariance of neighbouring units for a pool of two with another route."""
    ratios = [
        float(variance(rho, 2, next_fraction=1.0) - variance(rho, 2)) / 2 / covariance_of_two(rho)
        for rho in _RHO
    ]
    worst = max(ratios, key=lambda one: abs(one - 1))
    return Evidence.exact_comparison(
        form="proved",
        claim=(
            r"$\mathrm{Cov}(X_1, X_2) = \rho(1-\rho^2)\kappa_q'(q\kappa_q - 1)/(q(q-1))$, $q = 2$: "
            f"over its value by signs and half-lines, farthest from 1 of {len(_RHO)} correlations"
        ),
        observed=worst,
        exact=1.0,
        interval=(worst - 1e-9, worst + 1e-9),
        method="closed forms, with their rounding",
    )


@check("maxout.decoupled-kernel", form="proved", name="variance of a product")
def spread(
    context: Context,
    *,
    draw: Draw = DecoupledMaxoutFeatures.draw,
    variance: Variance = exact.decoupled_variance,
) -> Evidence:
    """Measure the variance of features with directions of their own."""
    q = 4
    x = np.array([[1.0, 0.0]])
    z = np.array([[0.8, 0.6]])

    def claimed(left: Any, right: Any) -> Any:
        return np.full((1, 1), exact.sigma2(q) ** 2 * float(variance(0.8, q)))

    verdict = verify.check_variance(
        lambda seed: draw(2, 1000, q, seed=seed, like=context.like(), directions="fresh"),
        claimed,
        context.asarray(x),
        context.asarray(z),
        # Relative, and what the number of features follows from: 167,000 at 0.12. The variance
        # without its last factor, 1 + rho^2 kappa (2 - kappa), is 0.36 smaller.
        resolution=0.12 if context.quick else 0.05,
        false_alarm=context.false_alarm,
        seed=context.seed_for("spread"),
        ledger=context.ledger,
        name=f"{context.statement}: variance",
    )
    return Evidence.from_verdict(
        verdict,
        form="proved",
        claim=rf"$m\,\mathrm{{Var}} = \sigma^4(1 + \rho^2\kappa_q(2 - \kappa_q))$, $q = {q}$",
    )
