"""The bound at a length and a threshold, and the choice of both."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import optimize, special

from mehler._validate import require_iterable, require_not_negative, require_positive
from mehler.bounds._bound import Assumption, Bound, Term, require_probability
from mehler.bounds.margin._divergence import largest_gap, log_moment

STATEMENT = "features.margin"
THRESHOLDS = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0)
_STEPS = 24

# Share of margin errors at a length and a threshold.
Errors = Callable[[float, float], float]


def best_bound(
    n: int,
    errors: Errors,
    *,
    rough: Errors,
    delta: float,
    scale: float | None,
    thresholds: Any,
) -> Bound:
    """Return the smallest bound over thresholds, and over lengths if none is given.

    `rough` is what a length is first looked for with. Every length is allowed, so that the search
    costs no probability.
    """
    require_probability(delta=delta)
    several = require_iterable("thresholds", thresholds)
    if not several:
        raise ValueError("thresholds is empty: give at least one")
    listed = [require_not_negative(f"thresholds[{i}]", one) for i, one in enumerate(several)]
    confidence = log_moment(n) + math.log(len(listed)) - math.log(delta)
    fixed = None if scale is None else require_positive("scale", scale)

    def total(of: Errors, mu: float, threshold: float) -> float:
        share = min(of(mu, threshold), 1.0)
        largest = share + largest_gap(share, (mu * mu / 2 + confidence) / n)
        return largest / float(special.ndtr(threshold))

    found = [
        (fixed if fixed is not None else _length(total, rough, errors, threshold, n), threshold)
        for threshold in listed
    ]
    mu, threshold = min(found, key=lambda one: total(errors, *one))
    parts = _parts(errors(mu, threshold), mu, threshold, confidence, n)
    formulas = (
        r"\hat e",
        r"\mathrm{kl}^{-1}(\hat e, \mu^2/(2N)) - \hat e",
        r"\mathrm{kl}^{-1}(\hat e, c) - \mathrm{kl}^{-1}(\hat e, \mu^2/(2N))",
        r"(1/\Phi(\theta) - 1)\,\mathrm{kl}^{-1}(\hat e, c)",
    )
    names = ("margin", "weights", "confidence", "threshold")
    return Bound(
        statement=STATEMENT,
        form="proved",
        quantity="probability of a wrong class",
        terms=tuple(Term(*one) for one in zip(names, parts, formulas, strict=True)),
        probability=1 - delta,
        assumptions=(
            Assumption("rows are independent and of one law, that of the risk"),
            Assumption("features and thresholds are chosen without these rows"),
        ),
        trivial=1.0,
    )


def _parts(
    share: float, mu: float, threshold: float, confidence: float, n: int
) -> tuple[float, float, float, float]:
    """Return margin errors, and what weights, confidence and threshold add to them."""
    share = min(share, 1.0)
    weights = largest_gap(share, mu * mu / (2 * n))
    both = largest_gap(share, (mu * mu / 2 + confidence) / n)
    # 1/Phi - 1, without cancellation.
    lost = float(special.ndtr(-threshold) / special.ndtr(threshold))
    return share, weights, both - weights, lost * (share + both)


def _length(
    total: Callable[[Errors, float, float], float],
    rough: Errors,
    errors: Errors,
    threshold: float,
    n: int,
) -> float:
    """Search for the length: on a grid, then between the neighbours of its best point."""
    # Where mu^2/(2N) is 5 nothing below 0.99 is left to say.
    grid = np.linspace(math.log(0.03), 0.5 * math.log(10 * n), _STEPS)
    values = [total(rough, math.exp(one), threshold) for one in grid]
    k = int(np.argmin(values))
    ends = (grid[max(k - 1, 0)], grid[min(k + 1, _STEPS - 1)])
    found = optimize.minimize_scalar(
        lambda one: total(errors, math.exp(one), threshold), bounds=ends, method="bounded"
    )
    return math.exp(float(found.x))
