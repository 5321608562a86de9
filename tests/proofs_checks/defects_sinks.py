"""A defect for every check of the kitchen sinks: the truth for what is false, else a wrong claim.

Wrong bounds are a quarter of the right ones: on constant features these are within a factor of 3.1.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from mehler.proofs_checks.kitchen_sinks import (
    estimation_lemma,
    greedy,
    kernel,
    lemma_1,
    norms,
    risk_lemma,
    theorem,
)

from mehler import KitchenSinks, exact
from mehler.bounds import Bound, kitchen_sinks


def scaled(bound: Callable[..., Bound], factor: float) -> Callable[..., Bound]:
    """A bound with constants that are a little too small."""

    def wrong(*sizes: int, **options: Any) -> Bound:
        right = bound(*sizes, **options)
        terms = [dataclasses.replace(one, value=factor * one.value) for one in right.terms]
        return dataclasses.replace(right, terms=terms)

    return wrong


def quarter(bound: Callable[..., Bound]) -> Callable[..., Bound]:
    """A bound with constants that are far too small."""
    return scaled(bound, 0.25)


def tenth(*sizes: int, **options: Any) -> Bound:
    """Of Lemma 1 with moments known, which is not as near to what is drawn."""
    return scaled(kitchen_sinks.approximation, 0.1)(*sizes, **options)


def forgetful(*sizes: int, feature_scale: float, **options: Any) -> Bound:
    """Lemma 1 that forgets what the features were divided by."""
    return kitchen_sinks.approximation(*sizes, **options)


def of_the_representation(alpha: Any, density: Any, features: Any) -> float:
    return kitchen_sinks.norm_h(alpha, density)


def one_order_more(activation: Any, *arguments: Any) -> Any:
    """The arc-cosine kernels counted from 1."""
    after = {"step": "relu", "relu": "relu2"}
    return exact.activation_kernel(after.get(activation, activation), *arguments)


def a_little_more(*arguments: Any) -> Any:
    return (1 + 1e-12) * exact.activation_kernel(*arguments)


def half_the_tail(*arguments: Any) -> Any:
    return 0.5 * exact.activation_kernel_error(*arguments)


def unbiased_weights(*sizes: int, bias: float, **options: Any) -> Any:
    """The offset of the projections is forgotten."""
    return KitchenSinks.draw(*sizes, **options)


# (check, what is wrong, the verdict that it must come to)
DEFECTS = [
    (lemma_1.without_bound, {"by": "frobenius"}, "refuted"),
    (lemma_1.moments, {"bound": tenth}, "refuted"),
    (lemma_1.averages, {"bound": quarter(kitchen_sinks.approximation)}, "refuted"),
    (lemma_1.divided, {"bound": forgetful}, "refuted"),
    (risk_lemma.averages, {"bound": quarter(kitchen_sinks.approximation_risk)}, "refuted"),
    (estimation_lemma.recalled_tail, {"bound": estimation_lemma.as_proved}, "holds"),
    (estimation_lemma.proved_tail, {"bound": estimation_lemma.as_recalled}, "refuted"),
    (estimation_lemma.gaps, {"bound": quarter(kitchen_sinks.generalisation_gap)}, "refuted"),
    (theorem.box, {"bound": quarter(kitchen_sinks.excess_risk)}, "refuted"),
    (theorem.ball, {"bound": quarter(kitchen_sinks.excess_risk)}, "refuted"),
    # Where they are tight they may not lose as much.
    (lemma_1.tight, {"bound": scaled(kitchen_sinks.approximation, 0.89)}, "refuted"),
    (risk_lemma.tight, {"bound": scaled(kitchen_sinks.approximation_risk, 0.9)}, "refuted"),
    (estimation_lemma.tight, {"bound": scaled(kitchen_sinks.generalisation_gap, 0.8)}, "refuted"),
    (theorem.tight, {"bound": scaled(kitchen_sinks.excess_risk, 0.8)}, "refuted"),
    (greedy.stalls, {"steps": greedy.line_search}, "holds"),
    (greedy.stalls, {"steps": greedy.equal_weights}, "holds"),
    (greedy.rate, {"steps": (greedy.as_printed,)}, "refuted"),
    (greedy.rate, {"bound": quarter(kitchen_sinks.approximation_greedy)}, "refuted"),
    (norms.zero, {"norm": norms.of_the_representation}, "refuted"),
    (norms.infima, {"least_square": of_the_representation}, "refuted"),
    (norms.kernel_space, {"least_square": of_the_representation}, "refuted"),
    (norms.one_bound, {"c": 6.0}, "refuted"),
    (norms.all_bounds, {"c": 2.0}, "refuted"),
    (norms.cosines, {"scale": 1.0}, "refuted"),
    (kernel.closed, {"kernel": one_order_more}, "refuted"),
    (kernel.closed, {"kernel": a_little_more}, "refuted"),
    (kernel.series, {"error": half_the_tail}, "refuted"),
    (kernel.measured, {"draw": unbiased_weights}, "refuted"),
]
