"""A defect for every check of leverage scores: the truth for what is false, else a wrong claim."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
from mehler.proofs_checks.leverage import (
    algorithm_1,
    bach,
    corollary_5,
    definition_1,
    example_1,
    lemma_4,
    lemma_7,
    limits,
    score_identity,
    theorem_2,
)
from mehler.proofs_checks.leverage._instances import Circle

from mehler.bounds import Bound
from mehler.bounds import leverage as bounds
from mehler.features.leverage import ridge_leverage_scores


def ridge_not_scaled(phi: Any, ridge: float, **options: Any) -> Any:
    """The ridge of the Gram without 1/M_0, with the Gram that has it."""
    return ridge_leverage_scores(phi, ridge / phi.shape[1], **options)


def repeats_once(counts: Any, expected: Any, pool_size: int) -> Any:
    """Features that are drawn twice have the weight of one."""
    return algorithm_1.by_density(np.minimum(counts, 1), expected, pool_size)


def smaller(bound: Callable[..., Bound], divisor: float = 1e6) -> Callable[..., Bound]:
    """A millionth: what is printed and proved of scores is that loose where it is drawn."""

    def wrong(*sizes: int, **options: Any) -> Bound:
        right = bound(*sizes, **options)
        terms = [dataclasses.replace(one, value=one.value / divisor) for one in right.terms]
        return dataclasses.replace(right, terms=terms)

    return wrong


def a_tenth(features: Callable[..., int]) -> Callable[..., int]:
    return lambda **options: features(**options) // 10


def for_more(m: int, **options: Any) -> Bound:
    """The error of 2 % more features than are drawn."""
    return bounds.approximation(round(m / 0.98), **options)


def plain(circle: Circle, ridge: float) -> Any:
    return circle.law


def without_ridge_below(eigenvalues: Any, ridge: float) -> float:
    """The rank instead of the trace."""
    return float(np.sum(eigenvalues > 0))


def squared(spread: float, tau: Any) -> Any:
    """The square of the spread, as if errors of first order cancelled."""
    return spread**2 / (1 - spread) * (1 - tau)


def one_coefficient(alpha: Any, deviation: float) -> float:
    """The largest coefficient for the sum of all."""
    return lemma_7.promised(np.max(np.abs(alpha), keepdims=True), deviation)


# (check, what is wrong, the verdict that it must come to)
DEFECTS = [
    (score_identity.identity, {"scores": ridge_not_scaled}, "refuted"),
    (score_identity.circle, {"scores": ridge_not_scaled}, "refuted"),
    (algorithm_1.normalisation, {"weights": algorithm_1.by_probability}, "refuted"),
    (algorithm_1.plain, {"weights": algorithm_1.by_probability}, "refuted"),
    (algorithm_1.probabilities, {"weights": algorithm_1.by_density}, "refuted"),
    (algorithm_1.without_weights, {"weights": algorithm_1.by_density}, "refuted"),
    (algorithm_1.proved, {"weights": algorithm_1.by_probability}, "refuted"),
    (algorithm_1.proved, {"weights": algorithm_1.unweighted}, "refuted"),
    (algorithm_1.proved, {"weights": repeats_once}, "refuted"),
    (algorithm_1.second_moment, {"factor": lambda mix: 0.97 / mix}, "refuted"),
    (limits.no_ridge, {"rows": 5}, "refuted"),
    (limits.large_ridge, {"phases": True}, "refuted"),
    (limits.few_rows, {"rows": 30}, "refuted"),
    (limits.one_phase, {"phases": False}, "refuted"),
    (limits.sizes, {"power": 1}, "refuted"),
    (corollary_5.restored, {"error": smaller(corollary_5.corollary_5)}, "refuted"),
    (corollary_5.far_from_plain, {"rows": 10**6}, "refuted"),
    (corollary_5.probabilities, {"error": smaller(bounds.probability_error)}, "refuted"),
    (corollary_5.scores, {"error": smaller(bounds.score_error)}, "refuted"),
    (corollary_5.uniform, {"factor": 10.0}, "refuted"),
    (corollary_5.tight_scores, {"error": smaller(bounds.score_error, 2.5)}, "refuted"),
    (corollary_5.tight_probabilities, {"error": smaller(bounds.probability_error, 12)}, "refuted"),
    (definition_1.mean_leverage, {"degrees": without_ridge_below}, "refuted"),
    (definition_1.from_rows, {"factor": 0.5}, "refuted"),
    (example_1.pairs, {"claimed": example_1.with_phase}, "refuted"),
    (example_1.phases, {"claimed": example_1.as_restored}, "refuted"),
    (example_1.measured, {"claimed": example_1.as_restored}, "refuted"),
    (theorem_2.gram, {"spread": smaller(theorem_2.lemma_3)}, "refuted"),
    (theorem_2.unnormalised, {"scale": 1 / 16}, "refuted"),
    # A chance from below only, of which 1 is the upper end: nothing is refuted, and nothing holds.
    (theorem_2.without_d, {"logarithm": theorem_2.of_the_source}, "inconclusive"),
    (lemma_4.scores, {"bound": squared}, "refuted"),
    (lemma_4.last_step, {"factor": 2.0}, "refuted"),
    (lemma_7.fixed, {"limit": one_coefficient}, "refuted"),
    (lemma_7.ball, {"which": -1}, "refuted"),
    (bach.restored, {"features": a_tenth(bach.as_restored)}, "refuted"),
    (bach.proved, {"features": a_tenth(bach.as_proved)}, "refuted"),
    (bach.tight, {"bound": for_more}, "refuted"),
    (bach.fewer, {"law": plain}, "refuted"),
]
