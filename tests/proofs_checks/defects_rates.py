"""Defects for the checks of rates, exponents and second moments that are not published."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mehler.proofs_checks.maxout.growth import h1_growth, locality, remark_1_codes
from mehler.proofs_checks.maxout.growth._growth import expansion, variance_rate
from mehler.proofs_checks.maxout.kernel import centred_kernel, decoupled_kernel

from mehler import exact


def times(factor: float, right: Callable[..., Any]) -> Callable[..., Any]:
    """A claimed value times a factor."""
    return lambda *arguments, **options: factor * right(*arguments, **options)


def covariance_times(factor: float) -> Callable[..., Any]:
    """The variance of a chain with another covariance of neighbours."""

    def wrong(rho: Any, q: int, next_fraction: float = 0.0) -> Any:
        alone = exact.decoupled_variance(rho, q)
        return alone + factor * (
            exact.decoupled_variance(rho, q, next_fraction=next_fraction) - alone
        )

    return wrong


def together(kappa: float) -> float:
    """Digits that agree all at once, or not at all."""
    return kappa


DEFECTS = [
    (h1_growth.next_terms, {"terms": times(1.01, expansion)}, "refuted"),
    (h1_growth.next_terms, {"terms": lambda q: expansion(q) + 0.02}, "refuted"),
    (locality.variance_falls, {"rate": times(1.01, variance_rate)}, "refuted"),
    (locality.near_one, {"collision": times(0.999, exact.collision_probability)}, "refuted"),
    (remark_1_codes.digits, {"both": together}, "refuted"),
    (remark_1_codes.hoeffding, {"rate": 2.1}, "refuted"),
    (remark_1_codes.exponent, {"limit": times(1.03, remark_1_codes.limiting_exponent)}, "refuted"),
    (
        remark_1_codes.exponent_at_pools,
        {"collision": lambda rho, q: exact.collision_probability(rho, q) ** 3},
        "refuted",
    ),
    (
        remark_1_codes.sandwich,
        {"collision": lambda rho, q: exact.collision_probability(rho, q) ** 0.2},
        "refuted",
    ),
    (
        remark_1_codes.sandwich,
        {"collision": lambda rho, q: exact.collision_probability(rho, q) / 9},
        "refuted",
    ),
    (decoupled_kernel.covariance, {"variance": covariance_times(0.5)}, "refuted"),
    (decoupled_kernel.spread, {"variance": times(1.2, exact.decoupled_variance)}, "refuted"),
    (centred_kernel.localiser, {"kernel": times(1.01, exact.centred_kernel)}, "refuted"),
    (centred_kernel.localises, {"kernel": exact.maxout_kernel}, "refuted"),
    # As if the mean of two units were the expectation.
    (centred_kernel.mean_over_units, {"share": 1.0}, "refuted"),
]
