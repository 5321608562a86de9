r"""Bounds on kernel error, approximation and risk of group-invariant features.

A feature (Mroueh, Voinea and Poggio 2015) counts how many of the r projections :math:`\langle t,
g_i^{-1} x\rangle` of a row are below a threshold: for m random vectors t, the templates; elements
:math:`g_i` of a group of orthogonal maps; n thresholds a side, the bins, in a window [-s, s]. As m
and n grow, inner products of the features :math:`\Phi` tend to the kernel :math:`K_s(x, z) = s -
\kappa E_{g,h}|gx - hz|`, :math:`\kappa = E|t_1|/2`. Arguments broadcast, and are mostly the same:

n_templates, n_bins, n_samples, n_rows : int or array
    m, n, the number of samples N of a learner, and of the rows N whose pairs are compared.
n_elements : int or array, optional
    r elements, the same for all templates, independent or distinct; default the whole group.
group_order : int, optional
    n', of a finite group of which distinct elements are drawn, as the map does by default. Not
    given, the bound is that of independent ones, which is true of both.
n_inputs : int or array
    d, the dimension of the rows.
spread : float or array, optional
    D, the largest mean distance E|x - gx| of a row from its orbit; by default sqrt(2) R, its limit.
window, radius : float
    s, and R, the largest norm of a row.
templates : {"sphere", "gaussian", "redraw", "zero"}
    Uniform on the sphere; N(0, I/d); N(0, I/d) given that the squared length is below
    :math:`1 + \epsilon`; the same with features of zero in place of another draw.
epsilon : float
    The margin of the last two.
side : {"above", "below"}
    :math:`\delta_1` or :math:`\delta_2` of Theorem 1.
rule : {"paper", "trapezoid", "midpoint", "dither"}
    Binning rule, as :class:`mehler.exact.orbits.Bins` has it.
scale, lipschitz : float
    C: weights are at most C/m, and at most C times the density of templates in the infinite class;
    L: the loss is L-Lipschitz in the prediction.
delta : float or array
    Probability of one event; each function says how many of them it excludes.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from mehler._validate import require_choice, require_integer
from mehler.bounds._arguments import counts, positives, probabilities
from mehler.bounds._bound import Assumption, Bound, Counts, Reals, Term, bound, digits
from mehler.exact.orbits import RULES, TemplateLaw

__all__ = [
    "approximation",
    "cdf_error",
    "excess_risk",
    "kernel_bias",
    "kernel_change_elements",
    "kernel_error",
]

Templates = Literal["sphere", "gaussian", "redraw", "zero"]
Rule = Literal["paper", "trapezoid", "midpoint", "dither"]
Side = Literal["above", "below"]
# What most bounds fall in.
_SIZES = ("n_templates", "n_bins", "n_elements")
# Rules that err by half a bin.
_CENTRED = ("trapezoid", "midpoint")

TEMPLATES = Assumption("the templates are independent, of one rotation-invariant law")
ELEMENTS = Assumption(
    "the elements are shared by all templates: independent Haar draws, or distinct ones that are "
    "drawn evenly from a finite group"
)
_SAMPLES = Assumption("the samples are independent of each other, of the templates and elements")
ORTHOGONAL = Assumption("the group acts by orthogonal maps")
# Terms of a sum of inverse squares that are added one by one; an integral bounds the others.
_TERMS = 10**6
# Not all larger integers are floats: the integral bounds all terms.
_WHOLE = 2**52


def slope_of(templates: Templates, n_inputs: Counts, epsilon: Reals) -> Any:
    """Return kappa, the slope of the kernel in the distance, for a law of templates."""

    def slope(d: float, margin: float) -> float:
        return TemplateLaw(templates, int(d), margin).slope

    d, margin = counts(n_inputs=n_inputs), positives(epsilon=epsilon)
    return np.vectorize(slope, otypes=[float])(d, margin)[()]


def distinct(n_elements: Counts, group_order: Counts | None) -> tuple[Any, Any, Any]:
    """Return w, S and V of :func:`kernel_change_elements`, 1 unless elements are distinct."""
    r = counts(n_elements=n_elements)
    if group_order is None:
        return np.float64(1.0), np.float64(1.0), np.float64(1.0)

    def factors(n_elements: float, order: int) -> tuple[float, float, float]:
        k = int(n_elements)
        n = require_integer("group_order", order, least=k)
        return *distinct_factors(k, n), min(k, n - k) / k

    # Orders of groups are far beyond floats.
    orders = np.asarray(group_order, dtype=object)
    rest, moves, most = np.vectorize(factors, otypes=[float] * 3)(r, orders)
    return rest[()], moves[()], most[()]


def distinct_factors(r: int, order: int) -> tuple[float, float]:
    """Return w and S; S is the mean square of (n - r)/(n - k) over k <= r, or with n - r for r."""
    if r == order:
        return 0.0, 0.0
    rest = order - r
    moves = min(_squared_shares(rest, order), _squared_shares(r, order)) / r
    return rest / (order - 1), moves


def _squared_shares(first: int, end: int) -> float:
    """Bound the sum of (first/j)^2 over first <= j < end, its rest by an integral of midpoints."""
    middle, terms = first, 0.0
    if first < _WHOLE:
        middle = min(end, first + _TERMS)
        terms = float(np.sum((first / np.arange(first, middle, dtype=float)) ** 2))
    return terms + 4 * first**2 * (end - middle) / ((2 * middle - 1) * (2 * end - 1))


_CHANGE = "error of the kernel of endless templates by sampled elements"  # m and n infinite


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
    r"""Bound the change in the kernel of infinitely many templates by r elements of the group.

    .. math:: \max_{i,j}\big|E_t[\langle\Phi(x_i), \Phi(x_j)\rangle \mid g_1, \dots, g_r] - K_s\big|
              \le \frac\kappa r\min\Big\{2VD\log\tfrac{2N}\delta,
              \Big(\sqrt{wD} + \sqrt{2SR\log\tfrac N\delta}\Big)^2\Big\}

    without bins, with probability 1 - delta; without `delta`, kappa w D/r bounds the mean of its
    absolute value for each pair. V = w = S = 1 for independent elements; for distinct ones of n', w
    = (n' - r)/(n' - 1), S about 1 - r/n', and V = (n' - r)/r or 1, if that is less. Of the order
    1/r, where the term of :func:`kernel_error` is of the order r^(-1/2). Term: "elements"; 0 if all
    elements are drawn. Proof: :doc:`/theorems/group-invariant-elements`; arguments:
    :mod:`mehler.bounds.group_invariant`.

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
    terms = (Term("elements", _rounded_up(scale * np.minimum(by_spread, by_range), rest)),)
    name, sure = f"{_CHANGE}, all pairs", 1 - chance
    return Bound(terms=terms, probability=sure, assumptions=assumptions, quantity=name)


def _rounded_up(value: Any, rest: Any) -> Any:
    """Round an underflow up to the smallest float; 0 where all elements are drawn."""
    return np.where(rest > 0, np.maximum(value, np.nextafter(0.0, 1.0)), value)[()]


@bound("group-invariant.theorem-1", "distance of K_s from s - d_G", zero=True)
def kernel_bias(
    n_inputs: Counts, *, epsilon: Reals, side: Side, templates: Literal["zero", "redraw"] = "zero"
) -> Bound:
    r"""Bound the distance of K_s from the paper's s - d_G, on unit rows and s = 1 + epsilon.

    .. math:: -\delta_2 \le K_s - (s - d_G) \le \delta_1, \qquad
              d_G = \frac{D}{\sqrt{2\pi d}} \in \Big[0, \frac2{\sqrt{2\pi d}}\Big]

    for d of at least 2, with the exact gap :math:`(1-q)d_G - (1-p)s`, or :math:`(1-q/p)d_G` with
    'redraw', at the worst :math:`d_G`: p and q are the probabilities that :math:`\chi^2` with d and
    d + 1 degrees of freedom is below :math:`d(1+\epsilon)`. Terms: "slope" and "mass". `trivial` is
    s. Proof: :doc:`/theorems/group-invariant-theorem-1`; arguments:
    :mod:`mehler.bounds.group_invariant`.

    Examples
    --------
    >>> from mehler.bounds import group_invariant
    >>> at = {"epsilon": 0.1, "side": "above", "templates": "redraw"}
    >>> round(group_invariant.kernel_bias(40, **at).value, 4)
    0.0072
    """
    require_choice("side", side, ("above", "below"))
    redrawn = require_choice("templates", templates, ("zero", "redraw")) == "redraw"
    d, margin = counts(n_inputs=n_inputs), positives(epsilon=epsilon)

    def parts(inputs: float, above: float) -> tuple[float, float]:
        law = TemplateLaw(templates, int(inputs), above)
        unit = 1.0 / math.sqrt(2.0 * math.pi * inputs)
        return law.slope / unit, (1.0 - law.mass) * (1.0 + above)

    ratio, lost = np.vectorize(parts, otypes=[float, float])(d, margin)
    # Differences from 1 are right to this; that of a ratio of probabilities may come out below 0.
    least = 2.0**-52
    if side == "above":
        slope = np.maximum(1.0 - ratio, least) * 2.0 * (1.0 / np.sqrt(2.0 * np.pi * d))
        terms = (Term("slope", slope), Term("mass", -lost))
    else:
        mass = 0.0 * lost if redrawn else np.maximum(lost, least * (1.0 + margin))
        terms = Term("slope", 0.0), Term("mass", mass)
    name, most = f"K_s {side} s - d_G", 1.0 + margin
    return Bound(terms=terms, assumptions=(ORTHOGONAL,), trivial=most, quantity=name)


@bound("group-invariant.theorem-2", "largest error of an inner product over all pairs", *_SIZES)
def kernel_error(
    n_templates: Counts,
    *,
    n_bins: Counts,
    n_rows: Counts,
    delta: Reals,
    window: Reals,
    radius: Reals = 1.0,
    n_elements: Counts | None = None,
    group_order: Counts | None = None,
    templates: Templates = "sphere",
    n_inputs: Counts | None = None,
    epsilon: Reals = 0.3,
    rule: Rule = "paper",
) -> Bound:
    r"""Bound the largest error of <Phi(x_i), Phi(x_j)> over all pairs of N rows.

    .. math:: |\langle\Phi(x_i), \Phi(x_j)\rangle - K_s| \le \frac sn
                  + \rho\sqrt{\tfrac2m\log\tfrac{4P}\delta}
                  + \frac{2w\rho}r + \rho\sqrt{\tfrac{8S}r\log\tfrac{4P}\delta}, \qquad
                  P = \tfrac{N(N+1)}2

    with probability 1 - delta, rho the largest projection. w = S = 1 for independent elements; for
    distinct ones w = (n' - r)/(n' - 1) and S about 1 - r/n'. With the whole group the terms in r
    vanish and 2P stands for 4P. With `n_inputs` the second term is
    :math:`R\sqrt{\frac2{md'}\log\frac{4P}\delta}`, d' = d - 1 for the sphere and d for the others.
    Features of zero for rejected templates take (s + rho)/2 for rho there. Terms: "binning",
    "templates" and, for a sample, "elements". `trivial` is 2 s. Proof:
    :doc:`/theorems/group-invariant-theorem-2`; arguments: :mod:`mehler.bounds.group_invariant`.

    Parameters
    ----------
    templates
        Projections of 'gaussian' are unbounded, so it needs `n_inputs` and the whole
        group, and assumes that the window clips nothing.
    n_inputs : int or array, optional
        d: use that products are Lipschitz in the template. Not for 'zero', which jumps.
    rule
        The first term is half as large for 'trapezoid' and 'midpoint'.

    Examples
    --------
    >>> from mehler.bounds import group_invariant
    >>> setting = {"n_bins": 14, "n_rows": 12, "delta": 0.1, "window": 1.3, "templates": "redraw"}
    >>> bound = group_invariant.kernel_error(2092, **setting)
    >>> round(bound["templates"], 3), round(bound["binning"], 3)
    (0.096, 0.093)
    """
    m, n, rows = counts(n_templates=n_templates, n_bins=n_bins, n_rows=n_rows)
    s, size, margin = positives(window=window, radius=radius, epsilon=epsilon)
    half = 0.5 if require_choice("rule", rule, RULES) in _CENTRED else 1.0
    chance, across = probabilities(delta=delta), None
    if group_order is not None and n_elements is None:
        raise ValueError("group_order is for distinct elements of a group: give n_elements")
    rest, moves = (0.0, 0.0) if n_elements is None else distinct(n_elements, group_order)[:2]
    log = np.log(np.where(rest == 0, 1.0, 2.0) * rows * (rows + 1) / chance)
    if n_inputs is not None:
        d = counts(n_inputs=n_inputs)
        if templates == "zero":
            raise ValueError("templates='zero' jump when one is rejected: leave n_inputs out")
        across = d - 1 if templates == "sphere" else d
    law = TemplateLaw(templates, 2)
    for inputs in np.unique(2 if n_inputs is None else d):
        TemplateLaw(templates, int(inputs))
    rho = size * (np.sqrt(1.0 + margin) if law.truncated else law.reach)
    if across is not None:
        scatter = size * np.sqrt(2.0 * log / (m * across))
    elif templates == "gaussian":
        raise ValueError("templates='gaussian' have no largest projection: give n_inputs")
    elif templates == "zero":
        # Products lie in [s - rho, s + rho], or are 0: half the range.
        scatter = 0.5 * (s + rho) * np.sqrt(2.0 * log / m)
    else:
        scatter = rho * np.sqrt(2.0 * log / m)
    terms = [Term("binning", half * s / n), Term("templates", scatter)]
    assumptions = [ORTHOGONAL, TEMPLATES]
    if n_elements is not None:
        if templates == "gaussian" and np.any(rest):
            raise ValueError("templates='gaussian' have no largest projection: n_elements=None")
        r = counts(n_elements=n_elements)
        value = 2.0 * rest * rho / r + rho * np.sqrt(8.0 * moves * log / r)
        terms.append(Term("elements", np.where(rest == 0, 0.0, value)))
        assumptions.append(ELEMENTS)
    if templates != "gaussian":
        text = "the window holds every projection of a row on a template"
        sizes = f"window {digits(s)}, largest projection {digits(rho)}"
        assumptions.append(Assumption(text, s >= rho * (1 - 1e-12), sizes))
    return Bound(
        terms=tuple(terms), probability=1 - chance, assumptions=tuple(assumptions), trivial=2.0 * s
    )


@bound("group-invariant.lemma-4", "L2 distance to weights of at most C/m", *_SIZES)
def approximation(
    n_templates: Counts,
    *,
    n_bins: Counts,
    window: Reals,
    scale: Reals,
    delta: Reals,
    n_elements: Counts | None = None,
) -> Bound:
    r"""Bound the L2 distance from a function f of the infinite class to combinations of features.

    .. math:: \|f - \tilde f\| \le \frac{2sC}{\sqrt m}\Big(1 + \sqrt{2\log\tfrac1\delta}\Big)
              + \frac{2sC}{\sqrt r}\Big(1 + \sqrt{2\log\tfrac1\delta}\Big) + \frac{sC}n

    with probability at least 1 - 2 delta, for f the integral of features with weights of at most C
    times the density of templates, and :math:`\tilde f` a sum of features with weights of at most
    C/m. With the whole group the term in r vanishes: 1 - delta. Terms: "templates", "elements" (of
    a sample) and "binning". `trivial` is 2 s C. Proof: :doc:`/theorems/group-invariant-lemma-4`;
    arguments: :mod:`mehler.bounds.group_invariant`.

    Examples
    --------
    >>> from mehler.bounds import group_invariant
    >>> bound = group_invariant.approximation(100, n_bins=10, window=1.0, scale=1.0, delta=0.05)
    >>> round(bound.value, 3), bound.probability
    (0.79, 0.95)
    """
    s, weight = positives(window=window, scale=scale)
    chance = probabilities(delta=delta)
    text = f"the window {digits(s)} holds every projection of a row on a template"
    return Bound(
        terms=_distances(n_templates, n_bins, n_elements, 2.0 * s * weight, chance),
        probability=1 - (1 if n_elements is None else 2) * chance,
        assumptions=(TEMPLATES, Assumption(text), *(() if n_elements is None else (ELEMENTS,))),
        trivial=2.0 * s * weight,
    )


def _distances(
    n_templates: Counts, n_bins: Counts, n_elements: Counts | None, size: Any, delta: Any
) -> tuple[Term, ...]:
    """Return the terms of :func:`approximation`; `size` is 2 s C."""
    m, n = counts(n_templates=n_templates, n_bins=n_bins)
    root = 1.0 + np.sqrt(-2.0 * np.log(delta))
    terms = [Term("templates", size * root / np.sqrt(m))]
    if n_elements is not None:
        value = size * root / np.sqrt(counts(n_elements=n_elements))
        terms.append(Term("elements", value))
    return (*terms, Term("binning", 0.5 * size / n))


@bound("group-invariant.theorem-3", "excess risk of the empirical minimiser", "n_samples", *_SIZES)
def excess_risk(
    n_samples: Counts,
    *,
    n_templates: Counts,
    n_bins: Counts,
    window: Reals,
    scale: Reals,
    lipschitz: Reals,
    delta: Reals,
    n_elements: Counts | None = None,
) -> Bound:
    r"""Bound the excess risk of the empirical minimiser over weights of at most C/m.

    .. math:: \mathcal E(f_N) - \inf_{\mathcal F_p}\mathcal E \le
                  \frac{4LsC}{\sqrt N}\Big(1 + \sqrt{2\log\tfrac1\delta}\Big)
                  + \frac{2sLC}{\sqrt m}\Big(1 + \sqrt{2\log\tfrac1\delta}\Big)
                  + \frac{4sLC}{\sqrt r}\Big(1 + \sqrt{2\log\tfrac1\delta}\Big) + \frac{sLC}n

    with probability at least 1 - 5 delta, for the minimiser :math:`f_N` of the mean loss over N
    samples, one row of an orbit each, and the infinite class :math:`\mathcal F_p`, of f as in
    :func:`approximation`. With the whole group the term in r vanishes: 1 - 3 delta. Terms:
    "statistical", "confidence", "templates", "elements" (of a sample) and "binning". `trivial` is 4
    L s C, the range of the loss. Proof: :doc:`/theorems/group-invariant-theorem-3`; arguments:
    :mod:`mehler.bounds.group_invariant`.

    Examples
    --------
    >>> from mehler.bounds import group_invariant
    >>> bound = group_invariant.excess_risk(10**6, n_templates=10**6, n_bins=100, window=1.0,
    ...                                     scale=1.0, lipschitz=1.0, delta=0.01)
    >>> round(bound.value, 4), bound.probability
    (0.0342, 0.97)
    """
    n, chance = counts(n_samples=n_samples), probabilities(delta=delta)
    s, weight, steep = positives(window=window, scale=scale, lipschitz=lipschitz)
    size, root = steep * s * weight, np.sqrt(n)
    deviation = np.sqrt(-2.0 * np.log(chance))
    statistical = Term("statistical", 4.0 * size / root)
    terms = [statistical, Term("confidence", 4.0 * size * deviation / root)]
    for term in _distances(n_templates, n_bins, n_elements, 2.0 * s * weight, chance):
        # Sampled elements make no invariant functions: risks at one row of each orbit and at all
        # rows differ by as much again.
        factor = 2.0 if term.name == "elements" else 1.0
        terms.append(Term(term.name, steep * factor * term.value))
    text = f"the window {digits(s)} holds every projection of a row on a template"
    loss = Assumption(f"the loss is {digits(steep)}-Lipschitz in the prediction")
    elements = () if n_elements is None else (ELEMENTS,)
    return Bound(
        terms=tuple(terms),
        probability=1 - (3 if n_elements is None else 5) * chance,
        assumptions=(TEMPLATES, Assumption(text), _SAMPLES, loss, *elements),
        trivial=4.0 * size,
    )


@bound("group-invariant.theorem-4", "largest error of a distribution function", "n_elements")
def cdf_error(n_elements: Counts, *, delta: Reals) -> Bound:
    r"""Bound the largest error of a distribution function over r independent elements.

    .. math:: \sup_\tau|\hat\psi(x, t, \tau) - \psi(x, t, \tau)| \le
              \sqrt{\frac1{2r}\log\frac2\delta}

    with probability at least 1 - delta, for psi the chance of a projection of one row x on one
    template t below the threshold tau, and its share among the r elements. Term: "confidence".
    `trivial` is 1. Proof: :doc:`/theorems/group-invariant-theorem-4`; arguments:
    :mod:`mehler.bounds.group_invariant`.

    Examples
    --------
    >>> from mehler.bounds import group_invariant
    >>> round(group_invariant.cdf_error(50, delta=0.05).value, 4)
    0.1921
    """
    r, chance = counts(n_elements=n_elements), probabilities(delta=delta)
    assumptions = (Assumption("the elements are independent Haar draws"),)
    terms = (Term("confidence", np.sqrt(np.log(2.0 / chance) / (2.0 * r))),)
    return Bound(terms=terms, probability=1 - chance, assumptions=assumptions, trivial=1.0)
