"""Uniform error of any map whose products have slopes with two moments."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mehler._validate import positive
from mehler.bounds._bound import (
    Assumption,
    Bound,
    Term,
    require_count,
    require_positive,
    require_probability,
)
from mehler.bounds.kernel_error._knowledge import know
from mehler.bounds.kernel_error._pairs import STATEMENT

_LOG2 = math.log(2)
# Levels tried, and the largest logarithm of a number of pairs: probabilities stay above 1e-300.
_LEVELS, _MOST = 200, 600.0


def log_pairs(k: float, level: Any) -> Any:
    """Compute log T (T + 1), with T (T + 1) twice the number of pairs at a level: both tails."""
    # T + 1 = T (1 + 1/T), so that 2^(k j) need not be a float.
    return 2 * k * _LOG2 * level + np.log1p(np.exp2(-k * level))


def uniform_by_slope(
    m: int, dimension: float, diameter: float, delta: float, slope: Any, told: dict[str, Any]
) -> Bound:
    """Return the smallest sum over levels of the union over pairs and of what is between."""
    (m,) = require_count(n_features=m)
    if dimension != 0:
        require_positive(dimension=dimension)
    require_positive(diameter=diameter)
    require_probability(delta=delta)
    mean, square = _moments(slope)
    known = know(route=None, pool_size=None, rho=None, collision=None, **told)
    # Cantelli: the mean of m slopes exceeds its own by this with probability delta/2 at most.
    beyond = math.sqrt((square - mean**2) * (2 - delta) / (m * delta))
    best: tuple[float, tuple[Term, ...]] = (math.inf, ())
    for level in range(_LEVELS):
        pairs = float(log_pairs(dimension, level)) - _LOG2
        if pairs - math.log(delta) > _MOST:
            break
        net = known.terms(m, delta / 2 * math.exp(-pairs))
        length = diameter * min(1.0, 2.0 ** (1 - level))
        between = Term("between", 2 * length * (2 * mean + beyond), r"2r_J(2E G + s)")
        terms = (*net, between)
        best = min(best, (math.fsum(one.value for one in terms), terms), key=lambda one: one[0])
    return Bound(
        statement=STATEMENT,
        form="proved",
        quantity="largest error of the kernel, all pairs of the set",
        terms=best[1],
        probability=1 - delta,
        assumptions=(
            *known.assumptions,
            Assumption("its doubling dimension is at most this", None, f"{dimension:g}"),
            Assumption("its diameter is at most this", None, f"{diameter:g}"),
            Assumption("slopes of products have these moments", None, f"{mean:g}, {square:g}"),
        ),
        trivial=known.trivial,
    )


def _moments(slope: Any) -> tuple[float, float]:
    """Return E G and E G^2, in this order and possible."""
    if not isinstance(slope, tuple | list) or len(slope) != 2:
        raise ValueError(
            f"slope={slope!r}: give pool_size, or the two moments (E G, E G^2) of the slope"
        )
    mean, square = (positive("slope", one) for one in slope)
    if square < mean**2 * (1 - 1e-12):
        raise ValueError(f"slope={slope!r}: E G^2 is less than the square of E G")
    return mean, max(square, mean**2)
