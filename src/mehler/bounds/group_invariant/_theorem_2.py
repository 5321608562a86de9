"""Theorem 2: the error of inner products at finite templates, elements and bins, for all pairs."""

from __future__ import annotations

import math

from mehler._validate import require_integer
from mehler.bounds._bound import (
    Bound,
    Form,
    Term,
    missing,
    require_count,
    require_form,
    require_positive,
    require_probability,
)
from mehler.bounds._elementwise import elementwise
from mehler.bounds.group_invariant._assumptions import ELEMENTS, ORTHOGONAL, TEMPLATES, inside
from mehler.bounds.group_invariant._distinct import distinct_factors
from mehler.exact.orbits import RULES, TemplateLaw


@elementwise
def theorem_2(
    n_templates: int,
    *,
    n_bins: int,
    n_points: int,
    delta: float,
    window: float,
    radius: float = 1.0,
    n_elements: int | None = None,
    group_order: int | None = None,
    templates: str = "sphere",
    n_inputs: int | None = None,
    epsilon: float = 0.3,
    rule: str = "paper",
    form: Form = "proved",
    c1: float | None = None,
    c2: float | None = None,
) -> Bound:
    r"""Bound the largest error of <Phi(x_i), Phi(x_j)> over all pairs of N rows.

    .. math::

        |\langle\Phi(x_i), \Phi(x_j)\rangle - K_s| \le \frac sn
            + \rho\sqrt{\tfrac2m\log\tfrac{4P}\delta}
            + \frac{2w\rho}r + \rho\sqrt{\tfrac{8S}r\log\tfrac{4P}\delta}, \qquad
            P = \tfrac{N(N+1)}2

    with probability 1 - delta, rho the largest projection. w = S = 1 for independent elements; for
    distinct ones of a group of order n', w = (n' - r)/(n' - 1) and S about 1 - r/n'. With the whole
    group the terms in r vanish and 2P stands for 4P. With `n_inputs` the second term is
    :math:`R\sqrt{\frac2{md'}\log\frac{4P}\delta}`, d' = d - 1 for the sphere and d for the others.
    Features of zero for rejected templates take (s + rho)/2 for rho there.

    Parameters
    ----------
    n_templates, n_bins, n_points : int
        Templates m, bins n and rows N.
    delta : float or array
        Failure probability; as printed, its square root.
    window, radius : float
        Window s, and R, the largest norm of a row.
    n_elements : int or array, optional
        r elements, the same for all templates, independent or distinct ones of a finite group;
        default the whole group.
    group_order : int, optional
        n', of a finite group of which distinct elements are drawn, as the map does by default. Not
        given, the bound is that of independent ones, which is true of both. Not as printed.
    templates : {"sphere", "gaussian", "redraw", "zero"}
        Distribution of the templates. Projections of 'gaussian' are unbounded, so it needs
        `n_inputs` and the whole group, and assumes that the window clips nothing.
    n_inputs : int, optional
        d: use that products are Lipschitz in the template. Not for 'zero', which jumps.
    epsilon : float or array
        Margin of 'redraw' and 'zero'.
    rule : {"paper", "trapezoid", "midpoint", "dither"}
        Binning rule: s/n for 'paper' and 'dither', half of it for the others.
    form : {"proved", "printed"}
        "printed", as recalled: the largest of 1/n, sqrt(c1 log(N/delta)/m) and
        sqrt(c2 log(N m/delta)/r), with probability 1 - delta^2.
    c1, c2 : float, optional
        The constants that the print leaves unnamed; c2 only with `n_elements`.

    Returns
    -------
    Bound
        Terms "binning", "templates" and, for a sample, "elements"; as printed "largest". `trivial`
        is 2 s.

    See Also
    --------
    theorem_2_templates : The least number of templates.
    theorem_2_sizes : Sufficient bins, templates and elements.

    References
    ----------
    Mroueh, Voinea, Poggio (2015), Theorem 2; :doc:`/theorems/group-invariant-theorem-2`.

    Examples
    --------
    >>> bound = theorem_2(2092, n_bins=14, n_points=12, delta=0.1, window=1.3, templates="redraw")
    >>> round(bound["templates"], 3), round(bound["binning"], 3)
    (0.096, 0.093)

    Fifty distinct elements of sixty, and fifty independent ones:

    >>> known = {"n_bins": 14, "n_points": 12, "delta": 0.1, "window": 1.0, "n_elements": 50}
    >>> for order in (60, None):
    ...     print(round(theorem_2(2092, group_order=order, **known)["elements"], 3))
    0.474
    1.175
    """
    require_form(form)
    n_templates, n_bins, n_points = require_count(
        n_templates=n_templates, n_bins=n_bins, n_points=n_points
    )
    require_positive(window=window, radius=radius)
    require_probability(delta=delta)
    if n_elements is not None:
        (n_elements,) = require_count(n_elements=n_elements)
    if group_order is not None:
        if n_elements is None or form == "printed":
            raise ValueError("group_order is for the proved form, with n_elements of the group")
        group_order = require_integer("group_order", group_order, least=n_elements)
    if rule not in RULES:
        raise ValueError(f"rule={rule!r} is not one of {', '.join(RULES)}")
    law = TemplateLaw(templates, 2 if n_inputs is None else n_inputs, epsilon)
    terms: tuple[Term, ...]
    if form == "printed":
        terms = (_printed(n_templates, n_bins, n_points, delta, n_elements, c1, c2),)
        probability = 1 - delta**2
    else:
        whole = n_elements is None or n_elements == group_order
        log = math.log((1.0 if whole else 2.0) * n_points * (n_points + 1) / delta)
        terms = _proved(law, n_templates, n_bins, log, window, radius, n_inputs, rule)
        if n_elements is not None:
            terms += (_elements(radius * law.reach, n_elements, group_order, log),)
        probability = 1 - delta
    assumptions = [ORTHOGONAL, TEMPLATES]
    if n_elements is not None:
        assumptions.append(ELEMENTS)
    if math.isfinite(law.reach):
        assumptions.append(inside(window, radius, law.reach))
    return Bound(
        statement="group-invariant.theorem-2",
        form=form,
        quantity="largest error of an inner product over all pairs",
        terms=terms,
        probability=probability,
        assumptions=tuple(assumptions),
        trivial=2.0 * window,
    )


def _printed(
    m: int, n: int, points: int, delta: float, r: int | None, c1: float | None, c2: float | None
) -> Term:
    named = {"c1": c1} if r is None else {"c1": c1, "c2": c2}
    absent = [name for name, value in named.items() if value is None]
    if absent or c1 is None:
        raise missing(absent)
    require_positive(**named)
    parts = [1.0 / n, math.sqrt(c1 * math.log(points / delta) / m)]
    if r is not None and c2 is not None:
        parts.append(math.sqrt(c2 * math.log(points * m / delta) / r))
    return Term("largest", max(parts), r"\max(1/n, \sqrt{c_1\log(N/\delta)/m}, \dots)")


def _proved(
    law: TemplateLaw,
    m: int,
    n: int,
    log: float,
    window: float,
    radius: float,
    n_inputs: int | None,
    rule: str,
) -> tuple[Term, ...]:
    rho = radius * law.reach
    half = 0.5 if rule in ("trapezoid", "midpoint") else 1.0
    if n_inputs is not None:
        if law.name == "zero":
            raise ValueError("templates='zero' jump when one is rejected: leave n_inputs out")
        across = n_inputs - 1 if law.name == "sphere" else n_inputs
        scatter = radius * math.sqrt(2.0 * log / (m * across))
        formula = r"R\sqrt{2\log(4P/\delta)/(md')}"
    elif math.isinf(rho):
        raise ValueError("templates='gaussian' have no largest projection: give n_inputs")
    else:
        scatter, formula = rho * math.sqrt(2.0 * log / m), r"\rho\sqrt{2\log(4P/\delta)/m}"
        if law.name == "zero":
            # Products lie in [s - rho, s + rho], or are 0: half the range.
            scatter *= 0.5 * (window + rho) / rho
            formula = r"\tfrac{s+\rho}2\sqrt{2\log(4P/\delta)/m}"
    return (
        Term("binning", half * window / n, "s/n" if half == 1.0 else "s/2n"),
        Term("templates", scatter, formula),
    )


def _elements(rho: float, r: int, order: int | None, log: float) -> Term:
    formula = r"2w\rho/r + \rho\sqrt{8S\log(4P/\delta)/r}"
    left, moves = (1.0, 1.0) if order is None else distinct_factors(r, order)
    if left == 0.0:
        return Term("elements", 0.0, formula)
    if math.isinf(rho):
        raise ValueError("templates='gaussian' have no largest projection: n_elements=None")
    return Term("elements", 2.0 * left * rho / r + rho * math.sqrt(8.0 * moves * log / r), formula)
