"""What takes the place of an argument of a check of maxout, and what the check then says.

A check of a false print is flipped by the truth; every other one by a wrong claim, or by a map
with a defect: one weight too few, a lost factor, the wrong normalisation. Without a verdict it is
refuted. A check that sees a change of a term or value needs no other defect.
"""

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from mehler.proofs_checks.maxout import growth, kernel, risk

from mehler import DecoupledMaxoutFeatures, MaxoutCodes, MaxoutFeatures, exact
from mehler.bounds import kernel_error as errors
from mehler.bounds import maxout
from mehler.doubling import doubling_dimension
from tests.proofs_checks.mutations._row import called, scaled


def other_pool(draw: Callable[..., Any], change: int) -> Callable[..., Any]:
    return called("other pool", lambda d, m, q, **options: draw(d, m, q + change, **options))


def after(change: Callable[[Any], Any], draw: Callable[..., Any]) -> Callable[..., Any]:
    """Draw a map whose features are changed."""

    def wrong(*sizes: int, **options: Any) -> Any:
        phi = draw(*sizes, **options)
        return lambda X: change(phi(X))

    return wrong


def repeating(times: int) -> Callable[..., Any]:
    """Draw a map that has `times` times fewer units than it says, each repeated."""

    def draw(d: int, m: int, q: int, **options: Any) -> Any:
        phi = MaxoutFeatures.draw(d, m // times, q, **options)
        return lambda X: np.repeat(phi(X), times, axis=1) / times**0.5

    return draw


def never_better(n_inputs: int, n_features: int, pool_size: int, **options: Any) -> Any:
    """A map to which more units are of no use: its error stays that of 16."""
    # The check takes 1500 draws of 16 units at once, and more units only for draws of 144.
    return repeating(9 if n_features > 1500 * 16 else 1)(n_inputs, n_features, pool_size, **options)


class Local:
    """A map whose kernel does vanish for opposite rows: the decoupled one, kernel 1 at rho = 1."""

    def __init__(self, d: int, m: int, q: int, **options: Any) -> None:
        self.phi = DecoupledMaxoutFeatures.draw(d, m, q, directions="fresh", **options)
        self.factor, self.n_features = exact.sigma2(q) ** -0.5, self.phi.n_features

    def __call__(self, X: Any) -> Any:
        return self.factor * self.phi(X)

    def products(self, X: Any, Y: Any) -> Any:
        return self.factor**2 * self.phi.products(X, Y)


def uncentred(*sizes: int, centred: bool, **options: Any) -> Any:
    """Draw the map and forget the mean."""
    return MaxoutFeatures.draw(*sizes, **options)


def one_negative(q: int, n: int) -> list[tuple[float, float]]:
    ends = [(float(a), float(a)) for a in exact.collision_coefficients(q, n)]
    return [*ends[:5], (-2e-12, -1e-12), *ends[6:]]


def off_by_a_little(q: int, n: int) -> list[tuple[Any, Any]]:
    ends = kernel.theorem_1_series.coefficient_ends(q, n)
    return [*ends[:1], *((low + 1e-18, high + 1e-18) for low, high in ends[1:])]


def more_dimensions(points: Any) -> Any:
    """Balls that are too small: one dimension too many."""
    right = doubling_dimension(points)
    return dataclasses.replace(right, low=right.low + 1, high=right.high + 1)


def trivial(points: Any) -> Any:
    """Nothing but the number of points."""
    return dataclasses.replace(doubling_dimension(points), low=0, high=len(points).bit_length())


def one_more(s: int, b: int) -> Any:
    """The code, and a word that differs from its first one in one symbol."""
    rows = risk.definition_2.words(s, b)
    near = rows[0].copy()
    near[:b] = np.roll(near[:b], 1)
    return np.vstack([rows, near])


def collisions(change: Callable[[Any, int], Any]) -> dict[str, Any]:
    return {"collision": change}


K, KAPPA = exact.maxout_kernel, exact.collision_probability
NEVER = called("a unit that never falls short of the infinite class", lambda shortfall: 0.0)
CAPS = risk.definition_2.CAPS
DEFECTS = [
    (kernel.theorem_1_kernel.printed, {"kernel": K}, "holds"),
    (kernel.theorem_1_kernel.proved, {"draw": other_pool(MaxoutFeatures.draw, -1)}),
    (kernel.theorem_1_series.first_three_enclosed, {"ends": off_by_a_little}),
    (kernel.theorem_1_series.non_negative, {"ends": one_negative}),
    (kernel.theorem_1_series.collisions, {"draw": other_pool(MaxoutCodes.draw, -1)}),
    (kernel.special_values.by_units, {"value": lambda rho, q: (1 + rho) / 2}),
    (growth.h1_growth.limit, {"rate": lambda q: math.sqrt(math.log(q))}),
    (growth.h1_growth.slope, {"rate": lambda q: math.log(q) / q}),
    (growth.h1_growth.slope, {"at": 1e6}, "inconclusive"),
    (growth.sigma2_growth.printed, {"rate": lambda q: 2 * math.log(q)}, "holds"),
    (growth.sigma2_growth.proved, {"rate": math.log}),
    (growth.locality.far_points_printed, {"draw": Local}, "holds"),
    (growth.locality.radius_printed, {"kernel": exact.centred_kernel}, "holds"),
    (growth.locality.flattening, {"kernel": exact.locally_linear_kernel}),
    (growth.locality.half_angle_bounds, collisions(lambda rho, q: KAPPA(rho, 2))),
    (growth.locality.half_angle_bounds, collisions(lambda rho, q: KAPPA(rho, q) ** 4)),
    (growth.remark_1_codes.sensitivity, {"draw": after(lambda codes: 0 * codes, MaxoutCodes.draw)},
        "inconclusive"),
    (growth.remark_1_codes.exponent_at_pools, collisions(lambda rho, q: KAPPA(rho, q) ** 3)),
    (kernel.equation_5.printed, {"kernel": K}, "holds"),
    (kernel.equation_5.proved, {"kernel": exact.locally_linear_kernel}),
    (kernel.figure_1.printed, {"kernel": K}, "holds"),
    (kernel.figure_1.saturates, {"pools": (32, 8)}),
    (kernel.figure_1.linear, {"draw": DecoupledMaxoutFeatures.draw}),
    (kernel.centred_kernel.kernel, {"draw": uncentred}),
    (kernel.centred_kernel.localises, {"kernel": K}),
    (risk.definition_2.at_most_d, {"sets": {"a segment": np.outer(np.arange(9.0), [1.0, 2.0])}},
        "holds"),
    (risk.definition_2.separated, {"code": one_more}),
    (risk.definition_2.half_balls, {"circles": (*CAPS[:2], (90.0, 7, 0.0), *CAPS[3:])}),
    (risk.definition_2.known_sets, {"dimension": more_dimensions}),
    (risk.definition_2.known_sets, {"dimension": trivial}, "inconclusive"),
    (kernel.kernel_error.vanishes, {"draw": never_better}, "inconclusive"),
    (kernel.kernel_error.one_pair, {"draw": repeating(4)}),
    (kernel.kernel_error.all_pairs, {"bound": scaled(errors.all_pairs, 0.5)}),
    (kernel.kernel_error.uniform, {"bound": scaled(errors.uniform, 0.15)}),
    (risk.density.one_class, {"scale": 10.0}, "inconclusive"),
    # The longer of two norms instead of their sum.
    (risk.lemma_2.sum_of_norms, {"share": 1.5}),
    (risk.lemma_2.union_over_the_pool, {"weights": 1}),
    (risk.lemma_2.two_near_points, {"tail": NEVER}),
    (risk.lemma_2.with_constant, {"c1": 4.97}),
    (risk.lemma_2.paper_shape, {"bound": scaled(maxout.supremum, 0.2)}),
    (risk.lemma_2.dimension_free, {"bound": scaled(maxout.supremum, 0.5)}),
    # delta / m for each unit, as a union bound has it.
    (risk.lemma_3.all_units, {"share": lambda delta, m: delta / m}),
    # No condition at all.
    (risk.lemma_3.conditioned_mean, {"limit": 40.0}),
    (risk.lemma_3.two_near_points, {"probability": NEVER}),
    (risk.lemma_3.with_constant, {"c1": 0.84}),
    (risk.lemma_3.nearest, {"bound": scaled(maxout.approximation, 0.1)}),
    (risk.lemma_3.monte_carlo, {"bound": scaled(maxout.approximation, 0.1)}),
    (risk.lemma_3.paper_shape, {"bound": scaled(maxout.approximation, 0.02)}),
    (risk.lemma_4.added_risk, {"probability": NEVER}),
    (risk.lemma_4.with_constant, {"c1": 0.84}),
    (risk.lemma_4.dimension_free, {"bound": scaled(maxout.approximation_risk, 0.03)}),
    (risk.lemma_4.paper_shape, {"bound": scaled(maxout.approximation_risk, 0.002)}),
    (risk.lemma_4.in_expectation, {"bound": scaled(maxout.approximation_risk, 0.03)},
        "inconclusive"),
    (risk.theorem_2.over_the_box, {"c_prime": 1e-6}),
    (risk.theorem_2.printed_condition, {"probability": NEVER}),
    (risk.theorem_2.over_the_class, {"c_prime": 0.5}),
    (risk.theorem_2.bounded_difference, {"claimed": lambda n: 1 / math.sqrt(n)}),
    (risk.theorem_2.dimension_free, {"bound": scaled(maxout.excess_risk, 0.01)}),
    (risk.theorem_2.paper_shape, {"bound": scaled(maxout.excess_risk, 0.001)}),
    (risk.theorem_2.in_expectation, {"bound": scaled(maxout.excess_risk, 0.03)}, "inconclusive"),
    (risk.theorem_2.smaller, {"by_dimension": scaled(maxout.excess_risk, 0.25)}),
    # Where the published factor is enough; and where it is not.
    (risk.remark_2.short_inputs, {"radius": 1.0}),
    (risk.remark_2.small_losses, {"loss_bound": 1.0}),
    (risk.remark_2.dimension_free, {"bound": scaled(maxout.excess_risk, 0.01)}),
    (risk.remark_2.paper_shape, {"bound": scaled(maxout.excess_risk, 0.001)}),
]  # fmt: skip
