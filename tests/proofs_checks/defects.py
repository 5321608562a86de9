"""Every check has a defect that changes its verdict: a check that cannot fail is a defect.

A check of a false print is flipped by the truth; every other one by a wrong claim, or by a map
with a defect: one weight too few, a lost factor, the wrong normalisation.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from mehler.proofs_checks.maxout.growth import h1_growth, locality, remark_1_codes, sigma2_growth
from mehler.proofs_checks.maxout.kernel import (
    centred_kernel,
    decoupled_kernel,
    equation_5,
    figure_1,
    q1_linear,
    special_values,
    theorem_1_kernel,
    theorem_1_series,
)

from mehler import DecoupledMaxoutFeatures, MaxoutCodes, MaxoutFeatures, exact
from tests.proofs_checks import (
    defects_definition,
    defects_depth,
    defects_features,
    defects_fourier,
    defects_group_invariant,
    defects_group_tools,
    defects_kernel_error,
    defects_leverage,
    defects_permutations,
    defects_rates,
    defects_risk,
    defects_sinks,
)


def other_pool(draw: Callable[..., Any], change: int) -> Callable[..., Any]:
    """Draw the map with a pool that is larger or smaller than it says."""

    def wrong(n_inputs: int, n_features: int, pool_size: int, **options: Any) -> Any:
        return draw(n_inputs, n_features, pool_size + change, **options)

    return wrong


def without(draw: Callable[..., Any], option: str) -> Callable[..., Any]:
    """Draw the map and forget one option."""

    def wrong(*sizes: int, **options: Any) -> Any:
        options.pop(option)
        return draw(*sizes, **options)

    return wrong


class Scaled:
    """A map whose features are off by a factor."""

    def __init__(self, phi: Any, factor: float) -> None:
        self.phi, self.factor, self.n_features = phi, factor, phi.n_features

    def __call__(self, X: Any) -> Any:
        return self.factor * self.phi(X)

    def products(self, X: Any, Y: Any) -> Any:
        return self.factor**2 * self.phi.products(X, Y)


def scaled(*sizes: int, **options: Any) -> Any:
    return Scaled(MaxoutFeatures.draw(*sizes, **options), 1.05)


class Blind:
    """Codes that do not look at the row: all collide."""

    def __init__(self, phi: Any) -> None:
        self.phi = phi

    def __call__(self, X: Any) -> Any:
        return 0 * self.phi(X)


def blind_codes(*sizes: int, **options: Any) -> Any:
    return Blind(MaxoutCodes.draw(*sizes, **options))


def one_negative(q: int, n: int) -> list[tuple[float, float]]:
    ends = [(float(a), float(a)) for a in exact.collision_coefficients(q, n)]
    return [*ends[:5], (-2e-12, -1e-12), *ends[6:]]


def off_by_a_little(q: int, n: int) -> list[tuple[Any, Any]]:
    ends = theorem_1_series.coefficient_ends(q, n)
    return [*ends[:1], *((low + 1e-18, high + 1e-18) for low, high in ends[1:])]


def factor(function: Callable[..., Any], by: float) -> Callable[..., Any]:
    return lambda *arguments: by * np.asarray(function(*arguments))


def local(n_inputs: int, n_features: int, pool_size: int, **options: Any) -> Any:
    """A map whose kernel does vanish for opposite rows: the decoupled one, kernel 1 at rho = 1."""
    phi = DecoupledMaxoutFeatures.draw(
        n_inputs, n_features, pool_size, directions="fresh", **options
    )
    return Scaled(phi, exact.sigma2(pool_size) ** -0.5)


fewer_weights = other_pool(MaxoutFeatures.draw, -1)
fewer_codes = other_pool(MaxoutCodes.draw, -1)

# (check, what is wrong, the verdict that it must come to)
DEFECTS = [
    (theorem_1_kernel.printed, {"kernel": exact.maxout_kernel}, "holds"),
    (theorem_1_kernel.proved, {"kernel": exact.locally_linear_kernel}, "refuted"),
    (theorem_1_kernel.proved, {"kernel": factor(exact.maxout_kernel, 1.02)}, "refuted"),
    (theorem_1_kernel.proved, {"draw": fewer_weights}, "refuted"),
    (theorem_1_kernel.proved, {"draw": scaled}, "refuted"),
    (
        theorem_1_series.first_three,
        {"coefficients": factor(exact.collision_coefficients, 1 + 1e-11)},
        "refuted",
    ),
    (theorem_1_series.first_three_enclosed, {"ends": off_by_a_little}, "refuted"),
    (theorem_1_series.non_negative, {"ends": one_negative}, "refuted"),
    (theorem_1_series.sums, {"collision": factor(exact.collision_probability, 1.01)}, "refuted"),
    (
        theorem_1_series.sums,
        {"collision": factor(exact.collision_probability, 0.99)},
        "inconclusive",
    ),
    (
        theorem_1_series.sums,
        {"collision": lambda rho, q: exact.collision_probability((rho + 1) / 2, q)},
        "refuted",
    ),
    (
        theorem_1_series.partial_sums,
        {"coefficients": factor(exact.collision_coefficients, 1.01)},
        "refuted",
    ),
    (theorem_1_series.collisions, {"draw": fewer_codes}, "refuted"),
    (
        theorem_1_series.collisions,
        {"coefficients": lambda q, n: exact.collision_coefficients(q + 1, n)},
        "refuted",
    ),
    (special_values.measured, {"value": lambda rho, q: (1 + rho) / 2}, "refuted"),
    (special_values.measured, {"draw": other_pool(MaxoutCodes.draw, 1)}, "refuted"),
    (
        special_values.computed,
        {"collision": lambda rho, q: exact.collision_probability(rho, q) + 2e-13},
        "refuted",
    ),
    (h1_growth.limit, {"rate": lambda q: math.sqrt(math.log(q))}, "refuted"),
    (h1_growth.slope, {"rate": lambda q: math.log(q) / q}, "refuted"),
    (h1_growth.slope, {"at": 1e6}, "inconclusive"),
    (h1_growth.bounds, {"moment": lambda q: 1.1 * exact.max_moment(1, q)}, "refuted"),
    (h1_growth.bounds, {"moment": lambda q: 0.8 * exact.max_moment(1, q)}, "refuted"),
    (sigma2_growth.printed, {"rate": lambda q: 2 * math.log(q)}, "holds"),
    (sigma2_growth.proved, {"rate": math.log}, "refuted"),
    (sigma2_growth.bounds, {"moment": lambda q: exact.sigma2(q) / 2}, "refuted"),
    (sigma2_growth.bounds, {"moment": lambda q: 2 * exact.sigma2(q)}, "refuted"),
    (locality.far_points_printed, {"draw": local}, "holds"),
    (locality.radius_printed, {"kernel": exact.centred_kernel}, "holds"),
    (locality.far_points_proved, {"kernel": exact.locally_linear_kernel}, "refuted"),
    (locality.far_points_proved, {"draw": fewer_weights}, "refuted"),
    (locality.flattening, {"kernel": exact.locally_linear_kernel}, "refuted"),
    (
        locality.half_angle_bounds,
        {"collision": lambda rho, q: exact.collision_probability(rho, 2)},
        "refuted",
    ),
    (
        locality.half_angle_bounds,
        {"collision": lambda rho, q: exact.collision_probability(rho, q) ** 4},
        "refuted",
    ),
    (
        remark_1_codes.similarity,
        {"collision": lambda rho, q: exact.collision_probability(rho, q - 1)},
        "refuted",
    ),
    (remark_1_codes.similarity, {"draw": fewer_codes}, "refuted"),
    (remark_1_codes.sensitivity, {"draw": blind_codes}, "inconclusive"),
    (q1_linear.measured_kernel, {"kernel": lambda rho, q: 0.95 * rho}, "refuted"),
    (q1_linear.measured_kernel, {"draw": other_pool(MaxoutFeatures.draw, 1)}, "refuted"),
    (equation_5.printed, {"kernel": exact.maxout_kernel}, "holds"),
    (equation_5.proved, {"kernel": exact.locally_linear_kernel}, "refuted"),
    (figure_1.printed, {"kernel": exact.maxout_kernel}, "holds"),
    (figure_1.saturates, {"pools": (32, 8)}, "refuted"),
    (figure_1.linear, {"draw": DecoupledMaxoutFeatures.draw}, "refuted"),
    (figure_1.proved, {"kernel": exact.locally_linear_kernel}, "refuted"),
    (figure_1.proved, {"draw": fewer_weights}, "refuted"),
    (figure_1.joint_density, {"kernel": factor(exact.maxout_kernel, 1 + 1e-9)}, "refuted"),
    (decoupled_kernel.kernel, {"kernel": exact.maxout_kernel}, "refuted"),
    (decoupled_kernel.kernel, {"draw": without(MaxoutFeatures.draw, "directions")}, "refuted"),
    (decoupled_kernel.borrowed, {"kernel": exact.maxout_kernel}, "refuted"),
    (centred_kernel.kernel, {"kernel": exact.maxout_kernel}, "refuted"),
    (centred_kernel.kernel, {"draw": without(MaxoutFeatures.draw, "centred")}, "refuted"),
    *defects_rates.DEFECTS,
    *defects_definition.DEFECTS,
    *defects_kernel_error.DEFECTS,
    *defects_risk.DEFECTS,
    *defects_sinks.DEFECTS,
    *defects_fourier.DEFECTS,
    *defects_features.DEFECTS,
    *defects_depth.DEFECTS,
    *defects_leverage.DEFECTS,
    *defects_group_invariant.DEFECTS,
    *defects_group_tools.DEFECTS,
    *defects_permutations.DEFECTS,
]


def described(defect: dict[str, Any]) -> str:
    """What takes the place of which argument."""
    return "; ".join(f"`{key}`: {_said(value)}" for key, value in defect.items())


def _said(value: Any) -> str:
    """A number as it is; a function by the first line of its docstring, where it has one."""
    if isinstance(value, (bool, int, float, str)) or value is None:
        return repr(value)
    name = getattr(value, "__qualname__", "<lambda>").split(".<locals>")[0].split(".")[-1]
    doc = getattr(value, "__doc__", None) if name != "<lambda>" else None
    if doc:
        line = str(doc).strip().splitlines()[0].rstrip(".")
        return line[:1].lower() + line[1:]
    return "another" if name == "<lambda>" else name.replace("_", " ")
