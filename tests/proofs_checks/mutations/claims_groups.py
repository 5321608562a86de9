"""What takes the place of an argument of a check of group-invariant features, and the verdict."""

import dataclasses
import math
from fractions import Fraction
from typing import Any

import numpy as np
from mehler.proofs_checks.group_invariant import _published
from mehler.proofs_checks.group_invariant._shared import SPHERE, declared
from mehler.proofs_checks.group_invariant._tokens import WINDOW, Tokens
from mehler.proofs_checks.group_invariant.finite import lemma_2, lemma_3, theorem_2, theorem_4
from mehler.proofs_checks.group_invariant.image_rotations import image_rotations
from mehler.proofs_checks.group_invariant.kernel import (
    corollary_1,
    energy_quotient,
    expectation,
    haar_kernel,
    invariance,
    orbit_distance,
    remark_3,
    remark_4,
    rotations,
    theorem_1,
    theorem_1_limit,
    theorem_1_positive,
)
from mehler.proofs_checks.group_invariant.permutations import experiment
from mehler.proofs_checks.group_invariant.permutations._task import Task, alone, bag_of_words
from mehler.proofs_checks.group_invariant.risk import (
    lemma_1,
    lemma_4,
    lemma_6,
    lemma_7,
    ridge_gain,
    sample_complexity,
    theorem_3,
    theorem_5,
)

from mehler.bounds import Bound
from mehler.bounds import group_invariant as bounds
from mehler.features.groups import energy_distance, mean_distance
from tests.proofs_checks.mutations._row import called, scaled


def from_one_side(group: Any, x: Any, z: Any = None) -> Any:
    """D(x, z) - D(x, x): not an energy distance, and negative for some rows."""
    own = mean_distance(group, x).diagonal()
    return mean_distance(group, x, x if z is None else z) - own[:, None]


def of_one_over_n(distance: float, *, share: float, radius: float = 0.0) -> Bound:
    """What separate images would have: 2 delta/n, without the root of the logarithm."""
    right = energy_quotient.least_energy(distance, share=share, radius=radius)
    terms = (dataclasses.replace(right.terms[0], value=2 * share * distance),)
    return dataclasses.replace(right, terms=terms)


def without_itself(distance: float, *, moves: Any) -> Bound:
    """Forget the element that moves nothing."""
    return energy_quotient.largest_energy(distance, moves=[move for move in moves if move] or [0.0])


def by_first_token(task: Task) -> Any:
    """Labels that permutations change."""
    grid = task.tokens.everything[0]
    return np.where(grid[:, 0] == task.targets[0], 1.0, -1.0)


ELEMENTS = called(
    "elements in the place of inverses, for a list that is not closed under them",
    lambda x, y: 1.0 - SPHERE.slope * remark_3.of_elements(x, y, among=remark_3.LIST),
)
OFF = called(
    "a slope that is off by a millionth in the limit",
    lambda d, epsilon, d_g: theorem_1.with_zeros(d, epsilon, d_g) + 1e-6 * d_g,
)
SPLINES = called(
    "rotations by linear interpolation",
    lambda side, many: image_rotations(side, side, [360 * k / many for k in range(many)]),
)
DEFECTS = [
    (expectation.restored, {"kernel": declared(expectation.SAMPLED, 6)}, "holds"),
    (invariance.sampled, {"n_elements": None}, "holds"),
    (invariance.whole, {"n_elements": 5}),
    (invariance.defect, {"factor": 1.2}),
    (theorem_1.deltas, {"gaps": (scaled(theorem_1.with_zeros, 3.0),)}),
    (theorem_1.limit, {"gaps": (OFF,)}),
    (theorem_1.positive, {"kernel": theorem_1.claimed("redraw", slope=-1.0)}),
    (theorem_1_limit.in_units_of_the_distance, {"d": 100}),
    (theorem_1_positive.no_less, {"factor": 1.0}),
    (theorem_1_positive.margin, {"slope": 1.1}),
    (lemma_2.moments, {"formula": lambda m1, m2, s1, s2, r: lemma_2.clark(m1, m2, s1, s2, -r)}),
    (lemma_3.upper_tail, {"rate": 1 / 4}),
    (lemma_3.lower_tail, {"smallest": 1}),
    (orbit_distance.average, {"distance": energy_distance}),
    (orbit_distance.same_orbit, {"distance": energy_distance}),
    (orbit_distance.energy_on_an_orbit, {"distance": mean_distance}),
    (orbit_distance.energy_off_it, {"distance": from_one_side}),
    (orbit_distance.features, {"distance": from_one_side}),
    (remark_3.local, {"kernel": ELEMENTS}),
    (remark_3.inverses, {"among": remark_3.LIST}),
    (remark_3.longer_rows, {"window": 2.5}),
    (remark_3.any_list, {"kernel": ELEMENTS}),
    (remark_3.without_inverses, {"among": remark_3.SUBSET}),
    (remark_4.restored, {"length": 2.0}),
    (remark_4.clipped, {"kernel": lambda x, y: remark_4.without_clip(x,
        y) - remark_4._WINDOW + 0.45}),
    (remark_4.gaussian, {"kernel": declared({**remark_4._GAUSSIAN, "window": 1.1}, 6)}),
    (theorem_2.plane, {"rule": "midpoint"}),
    (haar_kernel.invariant, {"average": haar_kernel.gaussian}),
    (haar_kernel.positive, {"average": lambda x, z: -haar_kernel.gaussian(x, z)}),
    (haar_kernel.solution, {"average": haar_kernel.gaussian}),
    (theorem_2.redraw, {"rule": "trapezoid"}),
    (theorem_2.constants, {"constant_of_bins": 2.0}),
    (theorem_2.errors, {"bound": scaled(bounds.kernel_error, 0.05)}),
    (corollary_1.restored, {"allowed": 0.1}),
    (corollary_1.inner_products, {"slope": 3.0}),
    (corollary_1.distances, {"slope": 20.0}),
    (theorem_4.errors, {"bound": scaled(bounds.cdf_error, 1 / 1.2)}),
    (sample_complexity.shrinks, {"tokens": Tokens(1, 4)}),
    (sample_complexity.counted, {"formula": lambda n, k: Fraction(k**n, math.factorial(n))}),
    (sample_complexity.not_the_order, {"order": 41.0}),
    (lemma_1.fixed_scale, {"union": True}, "holds"),
    (lemma_1.sections, {"kernel": scaled(declared(lemma_1._OPTIONS, 6), 1.05)}),
    (lemma_4.restored, {"bound": scaled(_published.lemma_4, 0.05)}),
    (lemma_4.proved, {"bound": scaled(bounds.approximation, 0.05)}),
    (lemma_6.coins, {"delta": 0.01}, "holds"),
    (lemma_6.gaps, {"bound": lambda n: lemma_6.gap_bound(n, window=WINDOW / 10)}),
    (theorem_3.one_orbit, {"delta": 0.01}, "holds"),
    (theorem_3.not_negative, {"delta": 0.01}, "holds"),
    (theorem_3.invariance, {"n_elements": None}),
    (theorem_3.excess, {"bound": scaled(bounds.excess_risk, 0.01)}),
    (theorem_3.excess_sampled, {"bound": scaled(bounds.excess_risk, 0.001)}),
    (lemma_7.means, {"bound": scaled(lemma_7.mean_bound, 1 / 3)}),
    (lemma_7.moments, {"bound": scaled(lemma_7.mean_bound, 1 / 3)}),
    (theorem_5.coins, {"log_delta": -10.0}, "holds"),
    (theorem_5.two_functions, {"bound": scaled(theorem_5.class_bound, 0.4)}),
    # A law that prefers one point of an orbit, and a target that varies on one.
    (ridge_gain.split, {"tests": (0, 3, 4, 5, 6)}),
    (ridge_gain.split, {"values": [0, *ridge_gain.VALUES[1:]]}),
    (ridge_gain.not_ordered, {"average": "after"}),
    (energy_quotient.drawn, {"least": of_one_over_n}),
    (energy_quotient.drawn, {"most": without_itself}),
    (energy_quotient.vanishes, {"gap": 0.1}),
    (rotations.images, {"bound": scaled(rotations.kernel_change_turns, 0.2)}),
    (rotations.is_a_group, {"turns": SPLINES}),
    # As many on both sides: no draw is a win.
    (experiment.more_templates, {"sizes": (25, 25)}),
    (experiment.more_bins, {"sizes": (8, 8)}),
    (experiment.ordering, {"invariant": lambda tokens, n_bins, seed: bag_of_words(tokens)}),
    (experiment.least_squares, {"errors": alone}),
    (experiment.best_rule, {"errors": scaled(alone, Fraction(1, 2))}),
    (experiment.raw_is_counts, {"labels": by_first_token}),
    (experiment.separates, {"kernel": bag_of_words}),
    # All of them: the comparison is of the features with themselves.
    (experiment.few_elements, {"few": 120}),
]  # fmt: skip
