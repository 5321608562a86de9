"""The kernel of sampled elements, of n turns in place of all, and the energy distance of orbits."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from mehler._validate import require_integer
from mehler.bounds._arguments import counts, not_negatives, positives, probabilities, require_host
from mehler.bounds._bound import Assumption, Bound, Counts, Floats, Reals, Term
from mehler.bounds._function import bound
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


@bound("group-invariant.elements", _CHANGE, "n_elements")
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
    = (n' - r)/(n' - 1), S about 1 - r/n', and V = (n' - r)/r or 1, if that is less.
    :func:`kernel_error` has a term of the order r^(-1/2) for elements, this is of the order 1/r:
    its terms for the whole group, at half of delta, and this one at the other half bound the same
    error. Term: "elements"; 0 if all elements of the group are drawn. Proof:
    :doc:`/theorems/group-invariant-elements`; arguments: :mod:`mehler.bounds.group_invariant`.

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
        return Bound(
            terms=(Term("elements", scale * rest * mean, r"\kappa wD/r" if np.any(rest) else "0"),),
            assumptions=assumptions,
            quantity=f"{_CHANGE}, mean for one pair",
        )
    chance = probabilities(delta=delta)
    by_range = (np.sqrt(rest * mean) + np.sqrt(2 * moves * size * np.log(rows / chance))) ** 2
    by_spread = 2 * most * mean * np.log(2 * rows / chance)
    latex = r"\frac\kappa r\min\{2VD\log(2N/\delta), (\sqrt{wD} + \sqrt{2SR\log(N/\delta)})^2\}"
    value = scale * np.minimum(by_spread, by_range)
    return Bound(
        terms=(Term("elements", value, latex if np.any(rest) else "0"),),
        probability=1 - chance,
        assumptions=assumptions,
        quantity=f"{_CHANGE}, all pairs",
    )


@bound("group-invariant.rotations", "error of the kernel of all rotations by n turns", "n_turns")
def kernel_change_turns(
    n_turns: Counts,
    *,
    n_inputs: Counts,
    frequency: Counts,
    moves: Reals,
    slips: Reals = 0.0,
    templates: Templates = "sphere",
    epsilon: Reals = 0.3,
) -> Bound:
    r"""Bound how far n turns are from SO(2) in the kernel of endless templates.

    .. math:: \big|E\langle\Phi(x), \Phi(z)\rangle - K_s(x, z)\big| \le
              \kappa L\min\Big\{\frac\pi{2n}, \frac{\pi A}{n^2}\Big\} + 2\kappa\epsilon

    without bins and for any window. :math:`K_s` has the mean over all rotations :math:`R_\theta`,
    an orthogonal representation of SO(2) with frequencies up to A; the features have n maps that
    are meant for the angles :math:`2\pi j/n`. Terms: "turns" and "interpolation", for certain.
    Proof: :doc:`/theorems/group-invariant-rotations`; arguments:
    :mod:`mehler.bounds.group_invariant`.

    Parameters
    ----------
    n_turns, frequency : int or array
        n, and A, the largest frequency.
    moves : float or array
        L, the largest length of :math:`Jx`, in the unit of the rows per radian, for J the
        derivative of :math:`R_\theta` at 0. Of a pair the smaller one.
    slips : float or array, optional
        The epsilon of the formula, the largest mean distance, over the n angles, of a row that is
        moved by the transpose of the map from the rotated image that it stands for. 0 for the group
        itself and rows as they are.

    Examples
    --------
    >>> from mehler.bounds import group_invariant
    >>> setting = {"n_inputs": 64, "frequency": 8, "moves": 1.7}
    >>> group_invariant.kernel_change_turns([4, 16, 64], **setting).value.round(5)
    array([0.03342, 0.00836, 0.00052])
    """
    n, largest = counts(n_turns=n_turns, frequency=frequency)
    moved, slipped = not_negatives(moves=moves, slips=slips)
    slope = slope_of(templates, n_inputs, epsilon)
    mean = moved * np.minimum(np.pi / (2 * n), np.pi * largest / n**2)
    return Bound(
        terms=(
            Term("turns", slope * mean, r"\kappa L\min\{\pi/(2n), \pi A/n^2\}"),
            Term("interpolation", 2 * slope * slipped, r"2\kappa\epsilon"),
        ),
        assumptions=(TEMPLATES,),
    )


@bound("group-invariant.energy-quotient", "energy distance of two orbits")
def energy_distance(distance: Reals, *, moves: Floats | list[float] | None = None) -> Bound:
    r"""Bound the energy distance of two orbits by their least distance.

    .. math:: \mathcal E(x, z) = 2D(x, z) - D(x, x) - D(z, z) \le
              2E_g\Big(\sqrt{m_g^2 + \delta^2} - m_g\Big) \le 2\delta

    with :math:`D(x, z) = E_g|x - gz|`, x and z points of the orbits at their least distance delta,
    and :math:`m_g` how far g moves the point half way between them. For templates of a rotation
    invariant law :math:`\kappa\mathcal E` is the mean squared distance of features. Term:
    "elements". Proof: :doc:`/theorems/group-invariant-energy-quotient`.

    Parameters
    ----------
    distance : float or array
        delta, the least distance of a point of one orbit from one of the other.
    moves : array, shape (n,), optional
        m_g for all elements of a finite group, or an even sample of them; by default 0.

    Examples
    --------
    >>> from mehler.bounds import group_invariant
    >>> bound = group_invariant.energy_distance(1.5, moves=[0.0, 1.0, 2.0])
    >>> round(bound.value, 3), group_invariant.energy_distance(1.5).value
    (1.869, 3.0)
    """
    lengths = np.zeros(1) if moves is None else require_host("moves", moves)
    if lengths.ndim != 1 or lengths.size == 0 or lengths.min() < 0:
        raise ValueError("moves must be lengths, one for each element: at least 0, shape (n,)")
    far = not_negatives(distance=distance)[..., None]
    # The difference of the root and m, without cancellation.
    gaps = np.where(far > 0, far / (np.hypot(lengths, far) + lengths) * far, 0.0)
    latex = r"2E_g(\sqrt{m_g^2 + \delta^2} - m_g)"
    return Bound(
        terms=(Term("elements", 2 * gaps.mean(axis=-1), latex),), assumptions=(ORTHOGONAL,)
    )
