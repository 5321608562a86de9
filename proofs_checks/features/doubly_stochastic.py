"""The doubly stochastic gradient: its deviation from the minimiser after some steps."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from mehler.bounds import Bound
from mehler.bounds import ridge as bounds
from mehler.statements import Context, Evidence, check

from .._worlds import World, hold_worlds

Bounding = Callable[..., Bound]
_RIDGE, _STEP, _UNITS = 0.5, 0.3, 4


def sizes(n_steps: int) -> Any:
    """Return the sizes of the steps, as the learner takes them."""
    return _STEP / (1 + 0.5 * _RIDGE * _STEP * np.arange(n_steps))


def linear(bound: Bounding) -> Iterator[World]:
    """Losses that are linear, on rows that are equal and of kernel 1.

    Gradients g do not depend on f, and L is as small as one likes. A step is
    f <- (1 - nu gamma) f - gamma g k: the mean square is a sum over steps.
    """
    n_steps = 400
    shrunk = 1 - 2 * _RIDGE * sizes(n_steps)
    after = np.append(np.cumprod(shrunk[::-1])[::-1][1:], 1.0)
    noise = math.sqrt(float(np.sum((sizes(n_steps) * after) ** 2)))

    def promised(steps: int = n_steps, **options: Any) -> float:
        known = {"variance": 0.0, "gradient": 0.0, "norm": 0.0, "n_samples": 1, "rows_per_step": 1}
        return _promised(bound, steps, **{**known, "slope": 1e-12, **options})

    start = float(np.prod(shrunk[:5]))
    yield World("the start", (start, start), promised(5, norm=1.0))
    units = math.hypot(math.sqrt(1e6 / _UNITS) * noise, float(np.prod(shrunk)))
    limit = promised(gradient=1.0, variance=1e6, norm=1.0)
    yield World("units of a large variance", (units, units), limit)
    for total, rows in ((2, 1), (10, 4)):
        # Half of the gradients are 1, half are -1: a mean of some without replacement.
        spread = noise * math.sqrt((total - rows) / (total - 1) / rows)
        limit = promised(gradient=1.0, n_samples=total, rows_per_step=rows)
        yield World(f"{rows} of {total} rows of opposite gradients", (spread, spread), limit)


def squares(bound: Bounding) -> Iterator[World]:
    """Squares on one row of kernel 1 and target 1, with units of a large variance.

    f <- (1 - nu gamma) f - 2 gamma (f - 1) k, where k has the mean 1 and is independent of f.
    """
    best = 2 / (2 * _RIDGE + 2)
    for n_steps, variance in ((3, 1e8), (6, 1e10), (300, 0.1)):
        mean, second = 0.0, 0.0
        for gamma in sizes(n_steps).tolist():
            keep, square = 1 - 2 * _RIDGE * gamma, 1 + variance / _UNITS
            mean, second = (
                keep * mean - 2 * gamma * (mean - 1),
                keep**2 * second
                - 4 * gamma * keep * (second - mean)
                + 4 * gamma**2 * square * (second - 2 * mean + 1),
            )
        seen = math.sqrt(second - 2 * best * mean + best**2)
        limit = _promised(
            bound,
            n_steps,
            variance=variance,
            gradient=2 * (1 - best),
            norm=best,
            n_samples=1,
            rows_per_step=1,
        )
        yield World(f"squares, {n_steps} steps, variance {variance:g}", (seen, seen), limit)


def _promised(bound: Bounding, n_steps: int, **options: Any) -> float:
    found = bound(n_steps, ridge=_RIDGE, step=_STEP, units_per_step=_UNITS, sup=1.0, **options)
    # Sums in another order.
    return float(found.total) * (1 + 1e-9)


@check("features.doubly-stochastic", form="printed", name="worlds where it is tight")
def tight(context: Context, *, bound: Bounding = bounds.doubly_stochastic) -> Evidence:
    """Hold each term, and the slope of the loss, where they are nearly equal to the deviation."""
    return hold_worlds(
        [*linear(bound), *squares(bound)],
        form="printed",
        claim="root mean square deviation from the minimiser",
    )
