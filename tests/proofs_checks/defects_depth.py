"""A defect for every check of deep networks: a rate, a constant or a case that is wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from mehler.proofs_checks.depth import alike, critical_variance, positive_definite, spectrum

from mehler import exact
from mehler.features.deep import critical_weight_variance


def scaled(function: Callable[..., Any], factor: float) -> Callable[..., Any]:
    """A claimed function times a factor."""
    return lambda *arguments: factor * function(*arguments)


def one_missing(q: int, n: int) -> Any:
    """The coefficients with one that is negative."""
    found = np.array(exact.collision_coefficients(q, n))
    found[30] = -1e-9
    return found


def later_angle(theta: float, depth: int) -> float:
    """The angle of one layer more."""
    return alike.angle_most(theta, depth + 1)


def last_layer(
    method: str, q: int, depth: int, a: float, **variances: float
) -> tuple[float, float]:
    """The constant of one layer, at any depth."""
    return spectrum.leading(method, q, 1, a, **variances)


def without_biases(*network: Any, **variances: float) -> tuple[float, float]:
    """The constants without biases."""
    return spectrum.leading(*network, **(variances | {"bias_variance": 0.0}))


def critical_weights(*network: Any, **variances: float) -> tuple[float, float]:
    """The constants of critical weights."""
    return spectrum.leading(*network, bias_variance=variances.get("bias_variance", 0.0))


def wide_gradient(q: int, width: int, depth: int, w: float) -> float:
    """The square of gradients in the limit, at any width."""
    return w**depth


# (check, what is wrong, the verdict that it must come to)
DEFECTS = [
    (alike.above, {"bound": scaled(alike.most, 0.99)}, "refuted"),
    (alike.below, {"bound": scaled(alike.least, 1.01)}, "refuted"),
    (alike.deep, {"rate": lambda q: 0.99 / exact.sigma2(q)}, "refuted"),
    (alike.pools_of_two, {"bound": scaled(alike.angle_most, 0.99)}, "refuted"),
    (alike.pools_of_two, {"bound": later_angle}, "refuted"),
    (alike.with_biases, {"slope": lambda w: 1.01 * w}, "refuted"),
    (critical_variance.digits, {"value": scaled(critical_weight_variance, 1 + 1e-10)}, "refuted"),
    (critical_variance.kept, {"value": scaled(critical_weight_variance, 1.1)}, "refuted"),
    (
        critical_variance.varies,
        {"claimed": lambda q, n, depth: critical_variance.relative_variance(q, n, depth - 1)},
        "refuted",
    ),
    (critical_variance.gradients, {"factor": lambda q: 1.0}, "refuted"),
    (critical_variance.gradients_of_networks, {"claimed": wide_gradient}, "refuted"),
    (positive_definite.covariance, {"cases": ((2, 1),)}, "refuted"),
    (positive_definite.tangent, {"cases": ((2, 1),)}, "refuted"),
    (positive_definite.covariance_with_biases, {"bias_variance": 0.0}, "refuted"),
    (positive_definite.tangent_with_biases, {"bias_variance": 0.0}, "refuted"),
    (positive_definite.coefficients, {"of": one_missing}, "refuted"),
    (spectrum.tangent, {"slope": scaled(spectrum.kink, 1.02)}, "refuted"),
    (spectrum.tangent, {"claimed": last_layer}, "refuted"),
    (spectrum.tangent, {"claimed": without_biases}, "refuted"),
    (spectrum.covariance, {"slope": scaled(spectrum.kink, 1.02)}, "refuted"),
    (spectrum.covariance, {"claimed": last_layer}, "refuted"),
    (spectrum.covariance, {"claimed": without_biases}, "refuted"),
    (spectrum.kinks, {"slope": scaled(spectrum.kink, 1 + 1e-6)}, "refuted"),
    (spectrum.relu_misses_half, {"q": 3}, "refuted"),
]
