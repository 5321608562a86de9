"""The inputs, the units and the loss: what the bounds of random maxout features share."""

from __future__ import annotations

import math

from mehler import exact
from mehler.bounds._bound import Assumption

NORMAL = "weights are independent standard normal"
DRAWN = "samples are independent, and weights independent standard normal"
LOSS = "the loss is {lipschitz:g}-Lipschitz in y f(x), with values in [0, {loss_bound:g}]"
MEAN_SQUARE = "inputs have root mean square norm at most {radius:g}"


def log_covering(n_inputs: int, dimension: float, diameter: float, radius: float) -> float:
    """Return the log of the covering number at scale R/sqrt(d): k log^+(2 D sqrt(d) / R)."""
    scaled = 2 * diameter * math.sqrt(n_inputs) / radius
    return dimension * max(0.0, math.log(scaled)) if scaled > 0 else 0.0


def of_inputs(radius: float, dimension: float, diameter: float) -> tuple[Assumption, ...]:
    """Return the assumptions on a set of inputs; no two points are farther apart than 2 R."""
    # A diameter that was computed may exceed twice the norm by rounding.
    fits = diameter <= 2 * radius * (1 + 1e-9)
    return (
        Assumption(
            f"inputs have norm at most {radius:g}, and two of them are at most twice that apart",
            None if fits else False,
            f"diameter {diameter:g}",
        ),
        Assumption(
            "the doubling dimension is that of Definition 2, or larger", None, f"{dimension:g}"
        ),
    )


def root_log(delta: float) -> float:
    """Compute sqrt(2 log(1/delta)), the deviation of a 1-Lipschitz function of a Gaussian."""
    return math.sqrt(2 * math.log(1 / delta))


def unit_size(pool_size: int, centred: bool) -> tuple[float, str]:
    """Compute the root mean square of a unit at a vector of norm 1, and its symbol."""
    mean = exact.max_moment(1, pool_size) if centred else 0.0
    symbol = r"\sqrt{V(q)}" if centred else r"\sigma(q)"
    return math.sqrt(exact.sigma2(pool_size) - mean**2), symbol


def two_lengths(sigma: float, m: int, delta: float) -> float:
    """Bound the sum of the norms of a function of the box and one of the class, C = R = 1.

    In the class the norm is at most sigma; in the box, at most the mean norm of the units, which
    concentrates about at most sigma.
    """
    return 2 * sigma + root_log(delta) / math.sqrt(m)


def covered(
    n_features: int,
    pool_size: int,
    delta: float,
    n_inputs: int,
    dimension: float,
    diameter: float,
    radius: float,
) -> float:
    """Compute M_delta, the supremum by a covering."""
    inside = log_covering(n_inputs, dimension, diameter, radius)
    return 4 * radius * math.sqrt(inside + math.log(2 * n_features * pool_size / delta))
