"""Planted defects of Theorem 1's parts, of sampled elements, and of Lemma 7 and Theorem 5."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from mehler.proofs_checks.group_invariant.finite import elements
from mehler.proofs_checks.group_invariant.image_rotations import image_rotations
from mehler.proofs_checks.group_invariant.kernel import (
    energy_quotient,
    rotations,
    theorem_1,
    theorem_1_limit,
    theorem_1_positive,
)
from mehler.proofs_checks.group_invariant.risk import lemma_7, ridge_gain, theorem_5

from mehler.bounds import Bound, group_invariant, lower
from mehler.features import groups


def divided(bound: Callable[..., Bound], factor: float) -> Callable[..., Bound]:
    """The bound over a factor."""

    def wrong(*sizes: Any, **options: Any) -> Bound:
        right = bound(*sizes, **options)
        terms = [dataclasses.replace(one, value=one.value / factor) for one in right.terms]
        return dataclasses.replace(right, terms=tuple(terms))

    return wrong


def of_smooth_functions(*sizes: Any, **options: Any) -> Bound:
    """Without the kink where an image meets another: a third power of n."""
    right = group_invariant.kernel_change_turns(*sizes, **options)
    share = min(1.0, options["frequency"] / options["n_turns"])
    terms = [dataclasses.replace(one, value=one.value * share) for one in right.terms]
    return dataclasses.replace(right, terms=tuple(terms))


def by_splines(side: int, many: int) -> groups.Group:
    """Rotations by linear interpolation."""
    return image_rotations(side, side, [360 * k / many for k in range(many)])


def not_symmetric(x: Any, y: Any) -> Any:
    """The kernel, and a little of the first coordinate of its first argument."""
    return theorem_1.claimed("redraw")(x, y) + 1e-6 * x[:, :1]


def forgets_the_average(grams: Any, **options: Any) -> Bound:
    """The risk of the plain predictor, whatever is asked for."""
    return group_invariant.ridge_excess_risk(grams, **{**options, "average": "none"})


def by_the_dimension(**options: Any) -> Bound:
    """Least squares with d in the place of k."""
    return group_invariant.least_squares_excess_risk(**{**options, "n_fixed": options["n_inputs"]})


def of_one_over_n(distance: float, *, share: float, radius: float = 0.0) -> Bound:
    """What separate images would have: 2 delta/n, without the root of the logarithm."""
    right = lower.energy_distance(distance, share=share, radius=radius)
    terms = (dataclasses.replace(right.terms[0], value=2 * share * distance),)
    return dataclasses.replace(right, terms=terms)


def without_itself(distance: float, *, moves: Any) -> Bound:
    """Forget the element that moves nothing."""
    others = [move for move in moves if move] or [0.0]
    return group_invariant.energy_distance(distance, moves=others)


# (check, what is wrong, the verdict that it must come to)
DEFECTS = [
    (theorem_1_limit.vanish, {"rate": 1 / 8}, "refuted"),
    (theorem_1_limit.rate, {"factor": 0.5}, "refuted"),
    (theorem_1_limit.rate, {"power": 1.2}, "refuted"),
    (theorem_1_limit.in_units_of_the_distance, {"d": 100}, "refuted"),
    (theorem_1_positive.eigenvalues, {"kernels": (not_symmetric,)}, "refuted"),
    (
        theorem_1_positive.eigenvalues,
        {"kernels": (theorem_1.claimed("redraw", slope=-1.0),)},
        "refuted",
    ),
    (theorem_1_positive.least_constant, {"factor": 0.9999}, "refuted"),
    (theorem_1_positive.no_less, {"factor": 1.0}, "refuted"),
    (theorem_1_positive.margin, {"slope": 1.1}, "refuted"),
    (lemma_7.means, {"bound": divided(lemma_7.mean_bound, 3.0)}, "refuted"),
    (lemma_7.moments, {"bound": divided(lemma_7.mean_bound, 3.0)}, "refuted"),
    (lemma_7.tight, {"bound": divided(lemma_7.mean_bound, 1.2)}, "refuted"),
    (lemma_7.tight_moments, {"bound": divided(lemma_7.mean_bound, 1.2)}, "refuted"),
    (theorem_5.coins, {"log_delta": -10.0}, "holds"),
    (theorem_5.two_functions, {"bound": divided(theorem_5.class_bound, 2.5)}, "refuted"),
    (elements.tight, {"bound": divided(group_invariant.kernel_change_elements, 1.1)}, "refuted"),
    (theorem_5.tight, {"bound": divided(theorem_5.class_bound, 2.1)}, "refuted"),
    (
        ridge_gain.published,
        {"bound": lambda *sizes, **options: 1.01 * ridge_gain.of_kernel(*sizes, **options)},
        "refuted",
    ),
    # A law that prefers one point of an orbit, and a target that varies on one.
    (ridge_gain.split, {"tests": (0, 3, 4, 5, 6)}, "refuted"),
    (ridge_gain.split, {"values": [0, *ridge_gain.VALUES[1:]]}, "refuted"),
    (ridge_gain.enumerated, {"risk": forgets_the_average}, "refuted"),
    (
        ridge_gain.whole_orbits,
        {"gain": lambda own, mean, ridge: ridge_gain.split_spectrum(own, 0 * mean, ridge)},
        "refuted",
    ),
    (ridge_gain.least_squares, {"risk": by_the_dimension}, "refuted"),
    (ridge_gain.not_ordered, {"average": "after"}, "refuted"),
    (energy_quotient.below, {"bound": of_one_over_n}, "refuted"),
    (energy_quotient.above, {"bound": without_itself}, "refuted"),
    (energy_quotient.drawn, {"least": of_one_over_n}, "refuted"),
    (energy_quotient.drawn, {"most": without_itself}, "refuted"),
    (energy_quotient.endless, {"bound": lambda gap: gap**2 / 4}, "refuted"),
    (energy_quotient.vanishes, {"gap": 0.1}, "refuted"),
    (rotations.planes, {"bound": of_smooth_functions}, "refuted"),
    (rotations.images, {"bound": divided(group_invariant.kernel_change_turns, 5.0)}, "refuted"),
    (rotations.is_a_group, {"turns": by_splines}, "refuted"),
    (rotations.sampled, {"share": lambda values: float(values[0]) - 1}, "refuted"),
]
