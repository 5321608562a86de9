"""Theorems 1 and 2: the expected kernel, and its error with templates, elements and bins."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from mehler._validate import require_choice
from mehler.bounds._arguments import counts, positives, probabilities
from mehler.bounds._bound import Assumption, Bound, Counts, Reals, Term, bound, digits
from mehler.bounds.group_invariant._elements import (
    ELEMENTS,
    ORTHOGONAL,
    TEMPLATES,
    Rule,
    Templates,
    distinct,
)
from mehler.exact.orbits import RULES, TemplateLaw

Side = Literal["above", "below"]
# Rules that err by half a bin.
_CENTRED = ("trapezoid", "midpoint")


@bound("group-invariant.theorem-1", "distance of K_s from s - d_G", zero=True)
def kernel_bias(
    n_inputs: Counts, *, epsilon: Reals, side: Side, templates: Literal["zero", "redraw"] = "zero"
) -> Bound:
    r"""Bound the distance of the expected kernel from s - d_G, on unit rows and s = 1 + epsilon.

    .. math:: -\delta_2 \le K_s - (s - d_G) \le \delta_1, \qquad
              d_G = \frac{D}{\sqrt{2\pi d}} \in \Big[0, \frac2{\sqrt{2\pi d}}\Big]

    with the exact gap :math:`(1-q)d_G - (1-p)s`, or :math:`(1-q/p)d_G` for other draws, at its
    worst :math:`d_G`: p and q are the probabilities that :math:`\chi^2` with d and d + 1 degrees of
    freedom is below :math:`d(1+\epsilon)`. Terms: "slope" and "mass". `trivial` is s. Proof:
    :doc:`/theorems/group-invariant-theorem-1`; arguments: :mod:`mehler.bounds.group_invariant`.

    Parameters
    ----------
    n_inputs : int or array
        d, at least 2.

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
    return Bound(
        terms=terms, assumptions=(ORTHOGONAL,), trivial=1.0 + margin, quantity=f"K_s {side} s - d_G"
    )


@bound(
    "group-invariant.theorem-2",
    "largest error of an inner product over all pairs",
    "n_templates",
    "n_bins",
    "n_elements",
)
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

    .. math::

        |\langle\Phi(x_i), \Phi(x_j)\rangle - K_s| \le \frac sn
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
