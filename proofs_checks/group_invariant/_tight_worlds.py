"""Worlds where bounds of group-invariant features are nearly tight: a line, its two directions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

from scipy import stats

from mehler.bounds import Bound

from .._worlds import World, mean_exceeds

Bounding = Callable[..., Bound]
# So many of anything that its remaining error is negligible in floats.
ENDLESS = 10**40
_FAILURES = (0.3, 1e-3, 1e-15)


def templates(bound: Bounding) -> Iterator[World]:
    """Take one row of a line, no group: the inner product with itself is 1 - <t, x>, t = 1 or -1.

    With d = 10^6 coordinates <t, x> has the variance 1/d, and is normal to any accuracy in a mean.
    """
    for failure in _FAILURES:
        for n_inputs, law in ((None, "sphere"), (10**6, "gaussian"), (10**6, "sphere")):
            value = bound(
                ENDLESS,
                n_bins=ENDLESS**2,
                n_rows=1,
                delta=failure,
                window=1.0,
                n_inputs=n_inputs,
                templates=law,
            ).value
            size = 1.0 if n_inputs is None else n_inputs**-0.5
            t = value / size * math.sqrt(ENDLESS)
            low, high = mean_exceeds(t, ENDLESS)
            name = f"one row, {law} of {'a line' if n_inputs is None else '10^6 coordinates'}"
            yield World(f"{name}, failure {failure:g}", (2 * low, 2 * high), failure)


def all_pairs(bound: Bounding) -> World:
    """Take a thousand orthonormal rows in 10^6 coordinates: independent products in the limit."""
    n, failure = 1000, 1e-3
    value = bound(
        ENDLESS,
        n_bins=ENDLESS**2,
        n_rows=n,
        delta=failure,
        window=1.0,
        n_inputs=10**6,
        templates="gaussian",
    ).value
    low, high = mean_exceeds(value * 1e3 * math.sqrt(ENDLESS), ENDLESS)
    ends = [-math.expm1(n * math.log1p(-2 * min(one, 0.5 - 1e-16))) for one in (low, high)]
    return World("a thousand orthonormal rows", (ends[0], ends[1]), failure)


def elements(bound: Bounding) -> Iterator[World]:
    """Take a line with its two directions, and templates of both: p^2 + (1 - p)^2 for p flips.

    That is off by 2 (p - 1/2)^2, of second order: with one of the templates alone it were 2 p^2.
    """
    for failure in _FAILURES:
        value = bound(
            ENDLESS**2, n_bins=ENDLESS**2, n_rows=1, delta=failure, window=1.0, n_elements=ENDLESS
        ).value
        # p has the standard deviation 1/(2 sqrt r).
        low, high = mean_exceeds(math.sqrt(2 * value * ENDLESS), ENDLESS, third=1.0)
        yield World(f"two directions, failure {failure:g}", (2 * low, 2 * high), failure)


def given_template(bound: Bounding) -> Iterator[World]:
    """Take one template of a line, and elements that act by its two directions, equally often.

    With a share p of flips the mean of maxima is 1 - 2 p^2, 1/2 for the whole group: of first
    order, as no template of the other sign is there. Flips are counted in whole numbers.
    """
    for r, order in ((1000, None), (1000, 2000), (100, 120)):
        ways = [_flipped(k, r, order) for k in range(r + 1)]
        for failure in _FAILURES if r == 100 else (1e-3, 1e-200):
            value = bound(
                1,
                n_bins=1,
                n_rows=1,
                delta=2 * failure,
                window=1.0,
                n_elements=r,
                group_order=order,
            )["elements"]
            far = sum(n for k, n in enumerate(ways) if abs(2 * (k / r) ** 2 - 0.5) > value)
            chance = far / sum(ways)
            name = f"one template, {r} of {order or 'endless'} elements, failure {failure:g}"
            yield World(name, (chance * (1 - 1e-12), chance * (1 + 1e-12)), failure)


def _flipped(k: int, r: int, order: int | None) -> int:
    """Count the draws of r elements of which k flip: of a group of this order, or independent."""
    if order is None:
        return math.comb(r, k)
    return math.comb(order // 2, k) * math.comb(order // 2, r - k)


def binning(bound: Bounding) -> Iterator[World]:
    """Take a line, no group, endless templates, two rows just below and just above a threshold.

    With t = 1 the larger projection is x, with t = -1 it is -z: both lie just below a threshold of
    a right end, or of a middle, and the bins count a whole, or half, a step too much.
    """
    for rule, offset in (("paper", 0.0), ("midpoint", 0.5)):
        n = 10
        x, z = (8 - offset) / n - 1e-9, (4 - offset) / n + 1e-9
        value = bound(ENDLESS, n_bins=n, n_rows=2, delta=0.5, window=1.0, rule=rule).value
        counted = (_steps(max(x, z), n, offset) + _steps(max(-x, -z), n, offset)) / 2
        error = counted - (1.0 - max(x, z) + 1.0 - max(-x, -z)) / 2
        yield World(f"two rows of a line, {rule}", (error - 1e-12, error + 1e-12), value)


def _steps(projection: float, n: int, offset: float) -> float:
    """Sum steps of 1/n at the thresholds (k - offset)/n, -n < k <= n, that it is below."""
    return sum((k - offset) / n >= projection for k in range(1 - n, n + 1)) / n


def falls_short(bound: Bounding, *, events: int, **options: Any) -> Iterator[World]:
    """Take one row of a line, no group: half of the templates see it on the whole window.

    The largest function is s C there, with all weights C; features have 2 s C times the share of
    what is seen, which is half but for a normal deviation. The loss of Theorem 3 ends there.
    """
    for failure in _FAILURES:
        value = bound(
            n_templates=ENDLESS,
            n_bins=ENDLESS**2,
            window=1.0,
            scale=1.0,
            delta=failure / events,
            **options,
        ).value
        yield World(
            f"templates that see half, failure {failure:g}",
            mean_exceeds(value * math.sqrt(ENDLESS), ENDLESS, third=1.0),
            failure,
        )


def unseen(bound: Bounding, *, events: int, both: bool = False, **options: Any) -> Iterator[World]:
    """Take a sample of the line's two directions, of which half see the row.

    With `both`, where the risk is on x and -x: one of them falls short, and counts half.
    """
    for failure in _FAILURES:
        value = bound(
            n_templates=ENDLESS**2,
            n_bins=ENDLESS**2,
            window=1.0,
            scale=1.0,
            delta=failure / events,
            n_elements=ENDLESS,
            **options,
        ).value
        sides = 2 if both else 1
        low, high = mean_exceeds(sides * value * math.sqrt(ENDLESS), ENDLESS, third=1.0)
        yield World(
            f"elements that see half, failure {failure:g}", (sides * low, sides * high), failure
        )


def same_cell(bound: Bounding, *, events: int, **options: Any) -> World:
    """Take two rows of a line whose projections share their cells, no group: equal features.

    Half of the templates see the one projection, half the other, and both stay in a cell. Functions
    of the class differ by up to C h at the rows, so that one of them is C h/2 away from all equal
    values, in the mean over both rows and in L2; the loss of Theorem 3 with a label of each sign is
    as much larger.
    """
    n, failure = 10, 1e-3
    value = bound(
        n_templates=ENDLESS,
        n_bins=n,
        window=1.0,
        scale=1.0,
        delta=failure / events,
        **options,
    ).value
    far = 1 / n / 2
    # The rows are nearly a cell apart.
    return World("two rows of a cell", (far * (1 - 1e-9), far), value)


def wrong_sign(bound: Bounding) -> Iterator[World]:
    """Take one row of a line, V(u) = -u, labels of bias b: a wrong sign loses 2 s C b."""
    n = 10**6
    for failure in (1e-3, 1e-6, 1e-12):
        value = bound(
            n,
            n_templates=ENDLESS,
            n_bins=ENDLESS**2,
            window=1.0,
            scale=1.0,
            lipschitz=1.0,
            delta=failure / 3,
        ).value
        low, high = (
            float(stats.binom.cdf((n - 1) // 2, n, (1 + min(1.0, bias)) / 2))
            for bias in (value / 2 * (1 + 1e-9), value / 2)
        )
        yield World(f"one row, wrong sign, failure {failure:g}", (low, high), failure)


def largest_distance(bound: Bounding) -> Iterator[World]:
    """Take elements whose projections have no ties: their Kolmogorov distance (Theorem 4)."""
    for failure in (0.5, 0.05, 1e-6):
        for r in (1, 10, 10_000):
            chance = float(stats.kstwo.sf(bound(r, delta=failure).value, r))
            yield World(
                f"{r} elements, failure {failure:g}",
                (chance * (1 - 1e-9), chance * (1 + 1e-9)),
                failure,
            )
