"""The kernel of sampled elements, of n turns in place of all, and the energy distance of orbits."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mehler._validate import require_integer, require_not_negative, require_positive
from mehler.bounds._bound import Assumption
from mehler.bounds._entries import require_host
from mehler.bounds._function import Formula, bound
from mehler.exact.orbits import TemplateLaw

Templates = Literal["sphere", "gaussian", "redraw", "zero"]
Rule = Literal["paper", "trapezoid", "midpoint", "dither"]

# A margin of squared lengths, not a probability.
DOMAINS = {"epsilon": require_positive}

TEMPLATES = "the templates are independent, of one rotation-invariant law"
ELEMENTS = (
    "the elements are shared by all templates: independent Haar draws, or distinct ones that are "
    "drawn evenly from a finite group"
)
INDEPENDENT_ELEMENTS = "the elements are independent Haar draws"
ORTHOGONAL = "the group acts by orthogonal maps"
SAMPLES = "the samples are independent of each other, of the templates and elements"
LOSS = "the loss is {lipschitz:g}-Lipschitz in the prediction"
UNCLIPPED = "the window {window:g} holds every projection of a row on a template"


def of_elements(n_elements: int | None) -> tuple[Assumption, ...]:
    """Return the assumption on sampled elements; the whole group needs none."""
    return () if n_elements is None else (Assumption(ELEMENTS),)


# Up to here a sum of inverse squares is taken term by term.
_TERMS = 10**6
# Larger integers are not all floats, and the integral is as good as the sum.
_WHOLE = 2**52
_BY_ELEMENTS = "error of the kernel of endless templates by sampled elements"


@bound(
    "group-invariant.elements",
    _BY_ELEMENTS,
    falls_in=("n_elements",),
    assumes=(ORTHOGONAL, TEMPLATES, ELEMENTS),
    domains=DOMAINS,
)
def kernel_change_elements(
    n_elements: int,
    *,
    n_inputs: int,
    n_rows: int = 1,
    delta: float | None = None,
    radius: float = 1.0,
    spread: float | None = None,
    group_order: int | None = None,
    templates: Templates = "sphere",
    epsilon: float = 0.3,
) -> Formula:
    r"""Bound what r elements in place of the group change in the kernel of endless templates.

    .. math:: \max_{i,j}\big|E_t[\langle\Phi(x_i), \Phi(x_j)\rangle \mid g_1, \dots, g_r] - K_s\big|
              \le \frac\kappa r\min\Big\{2VD\log\tfrac{2N}\delta,
              \Big(\sqrt{wD} + \sqrt{2SR\log\tfrac N\delta}\Big)^2\Big\}

    without bins, with probability 1 - delta; without `delta`, kappa w D/r bounds the mean of its
    absolute value for each pair. V = w = S = 1 for independent elements; for distinct ones of n',
    w = (n' - r)/(n' - 1), S about 1 - r/n', and V = (n' - r)/r or 1, if that is less.

    Term: "elements"; 0 if all elements of the group are drawn.

    Parameters
    ----------
    spread : float, optional
        D, the largest mean distance E|x - gx| of a row from its orbit; default sqrt(2) R, which it
        is at most.

    Notes
    -----
    :func:`kernel_error` has a term of the order r^(-1/2) for elements, this is of the order 1/r.
    Its terms for the whole group, at half of delta, and this one at the other half bound the same
    error.

    Examples
    --------
    >>> from mehler.bounds import group_invariant
    >>> bound = group_invariant.kernel_change_elements(100, n_inputs=6, n_rows=12, delta=0.05)
    >>> round(bound.value, 4)
    0.0296
    """
    if group_order is not None:
        require_integer("group_order", group_order, least=n_elements)
    slope = TemplateLaw(templates, n_inputs, epsilon).slope
    longest = math.sqrt(2) * radius
    mean = longest if spread is None else min(spread, longest)
    rest, moves = (1.0, 1.0) if group_order is None else distinct_factors(n_elements, group_order)
    if delta is None:
        terms = {"elements": (slope / n_elements * rest * mean, r"\kappa wD/r" if rest else "0")}
        return Formula(terms, quantity=f"{_BY_ELEMENTS}, mean for one pair")
    reach = math.sqrt(2 * moves * radius * math.log(n_rows / delta))
    by_range = (math.sqrt(rest * mean) + reach) ** 2
    drawn = n_elements if group_order is None else min(n_elements, group_order - n_elements)
    by_spread = 2 * drawn / n_elements * mean * math.log(2 * n_rows / delta)
    terms = {
        "elements": (
            slope / n_elements * min(by_spread, by_range),
            r"\frac\kappa r\min\{2VD\log(2N/\delta), "
            r"(\sqrt{wD} + \sqrt{2SR\log(N/\delta)})^2\}"
            if rest
            else "0",
        )
    }
    return Formula(terms, 1 - delta, quantity=f"{_BY_ELEMENTS}, all pairs")


def distinct_factors(r: int, order: int) -> tuple[float, float]:
    """Return w, and S: the mean square of (n - r)/(n - k) over k <= r, or of the complement's."""
    if r == order:
        return 0.0, 0.0
    rest = order - r
    moves = min(_squared_shares(rest, order), _squared_shares(r, order)) / r
    return rest / (order - 1), moves


def _squared_shares(first: int, end: int) -> float:
    """Bound the sum of (first/j)^2 over first <= j < end from above; midpoints, as it is convex.

    Orders of groups are far beyond floats: the integral of the rest is a quotient of integers.
    """
    middle, terms = first, 0.0
    if first < _WHOLE:
        middle = min(end, first + _TERMS)
        terms = float(np.sum((first / np.arange(first, middle, dtype=float)) ** 2))
    return terms + 4 * first**2 * (end - middle) / ((2 * middle - 1) * (2 * end - 1))


@bound(
    "group-invariant.rotations",
    "error of the kernel of all rotations by n turns",
    falls_in=("n_turns",),
    assumes=(TEMPLATES,),
    domains={**DOMAINS, "moves": require_not_negative},
)
def kernel_change_turns(
    n_turns: int,
    *,
    n_inputs: int,
    frequency: int,
    moves: float,
    slips: float = 0.0,
    templates: Templates = "sphere",
    epsilon: float = 0.3,
) -> Formula:
    r"""Bound how far n turns are from SO(2) in the kernel of endless templates.

    .. math:: \big|E\langle\Phi(x), \Phi(z)\rangle - K_s(x, z)\big| \le
              \kappa L\min\Big\{\frac\pi{2n}, \frac{\pi A}{n^2}\Big\} + 2\kappa\epsilon

    without bins and for any window. :math:`K_s` has the mean over all rotations :math:`R_\theta`,
    an orthogonal representation of SO(2) with frequencies up to A; the features have n maps that
    are meant for the angles :math:`2\pi j/n`.

    Terms: "turns" and "interpolation"; it is certain.

    Parameters
    ----------
    n_turns : int or array
        n.
    frequency : int or array
        A, the largest.
    moves : float
        L, the largest length of :math:`Jx`, in the unit of the rows per radian, for J the
        derivative of :math:`R_\theta` at 0. Of a pair the smaller one.
    slips : float, optional
        The epsilon of the formula, the largest mean distance, over the n angles, of a row that is
        moved by the transpose of the map from the rotated image that it stands for. 0 for the group
        itself and rows as they are.

    Examples
    --------
    >>> from mehler.bounds import group_invariant
    >>> setting = {"n_inputs": 64, "frequency": 8, "moves": 1.7}
    >>> for n in (4, 16, 64):
    ...     print(f"{group_invariant.kernel_change_turns(n, **setting).value:.1e}")
    3.3e-02
    8.4e-03
    5.2e-04
    """
    slope = TemplateLaw(templates, n_inputs, epsilon).slope
    mean = moves * min(math.pi / (2 * n_turns), math.pi * frequency / n_turns**2)
    terms = {
        "turns": (slope * mean, r"\kappa L\min\{\pi/(2n), \pi A/n^2\}"),
        "interpolation": (2 * slope * slips, r"2\kappa\epsilon"),
    }
    return Formula(terms)


def _lengths(name: str, value: Any) -> NDArray[np.float64]:
    """Return lengths, shape (n,)."""
    lengths = require_host(name, value)
    if lengths.ndim != 1 or lengths.size == 0 or lengths.min() < 0:
        raise ValueError(f"{name} must be lengths, one for each element: at least 0, shape (n,)")
    return lengths


@bound(
    "group-invariant.energy-quotient",
    "energy distance of two orbits",
    assumes=(ORTHOGONAL,),
    domains={"moves": _lengths},
)
def energy_distance(distance: float, *, moves: Any = None) -> Formula:
    r"""Bound the energy distance of two orbits by their least distance.

    .. math:: \mathcal E(x, z) = 2D(x, z) - D(x, x) - D(z, z) \le
              2E_g\Big(\sqrt{m_g^2 + \delta^2} - m_g\Big) \le 2\delta

    with :math:`D(x, z) = E_g|x - gz|`, x and z points of the orbits at their least distance delta,
    and :math:`m_g` how far g moves the point half way between them. For templates of a rotation
    invariant law :math:`\kappa\mathcal E` is the mean squared distance of features.

    Term: "elements".

    Parameters
    ----------
    distance : float
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
    lengths = np.zeros(1) if moves is None else moves
    # The difference of the root and m, without cancellation.
    far = np.hypot(lengths, distance)
    gaps = distance / (far + lengths) * distance if distance else 0 * lengths
    return Formula({"elements": (2 * float(np.mean(gaps)), r"2E_g(\sqrt{m_g^2 + \delta^2} - m_g)")})
