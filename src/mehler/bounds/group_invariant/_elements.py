"""The kernel of sampled elements, of n turns in place of all, and the energy distance of orbits."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from mehler._validate import require_integer
from mehler.bounds._arguments import counts, positives, probabilities
from mehler.bounds._bound import Assumption, Bound, Counts, Reals, Term, bound
from mehler.exact.orbits import TemplateLaw

Templates = Literal["sphere", "gaussian", "redraw", "zero"]
Rule = Literal["paper", "trapezoid", "midpoint", "dither"]

TEMPLATES = Assumption("the templates are independent, of one rotation-invariant law")
ELEMENTS = Assumption(
    "the elements are shared by all templates: independent Haar draws, or distinct ones that are "
    "drawn evenly from a finite group"
)
ORTHOGONAL = Assumption("the group acts by orthogonal maps")
# Up to here a sum of inverse squares is taken term by term.
_TERMS = 10**6
# Larger integers are not all floats, and the integral is as good as the sum.
_WHOLE = 2**52


def slope_of(templates: Templates, n_inputs: Counts, epsilon: Reals) -> Any:
    """Return kappa of the law of templates."""

    def slope(d: float, margin: float) -> float:
        return TemplateLaw(templates, int(d), margin).slope

    d, margin = counts(n_inputs=n_inputs), positives(epsilon=epsilon)
    return np.vectorize(slope, otypes=[float])(d, margin)[()]


def distinct(n_elements: Counts, group_order: Counts | None) -> tuple[Any, Any, Any]:
    """Return w, S and V of :func:`kernel_change_elements`, 1 for independent elements."""
    r = counts(n_elements=n_elements)
    if group_order is None:
        return np.float64(1.0), np.float64(1.0), np.float64(1.0)

    def factors(drawn: float, order: int) -> tuple[float, float, float]:
        k = int(drawn)
        n = require_integer("group_order", order, least=k)
        return *distinct_factors(k, n), min(k, n - k) / k

    # Orders of groups are far beyond floats.
    orders = np.asarray(group_order, dtype=object)
    rest, moves, most = np.vectorize(factors, otypes=[float] * 3)(r, orders)
    return rest[()], moves[()], most[()]


def distinct_factors(r: int, order: int) -> tuple[float, float]:
    """Return w, and S: the mean square of (n - r)/(n - k) over k <= r, or of the complement's."""
    if r == order:
        return 0.0, 0.0
    rest = order - r
    moves = min(_squared_shares(rest, order), _squared_shares(r, order)) / r
    return rest / (order - 1), moves


def _squared_shares(first: int, end: int) -> float:
    """Bound the sum of (first/j)^2 over first <= j < end from above; midpoints, as it is convex.

    The integral of the rest is a quotient of integers.
    """
    middle, terms = first, 0.0
    if first < _WHOLE:
        middle = min(end, first + _TERMS)
        terms = float(np.sum((first / np.arange(first, middle, dtype=float)) ** 2))
    return terms + 4 * first**2 * (end - middle) / ((2 * middle - 1) * (2 * end - 1))


_CHANGE = "error of the kernel of endless templates by sampled elements"


@bound("group-invariant.elements", _CHANGE, "n_elements", zero=True)
def kernel_change_elements(
    n_elements: Counts,
    *,
    n_inputs: Counts,
    n_rows: Counts = 1,
    delta: Reals | None = None,
    radius: Reals = 1.0,
    spread: Reals | None = None,
    group_order: Counts | None = None,
    templates: Templates = "sphere",
    epsilon: Reals = 0.3,
) -> Bound:
    r"""Bound what r elements in place of the group change in the kernel of endless templates.

    .. math:: \max_{i,j}\big|E_t[\langle\Phi(x_i), \Phi(x_j)\rangle \mid g_1, \dots, g_r] - K_s\big|
              \le \frac\kappa r\min\Big\{2VD\log\tfrac{2N}\delta,
              \Big(\sqrt{wD} + \sqrt{2SR\log\tfrac N\delta}\Big)^2\Big\}

    without bins, with probability 1 - delta; without `delta`, kappa w D/r bounds the mean of its
    absolute value for each pair. V = w = S = 1 for independent elements; for distinct ones of n', w
    = (n' - r)/(n' - 1), S about 1 - r/n', and V = (n' - r)/r or 1, if that is less. Of the order
    1/r, where the term of :func:`kernel_error` is of the order r^(-1/2). Term: "elements"; 0 if all
    elements are drawn. Proof: :doc:`/theorems/group-invariant-elements`; arguments:
    :mod:`mehler.bounds.group_invariant`.

    Parameters
    ----------
    spread : float or array, optional
        D, the largest mean distance E|x - gx| of a row from its orbit; default sqrt(2) R, which it
        is at most.

    Examples
    --------
    >>> from mehler.bounds import group_invariant
    >>> bound = group_invariant.kernel_change_elements(100, n_inputs=6, n_rows=12, delta=0.05)
    >>> round(bound.value, 4)
    0.0296
    """
    r, rows = counts(n_elements=n_elements, n_rows=n_rows)
    size, (rest, moves, most) = positives(radius=radius), distinct(n_elements, group_order)
    mean = np.sqrt(2.0) * size
    if spread is not None:
        mean = np.minimum(positives(spread=spread), mean)
    scale = slope_of(templates, n_inputs, epsilon) / r
    assumptions = (ORTHOGONAL, TEMPLATES, ELEMENTS)
    if delta is None:
        terms = (Term("elements", _rounded_up(scale * rest * mean, rest)),)
        return Bound(terms=terms, assumptions=assumptions, quantity=f"{_CHANGE}, mean for one pair")
    chance = probabilities(delta=delta)
    by_range = (np.sqrt(rest * mean) + np.sqrt(2 * moves * size * np.log(rows / chance))) ** 2
    by_spread = 2 * most * mean * np.log(2 * rows / chance)
    value = scale * np.minimum(by_spread, by_range)
    return Bound(
        terms=(Term("elements", _rounded_up(value, rest)),),
        probability=1 - chance,
        assumptions=assumptions,
        quantity=f"{_CHANGE}, all pairs",
    )


def _rounded_up(value: Any, rest: Any) -> Any:
    """Return what underflows as the least float; 0 where all elements are drawn."""
    return np.where(rest > 0, np.maximum(value, np.nextafter(0.0, 1.0)), value)[()]
