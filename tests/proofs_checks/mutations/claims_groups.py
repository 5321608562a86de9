"""What takes the place of an argument of a check of group-invariant features, and the verdict."""

import dataclasses
import math
from fractions import Fraction
from typing import Any

import numpy as np
from mehler.proofs_checks.group_invariant import _published, finite, kernel, risk
from mehler.proofs_checks.group_invariant._shared import SPHERE, declared
from mehler.proofs_checks.group_invariant._tokens import WINDOW, Tokens
from mehler.proofs_checks.group_invariant.image_rotations import image_rotations
from mehler.proofs_checks.group_invariant.permutations import experiment
from mehler.proofs_checks.group_invariant.permutations._task import Task, alone, bag_of_words

from mehler.bounds import Bound
from mehler.bounds import group_invariant as bounds
from mehler.features.groups import energy_distance, mean_distance
from tests.proofs_checks.mutations._row import called, scaled


def from_one_side(group: Any, x: Any, z: Any = None) -> Any:
    """D(x, z) - D(x, x): not an energy distance, and negative for some rows."""
    distances = mean_distance(group, x).diagonal()
    return mean_distance(group, x, x if z is None else z) - distances[:, None]


def of_one_over_n(distance: float, *, share: float, radius: float = 0.0) -> Bound:
    """What separate images would have: 2 delta/n, without the root of the logarithm."""
    right = kernel.energy_quotient.least_energy(distance, share=share, radius=radius)
    terms = (dataclasses.replace(right.terms[0], value=2 * share * distance),)
    return dataclasses.replace(right, terms=terms)


def without_itself(distance: float, *, moves: Any) -> Bound:
    """Forget the element that moves nothing."""
    return kernel.energy_quotient.largest_energy(
        distance, moves=[move for move in moves if move] or [0.0]
    )


def by_first_token(task: Task) -> Any:
    """Labels that permutations change."""
    grid = task.tokens.everything[0]
    return np.where(grid[:, 0] == task.targets[0], 1.0, -1.0)


ELEMENTS = called(
    "elements in the place of inverses, for a list that is not closed under them",
    lambda x, y: 1.0 - SPHERE.slope * kernel.remark_3.of_elements(x, y, among=kernel.remark_3.LIST),
)
OFF = called(
    "a slope that is off by a millionth in the limit",
    lambda d, epsilon, d_g: kernel.theorem_1.with_zeros(d, epsilon, d_g) + 1e-6 * d_g,
)
SPLINES = called(
    "rotations by linear interpolation",
    lambda side, many: image_rotations(side, side, [360 * k / many for k in range(many)]),
)
DEFECTS = [
    (kernel.expectation.restored, {"kernel": declared(kernel.expectation.SAMPLED, 6)}, "holds"),
    (kernel.invariance.sampled, {"n_elements": None}, "holds"),
    (kernel.invariance.whole, {"n_elements": 5}),
    (kernel.invariance.defect, {"factor": 1.2}),
    (kernel.theorem_1.deltas, {"gaps": (scaled(kernel.theorem_1.with_zeros, 3.0),)}),
    (kernel.theorem_1.limit, {"gaps": (OFF,)}),
    (kernel.theorem_1.positive, {"kernel": kernel.theorem_1.claimed("redraw", slope=-1.0)}),
    (kernel.theorem_1_limit.in_units_of_the_distance, {"d": 100}),
    (kernel.theorem_1_positive.no_less, {"factor": 1.0}),
    (kernel.theorem_1_positive.margin, {"slope": 1.1}),
    (finite.lemma_2.moments, {"formula": lambda m1, m2, s1, s2, r: finite.lemma_2.clark(m1, m2, s1,
        s2, -r)}),
    (finite.lemma_3.upper_tail, {"rate": 1 / 4}),
    (finite.lemma_3.lower_tail, {"smallest": 1}),
    (kernel.orbit_distance.average, {"distance": energy_distance}),
    (kernel.orbit_distance.same_orbit, {"distance": energy_distance}),
    (kernel.orbit_distance.energy_on_an_orbit, {"distance": mean_distance}),
    (kernel.orbit_distance.energy_off_it, {"distance": from_one_side}),
    (kernel.orbit_distance.features, {"distance": from_one_side}),
    (kernel.remark_3.local, {"kernel": ELEMENTS}),
    (kernel.remark_3.inverses, {"among": kernel.remark_3.LIST}),
    (kernel.remark_3.longer_rows, {"window": 2.5}),
    (kernel.remark_3.any_list, {"kernel": ELEMENTS}),
    (kernel.remark_3.without_inverses, {"among": kernel.remark_3.SUBSET}),
    (kernel.remark_4.restored, {"length": 2.0}),
    (kernel.remark_4.clipped, {"kernel": lambda x, y: kernel.remark_4.without_clip(x,
        y) - kernel.remark_4._WINDOW + 0.45}),
    (kernel.remark_4.gaussian, {"kernel": declared({**kernel.remark_4._GAUSSIAN, "window": 1.1},
        6)}),
    (finite.theorem_2.plane, {"rule": "midpoint"}),
    (kernel.haar_kernel.invariant, {"average": kernel.haar_kernel.gaussian}),
    (kernel.haar_kernel.positive, {"average": lambda x, z: -kernel.haar_kernel.gaussian(x, z)}),
    (kernel.haar_kernel.solution, {"average": kernel.haar_kernel.gaussian}),
    (finite.theorem_2.redraw, {"rule": "trapezoid"}),
    (finite.theorem_2.constants, {"constant_of_bins": 2.0}),
    (finite.theorem_2.errors, {"bound": scaled(bounds.kernel_error, 0.05)}),
    (kernel.corollary_1.restored, {"most": 0.1}),
    (kernel.corollary_1.inner_products, {"slope": 3.0}),
    (kernel.corollary_1.distances, {"slope": 20.0}),
    (finite.theorem_4.errors, {"bound": scaled(bounds.cdf_error, 1 / 1.2)}),
    (risk.sample_complexity.shrinks, {"tokens": Tokens(1, 4)}),
    (risk.sample_complexity.counted, {"formula": lambda n, k: Fraction(k**n, math.factorial(n))}),
    (risk.sample_complexity.not_the_order, {"order": 41.0}),
    (risk.lemma_1.fixed_scale, {"union": True}, "holds"),
    (risk.lemma_1.sections, {"kernel": scaled(declared(risk.lemma_1._OPTIONS, 6), 1.05)}),
    (risk.lemma_4.restored, {"bound": scaled(_published.lemma_4, 0.05)}),
    (risk.lemma_4.proved, {"bound": scaled(bounds.approximation, 0.05)}),
    (risk.lemma_6.coins, {"delta": 0.01}, "holds"),
    (risk.lemma_6.gaps, {"bound": lambda n: risk.lemma_6.gap_bound(n, window=WINDOW / 10)}),
    (risk.theorem_3.one_orbit, {"delta": 0.01}, "holds"),
    (risk.theorem_3.not_negative, {"delta": 0.01}, "holds"),
    (risk.theorem_3.invariance, {"n_elements": None}),
    (risk.theorem_3.excess, {"bound": scaled(bounds.excess_risk, 0.01)}),
    (risk.theorem_3.excess_sampled, {"bound": scaled(bounds.excess_risk, 0.001)}),
    (risk.lemma_7.means, {"bound": scaled(risk.lemma_7.mean_bound, 1 / 3)}),
    (risk.lemma_7.moments, {"bound": scaled(risk.lemma_7.mean_bound, 1 / 3)}),
    (risk.theorem_5.coins, {"log_delta": -10.0}, "holds"),
    (risk.theorem_5.two_functions, {"bound": scaled(risk.theorem_5.class_bound, 0.4)}),
    # A law that prefers one point of an orbit, and a target that varies on one.
    (risk.ridge_gain.split, {"tests": (0, 3, 4, 5, 6)}),
    (risk.ridge_gain.split, {"values": [0, *risk.ridge_gain.VALUES[1:]]}),
    (risk.ridge_gain.not_ordered, {"average": "after"}),
    (kernel.energy_quotient.over_pairs, {"least": of_one_over_n}),
    (kernel.energy_quotient.over_pairs, {"most": without_itself}),
    (kernel.energy_quotient.vanishes, {"gap": 0.1}),
    (kernel.rotations.images, {"bound": scaled(kernel.rotations.kernel_change_turns, 0.2)}),
    (kernel.rotations.is_a_group, {"turns": SPLINES}),
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
