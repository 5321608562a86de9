"""A defect for every check of group-invariant features: the truth, or a wrong claim."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from mehler.proofs_checks.group_invariant import _published
from mehler.proofs_checks.group_invariant._shared import SPHERE, declared
from mehler.proofs_checks.group_invariant._tokens import WINDOW, Tokens
from mehler.proofs_checks.group_invariant.finite import lemma_2, lemma_3, theorem_2, theorem_4
from mehler.proofs_checks.group_invariant.kernel import (
    corollary_1,
    expectation,
    haar_kernel,
    invariance,
    orbit_distance,
    remark_3,
    remark_4,
    theorem_1,
)
from mehler.proofs_checks.group_invariant.risk import (
    lemma_1,
    lemma_4,
    lemma_5,
    lemma_6,
    sample_complexity,
    theorem_3,
)

from mehler.bounds import Bound
from mehler.bounds import group_invariant as bounds
from mehler.features.groups import energy_distance, mean_distance


def smaller(bound: Callable[..., Bound], divisor: float) -> Callable[..., Bound]:
    def wrong(*sizes: int, **options: Any) -> Bound:
        right = bound(*sizes, **options)
        terms = [dataclasses.replace(one, value=one.value / divisor) for one in right.terms]
        return dataclasses.replace(right, terms=terms)

    return wrong


def of_a_larger_sample(*sizes: int, n_elements: int | None = None, **options: Any) -> Bound:
    """Three times as many elements, of a group three times as large."""
    order = options.get("group_order")
    if n_elements is not None:
        options["n_elements"] = 3 * n_elements
    if order is not None:
        options["group_order"] = 3 * order
    return bounds.kernel_error(*sizes, **options)


def without_shared_elements(options: dict[str, Any], d: int) -> Any:
    """As if x and z had elements of their own: the whole group's kernel."""
    return declared({**options, "n_elements": None}, d)


def without_bins(options: dict[str, Any], d: int) -> Any:
    return declared({**options, "rule": "dither"}, d)


def three_times(d: int, epsilon: float, d_g: float) -> float:
    return 3 * theorem_1.with_zeros(d, epsilon, d_g)


def shifted(d: int, epsilon: float, d_g: float) -> float:
    """A slope that is off by a millionth in the limit."""
    return theorem_1.with_zeros(d, epsilon, d_g) + 1e-6 * d_g


def wrong_sign(m1: float, m2: float, s1: float, s2: float, r: float) -> Any:
    return lemma_2.clark(m1, m2, s1, s2, -r)


def from_one_side(group: Any, x: Any, z: Any = None) -> Any:
    """D(x, z) - D(x, x): not an energy distance, and negative for some rows."""
    own = mean_distance(group, x).diagonal()
    return mean_distance(group, x, x if z is None else z) - own[:, None]


def free_action(length: int, alphabet: int) -> Fraction:
    return Fraction(alphabet**length, math.factorial(length))


def elements_of_the_list(x: Any, y: Any) -> Any:
    """Elements in the place of inverses, for a list that is not closed under them."""
    return 1.0 - SPHERE.slope * remark_3.of_elements(x, y, among=remark_3.LIST)


def narrow_without_clip(x: Any, y: Any) -> Any:
    return remark_4.without_clip(x, y) - remark_4._WINDOW + 0.45


def wider_window(x: Any, y: Any) -> Any:
    return declared({**remark_4._GAUSSIAN, "window": 1.1}, 6)(x, y)


def too_large(x: Any, y: Any) -> Any:
    return 1.05 * declared(lemma_1._OPTIONS, 6)(x, y)


def narrow_gap(n: int) -> Bound:
    return lemma_6.gap_bound(n, window=WINDOW / 10)


# (check, what is wrong, the verdict that it must come to)
DEFECTS = [
    (expectation.restored, {"kernel": declared(expectation.SAMPLED, 6)}, "holds"),
    (expectation.sizes, {"kernel_of": without_shared_elements}, "refuted"),
    (expectation.sizes, {"kernel_of": without_bins}, "refuted"),
    (invariance.sampled, {"n_elements": None}, "holds"),
    (invariance.whole, {"n_elements": 5}, "refuted"),
    (invariance.defect, {"factor": 1.2}, "refuted"),
    (theorem_1.deltas, {"gaps": (three_times,)}, "refuted"),
    (theorem_1.limit, {"gaps": (shifted,)}, "refuted"),
    (theorem_1.positive, {"kernel": theorem_1.claimed("redraw", slope=-1.0)}, "refuted"),
    (theorem_1.zero, {"kernel": theorem_1.claimed("redraw")}, "refuted"),
    (theorem_1.zero, {"kernel": theorem_1.claimed("zero", slope=2.0)}, "refuted"),
    (theorem_1.redraw, {"kernel": theorem_1.claimed("zero")}, "refuted"),
    (theorem_1.redraw, {"kernel": theorem_1.claimed("redraw", slope=2.0)}, "refuted"),
    (lemma_2.moments, {"formula": wrong_sign}, "refuted"),
    (lemma_3.upper_tail, {"rate": 1 / 4}, "refuted"),
    (lemma_3.lower_tail, {"smallest": 1}, "refuted"),
    (orbit_distance.average, {"distance": energy_distance}, "refuted"),
    (orbit_distance.same_orbit, {"distance": energy_distance}, "refuted"),
    (orbit_distance.energy_on_an_orbit, {"distance": mean_distance}, "refuted"),
    (orbit_distance.energy_off_it, {"distance": from_one_side}, "refuted"),
    (orbit_distance.features, {"distance": from_one_side}, "refuted"),
    (remark_3.local, {"kernel": elements_of_the_list}, "refuted"),
    (remark_3.inverses, {"among": remark_3.LIST}, "refuted"),
    (remark_3.longer_rows, {"window": 2.5}, "refuted"),
    (remark_3.any_list, {"kernel": elements_of_the_list}, "refuted"),
    (remark_3.without_inverses, {"among": remark_3.SUBSET}, "refuted"),
    (remark_4.restored, {"length": 2.0}, "refuted"),
    (remark_4.measured, {"kernel": lambda x, y: 0.95 * remark_4.without_clip(x, y)}, "refuted"),
    (remark_4.clipped, {"kernel": narrow_without_clip}, "refuted"),
    (remark_4.gaussian, {"kernel": wider_window}, "refuted"),
    (theorem_2.plane, {"rule": "midpoint"}, "refuted"),
    (haar_kernel.invariant, {"average": haar_kernel.gaussian}, "refuted"),
    (haar_kernel.positive, {"average": lambda x, z: -haar_kernel.gaussian(x, z)}, "refuted"),
    (haar_kernel.solution, {"average": haar_kernel.gaussian}, "refuted"),
    (theorem_2.redraw, {"rule": "trapezoid"}, "refuted"),
    (theorem_2.constants, {"constant_of_bins": 2.0}, "refuted"),
    (theorem_2.errors, {"bound": smaller(bounds.kernel_error, 20)}, "refuted"),
    (corollary_1.restored, {"allowed": 0.1}, "refuted"),
    (corollary_1.inner_products, {"slope": 3.0}, "refuted"),
    (corollary_1.distances, {"slope": 20.0}, "refuted"),
    (theorem_4.errors, {"bound": smaller(bounds.cdf_error, 1.2)}, "refuted"),
    (sample_complexity.shrinks, {"tokens": Tokens(1, 4)}, "refuted"),
    (sample_complexity.counted, {"formula": free_action}, "refuted"),
    (sample_complexity.not_the_order, {"order": 41.0}, "refuted"),
    (lemma_1.fixed_scale, {"union": True}, "holds"),
    (lemma_1.sections, {"kernel": too_large}, "refuted"),
    (lemma_4.restored, {"bound": smaller(_published.lemma_4, 20)}, "refuted"),
    (lemma_4.proved, {"bound": smaller(bounds.approximation, 20)}, "refuted"),
    (lemma_5.risks, {"factor": 3.0}, "refuted"),
    (lemma_6.coins, {"delta": 0.01}, "holds"),
    (lemma_6.rademacher, {"window": WINDOW / 10}, "refuted"),
    (lemma_6.gaps, {"bound": narrow_gap}, "refuted"),
    (theorem_3.one_orbit, {"delta": 0.01}, "holds"),
    (theorem_3.not_negative, {"delta": 0.01}, "holds"),
    (theorem_3.invariance, {"n_elements": None}, "refuted"),
    (theorem_3.excess, {"bound": smaller(bounds.excess_risk, 100)}, "refuted"),
    # Where they are tight they may not lose as much.
    (theorem_2.tight, {"bound": smaller(bounds.kernel_error, 1.01)}, "refuted"),
    (theorem_2.given_templates, {"bound": of_a_larger_sample}, "refuted"),
    (theorem_3.tight, {"bound": smaller(bounds.excess_risk, 2.5)}, "refuted"),
    (theorem_4.tight, {"bound": smaller(bounds.cdf_error, 1.01)}, "refuted"),
    (lemma_4.tight, {"bound": smaller(bounds.approximation, 2.5)}, "refuted"),
    (theorem_3.excess_sampled, {"bound": smaller(bounds.excess_risk, 1000)}, "refuted"),
]
