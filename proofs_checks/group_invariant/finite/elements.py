"""Change of the expected kernel where r sampled elements stand for a whole group: of order 1/r.

The kernel is the mean inner product of features of two rows: distribution functions of <t, g x>
over the elements g, t a random vector. Our bounds of the mean change, and of one exceeded with
probability `failure` at most, sharpen Theorem 2 of Mroueh, Voinea and Poggio (2015). They are
compared with instances, where the mean or the probability is exact.
"""

import math
from collections.abc import Iterator
from typing import Any

from scipy import stats

from mehler.bounds import group_invariant
from mehler.statements import Context, Evidence, check

from ..._comparisons import Bounding, Instance, compare_instances

# kappa, the slope of the kernel, for rows of a line and Gaussian templates t: E|t|/2.
_SLOPE = math.sqrt(1 / (2 * math.pi))
# Binomial and hypergeometric tails are right to this part of themselves.
_ROUNDING = 1e-7


def line(bound: Bounding) -> Iterator[Instance]:
    """Yield the change at one row x of a line, whose sign half of a group's elements flip.

    With a fraction p of flips the kernel at (x, x) deviates by kappa (2 p - 1)^2: p is binomial for
    independent elements, hypergeometric for distinct ones. x is 1 from its orbit, +-x, on average.
    """
    options: dict[str, Any] = {"n_inputs": 1, "templates": "gaussian", "spread": 1.0}
    for r, order in ((10**6, None), (30, 40), (30, 60), (59, 60), (7, 10**6)):
        correction = 1.0 if order is None else (order - r) / (order - 1)
        mean = _SLOPE / r * correction
        value = bound(r, group_order=order, **options).value
        yield Instance(f"mean, {r} of {order}", (mean * (1 - 1e-12), mean), value * (1 + 1e-12))
    for r, order, failure in (
        (4 * 10**6, None, 1e-250),
        (10**6, None, 1e-2),
        (10**5, 4 * 10**5, 1e-100),
        (3 * 10**5, 4 * 10**5, 1e-100),
    ):
        value = bound(r, group_order=order, delta=failure, **options).value
        far = math.sqrt(value / _SLOPE) / 2
        law = stats.binom(r, 0.5) if order is None else stats.hypergeom(order, order // 2, r)
        chance = 2 * float(law.sf(math.ceil(r * (0.5 + far)) - 1))
        ends = (chance * (1 - _ROUNDING), chance * (1 + _ROUNDING))
        yield Instance(f"{r} of {order}, failure {failure:g}", ends, failure)
    yield from long_rows(bound)


def long_rows(bound: Bounding) -> Iterator[Instance]:
    """Yield the same for rows of two coordinates: elements flip one, the other is long."""
    for r, order, failure in ((10**5, 4 * 10**5, 1e-100), (3 * 10**5, 4 * 10**5, 1e-100)):
        value = bound(
            r,
            group_order=order,
            delta=failure,
            n_inputs=2,
            templates="gaussian",
            spread=1.0,
            radius=100.0,
        ).value
        # N(0, 1/2) in either coordinate.
        far = math.sqrt(value / _SLOPE * math.sqrt(2)) / 2
        chance = 2 * float(stats.hypergeom(order, order // 2, r).sf(math.ceil(r * (0.5 + far)) - 1))
        ends = (chance * (1 - _ROUNDING), chance * (1 + _ROUNDING))
        yield Instance(f"long rows, {r} of {order}, failure {failure:g}", ends, failure)


@check("group-invariant.elements", form="printed", name="two directions of a line")
def tight(
    context: Context, *, bound: Bounding = group_invariant.kernel_change_elements
) -> Evidence:
    """Compare exact means, and probabilities of a change above the bound, with what it promises."""
    return compare_instances("error of the kernel by elements", *line(bound))
