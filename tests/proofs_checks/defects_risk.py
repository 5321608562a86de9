"""Defects for the checks of Theorem 2, its lemmas and its remark.

A check of a false published form is flipped by what the proof should have used; a check of a
proved bound by a bound that is too small by more than its looseness.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any

from mehler.proofs_checks.maxout.risk import density, lemma_2, lemma_3, lemma_4, remark_2, theorem_2
from mehler.proofs_checks.maxout.risk import sharper_risk as sharper

from mehler import exact
from mehler.bounds import Term, maxout


def scaled(bound: Callable[..., Any], factor: float) -> Callable[..., Any]:
    """A bound with constants that are too small."""

    def wrong(**options: Any) -> Any:
        found = bound(**options)
        terms = [Term(term.name, factor * term.value) for term in found.terms]
        return dataclasses.replace(found, terms=terms)

    return wrong


def never(shortfall: float) -> float:
    """A unit that never falls short of the infinite class."""
    return 0.0


def never_nearer(scale: float, q: int) -> tuple[float, float]:
    """Classes that do not grow with C."""
    return density.distance_ends(1.0, q)


# (check, what is wrong, the verdict that it must come to)
DEFECTS = [
    (density.one_class, {"scale": 10.0}, "inconclusive"),
    (density.union, {"ends": never_nearer}, "refuted"),
    # The longer of two norms instead of their sum.
    (lemma_2.sum_of_norms, {"each": 1.5}, "refuted"),
    (lemma_2.union_over_the_pool, {"weights": 1}, "refuted"),
    (lemma_2.two_near_points, {"tail": never}, "refuted"),
    (lemma_2.with_constant, {"c1": 4.97}, "refuted"),
    (lemma_2.paper_shape, {"bound": scaled(maxout.supremum, 0.2)}, "refuted"),
    (lemma_2.dimension_free, {"bound": scaled(maxout.supremum, 0.5)}, "refuted"),
    (lemma_2.on_subspheres, {"bound": scaled(maxout.supremum, 0.8)}, "refuted"),
    (lemma_2.on_subspheres, {"mean_of": lambda r, q: 0.0}, "refuted"),
    # delta / m for each unit, as a union bound has it.
    (lemma_3.all_units, {"share": lambda delta, m: delta / m}, "refuted"),
    # No condition at all.
    (lemma_3.conditioned_mean, {"level": 40.0}, "refuted"),
    (lemma_3.two_near_points, {"probability": never}, "refuted"),
    (lemma_3.with_constant, {"c1": 1.2}, "refuted"),
    (lemma_3.nearest, {"bound": scaled(maxout.approximation, 0.1)}, "refuted"),
    (lemma_3.monte_carlo, {"bound": scaled(maxout.approximation, 0.1)}, "refuted"),
    (lemma_3.paper_shape, {"bound": scaled(maxout.approximation, 0.02)}, "refuted"),
    (
        lemma_3.in_mean_square,
        {"mean": lambda q, norm, m: exact.max_moment(1, q) ** 2 / m},
        "refuted",
    ),
    (lemma_4.added_risk, {"probability": never}, "refuted"),
    (lemma_4.with_constant, {"c1": 1.2}, "refuted"),
    (lemma_4.dimension_free, {"bound": scaled(maxout.approximation_risk, 0.03)}, "refuted"),
    (lemma_4.paper_shape, {"bound": scaled(maxout.approximation_risk, 0.002)}, "refuted"),
    (lemma_4.in_expectation, {"bound": scaled(maxout.approximation_risk, 0.03)}, "inconclusive"),
    (theorem_2.over_the_box, {"c_prime": 1e-6}, "refuted"),
    (theorem_2.printed_condition, {"probability": never}, "refuted"),
    (theorem_2.over_the_class, {"c_prime": 0.5}, "refuted"),
    (theorem_2.bounded_difference, {"claimed": lambda n: 1 / math.sqrt(n)}, "refuted"),
    (theorem_2.dimension_free, {"bound": scaled(maxout.excess_risk, 0.01)}, "refuted"),
    (theorem_2.paper_shape, {"bound": scaled(maxout.excess_risk, 0.001)}, "refuted"),
    (theorem_2.in_expectation, {"bound": scaled(maxout.excess_risk, 0.03)}, "inconclusive"),
    (theorem_2.smaller, {"by_dimension": scaled(maxout.excess_risk, 0.25)}, "refuted"),
    # Where the published factor is enough; and where it is not.
    (remark_2.short_inputs, {"radius": 1.0}, "refuted"),
    (remark_2.small_losses, {"loss_bound": 1.0}, "refuted"),
    (remark_2.factor_is_enough, {"least": 0.5}, "refuted"),
    (remark_2.factor_is_enough, {"c_prime": 1e-6}, "refuted"),
    (remark_2.factor_is_enough, {"loss_range": 2.1}, "refuted"),
    (remark_2.dimension_free, {"bound": scaled(maxout.excess_risk, 0.01)}, "refuted"),
    (remark_2.paper_shape, {"bound": scaled(maxout.excess_risk, 0.001)}, "refuted"),
    # Where they are tight they may not lose as much.
    (lemma_3.tight, {"bound": scaled(maxout.approximation, 0.99)}, "refuted"),
    (lemma_3.bernstein, {"bound": scaled(maxout.approximation, 0.99)}, "refuted"),
    (lemma_4.tight, {"bound": scaled(maxout.approximation_risk, 0.5)}, "refuted"),
    (theorem_2.tight, {"bound": scaled(maxout.excess_risk, 0.77)}, "refuted"),
    (sharper.risk, {"bound": scaled(maxout.excess_risk, 0.77)}, "refuted"),
    (sharper.of_the_sample, {"bound": scaled(maxout.excess_risk, 0.4)}, "refuted"),
    (sharper.nearest, {"bound": scaled(maxout.approximation, 0.999)}, "refuted"),
    (theorem_2.tight_paper, {"bound": scaled(maxout.excess_risk, 0.77)}, "refuted"),
    # As many dimensions as there are points in a coordinate; a tenth of the features.
    (remark_2.finite_sets, {"dimension": math.sqrt}, "refuted"),
    (
        remark_2.by_the_repair,
        {"features": lambda n, q: 0.1 * remark_2.features_by_the_repair(n, q)},
        "refuted",
    ),
    (remark_2.tight, {"bound": scaled(maxout.excess_risk, 0.77)}, "refuted"),
]
