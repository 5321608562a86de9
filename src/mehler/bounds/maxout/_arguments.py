"""Validate the arguments of the maxout bounds."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from mehler import _validate, exact
from mehler._validate import require_flag
from mehler.bounds._bound import Assumption, missing, require_count, require_positive

Shape = Literal["paper", "dimension-free"]
SHAPES = ("paper", "dimension-free")


@dataclass(frozen=True)
class InputSet:
    """The set of inputs: d, doubling dimension (Definition 2), diameter and largest norm."""

    n_inputs: int
    dimension: float
    diameter: float
    radius: float = 1.0

    @classmethod
    def of(cls, n_inputs: Any, dimension: Any, diameter: Any, radius: Any = 1.0) -> InputSet:
        """Validate the four numbers."""
        absent = {"n_inputs": n_inputs, "dimension": dimension, "diameter": diameter}
        if lacking := [name for name, value in absent.items() if value is None]:
            raise ValueError(
                f"the paper's shape needs {', '.join(lacking)}: give values, or use "
                "shape='dimension-free', which needs none of them"
            )
        (n_inputs,) = require_count(n_inputs=n_inputs)
        require_not_negative(dimension=dimension, diameter=diameter)
        require_positive(radius=radius)
        return cls(int(n_inputs), float(dimension), float(diameter), float(radius))

    @property
    def log_covering(self) -> float:
        """Log of the covering number at scale R/sqrt(d): k log^+(2 D sqrt(d) / R)."""
        scaled = 2 * self.diameter * math.sqrt(self.n_inputs) / self.radius
        return self.dimension * max(0.0, math.log(scaled)) if scaled > 0 else 0.0

    def printed_complexity(self, pool_size: int, delta: float) -> float:
        """Return k log(D sqrt(d) / delta) + log(q + 1), as printed; it may be negative."""
        scaled = self.diameter * math.sqrt(self.n_inputs) / delta
        if self.dimension == 0:
            logarithm = 0.0  # a single point: 0 times the logarithm of 0
        else:
            logarithm = self.dimension * (math.log(scaled) if scaled > 0 else -math.inf)
        return logarithm + math.log(pool_size + 1)

    @property
    def assumptions(self) -> tuple[Assumption, ...]:
        """Assumptions on the set; no two points are farther apart than 2 R."""
        # A diameter that was computed may exceed twice the norm by rounding.
        fits = self.diameter <= 2 * self.radius * (1 + 1e-9)
        return (
            Assumption(
                f"inputs have norm at most {self.radius:g}, and two of them are at most twice "
                "that apart",
                None if fits else False,
                f"diameter {self.diameter:g}",
            ),
            Assumption(
                "the doubling dimension is that of Definition 2, or larger",
                None,
                f"{self.dimension:g}",
            ),
        )


def require_shape(shape: str) -> None:
    """Raise for a shape that is neither the paper's nor dimension-free."""
    if shape not in SHAPES:
        raise ValueError(f"shape={shape!r} is not one of {', '.join(SHAPES)}")


def require_not_negative(**values: Any) -> None:
    """Raise for a number that is not finite and 0 or more, naming the argument."""
    for name, value in values.items():
        _validate.require_not_negative(name, value)


def require_constants(**constants: Any) -> None:
    """Raise unless each constant that the print leaves open is given and above 0."""
    if lacking := [name for name, value in constants.items() if value is None]:
        raise missing(lacking)
    require_positive(**constants)


def refuse(why: str, names: Iterable[str]) -> None:
    """Raise for arguments that the requested form does not take."""
    if listed := ", ".join(names):
        raise ValueError(f"{listed} given, and {why}: leave it out")


def given(**values: Any) -> list[str]:
    """Return the names of the arguments that are not None."""
    return [name for name, value in values.items() if value is not None]


def root_log(delta: float) -> float:
    """Compute sqrt(2 log(1/delta)), the deviation of a 1-Lipschitz function of a Gaussian."""
    return math.sqrt(2 * math.log(1 / delta))


def unit_size(pool_size: int, centred: bool) -> float:
    """Compute the root mean square of a unit at a vector of norm 1, sigma(q) or sqrt(V(q))."""
    mean = exact.max_moment(1, pool_size) if require_flag("centred", centred) else 0.0
    return math.sqrt(exact.sigma2(pool_size) - mean**2)


def two_lengths(sigma: float, m: int, delta: float) -> float:
    """Bound the sum of the norms of a function of the box and one of the class, C = R = 1.

    In the class the norm is at most sigma; in the box, at most the mean norm of the units, which
    concentrates about at most sigma.
    """
    return 2 * sigma + root_log(delta) / math.sqrt(m)
