"""Theorem 2: the error of inner products at finite templates, elements and bins, for all pairs."""

from __future__ import annotations

import math
from typing import NamedTuple

from mehler._validate import flag
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
from mehler.bounds._inverse import least_features
from mehler.bounds.group_invariant._assumptions import ELEMENTS, ORTHOGONAL, TEMPLATES, inside
from mehler.exact.orbits import RULES, TemplateLaw


class Sizes(NamedTuple):
    """Sufficient sizes: bins, templates, elements (None for the whole group).

    See Also
    --------
    theorem_2_sizes : Compute them.
    """

    n_bins: int
    n_templates: int
    n_elements: int | None


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
            + \frac{2\rho}r + \rho\sqrt{\tfrac8r\log\tfrac{4P}\delta}, \qquad P = \tfrac{N(N+1)}2

    with probability 1 - delta, rho the largest projection. With the whole group the terms in r
    vanish and 2P stands for 4P. With `n_inputs` the second term is
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

    Raises
    ------
    TypeError, ValueError
        An argument is out of its range.

    See Also
    --------
    theorem_2_templates : The least number of templates.
    theorem_2_sizes : Sufficient bins, templates and elements.
    theorem_1 : Distance of the expected kernel from its limit.
    mehler.GroupInvariantFeatures : The features.

    References
    ----------
    Mroueh, Voinea, Poggio (2015), Theorem 2; :doc:`/theorems/group-invariant-theorem-2`.

    Examples
    --------
    >>> bound = theorem_2(2092, n_bins=14, n_points=12, delta=0.1, window=1.3, templates="redraw")
    >>> round(bound["templates"], 3), round(bound["binning"], 3)
    (0.096, 0.093)
    """
    require_form(form)
    n_templates, n_bins, n_points = require_count(
        n_templates=n_templates, n_bins=n_bins, n_points=n_points
    )
    require_positive(window=window, radius=radius)
    require_probability(delta=delta)
    if n_elements is not None:
        (n_elements,) = require_count(n_elements=n_elements)
    if rule not in RULES:
        raise ValueError(f"rule={rule!r} is not one of {', '.join(RULES)}")
    law = TemplateLaw(templates, 2 if n_inputs is None else n_inputs, epsilon)
    terms: tuple[Term, ...]
    if form == "printed":
        terms = (_printed(n_templates, n_bins, n_points, delta, n_elements, c1, c2),)
        probability = 1 - delta**2
    else:
        terms = _proved(
            law, n_templates, n_bins, n_points, delta, window, radius, n_elements, n_inputs, rule
        )
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


@elementwise
def theorem_2_templates(eps: float, *, n_bins: int, **options: object) -> int:
    """Return the least m at which :func:`theorem_2` promises an error of at most eps.

    Parameters
    ----------
    eps : float or array
        Target error.
    n_bins : int or array
        Bins n.
    **options
        As for :func:`theorem_2`, without n_templates.

    Returns
    -------
    int
        The bound exceeds eps at m - 1.

    Raises
    ------
    TypeError, ValueError
        If binning and elements alone exceed eps.

    See Also
    --------
    theorem_2 : The bound.
    theorem_2_sizes : Bins and elements too, by a simpler formula.

    Examples
    --------
    >>> theorem_2_templates(0.3, n_bins=14, n_points=12, delta=0.1, window=1.3,
    ...                     templates="redraw", n_inputs=40)
    9
    """
    require_positive(eps=eps)

    def value(m: int) -> float:
        return theorem_2(m, n_bins=n_bins, **options).value

    return least_features(value, eps)


@elementwise
def theorem_2_sizes(
    eps: float,
    *,
    n_points: int,
    delta: float,
    window: float,
    radius: float = 1.0,
    reach: float = 1.0,
    whole_group: bool = False,
    rule: str = "paper",
) -> Sizes:
    r"""Return sufficient sizes for an error of eps over all pairs of N rows.

    .. math:: n \ge \frac{3s}{\epsilon}, \qquad m \ge \frac{18\rho^2}{\epsilon^2}
              \log\frac{4P}\delta, \qquad r \ge \frac{81\rho^2}{\epsilon^2}\log\frac{4P}\delta

    Not for features of zero, which vary more.

    Parameters
    ----------
    eps : float or array
        Target error, at most 1.
    n_points, delta, window, radius
        As for :func:`theorem_2`.
    reach : float
        Largest length of a template, so that rho = radius * reach; rho at least 1.
    whole_group : bool
        Use all elements; then `n_elements` is None.
    rule : str
        As for :func:`theorem_2`; half as many bins for 'trapezoid' and 'midpoint'.

    Returns
    -------
    Sizes

    Raises
    ------
    TypeError, ValueError
        An argument is out of its range.

    See Also
    --------
    theorem_2 : The bound.
    theorem_2_templates : The least m at given bins and elements.

    Examples
    --------
    >>> theorem_2_sizes(0.3, n_points=12, delta=0.1, window=1.3, reach=1.3**0.5)
    Sizes(n_bins=13, n_templates=2092, n_elements=9414)
    """
    flag("whole_group", whole_group)
    require_positive(eps=eps, window=window, radius=radius, reach=reach)
    (n_points,) = require_count(n_points=n_points)
    require_probability(delta=delta)
    rho = radius * reach
    if eps > 1.0 or rho < 1.0:
        raise ValueError(f"eps={eps} must be at most 1 and radius * reach = {rho:.6g} at least 1")
    if rule not in RULES:
        raise ValueError(f"rule={rule!r} is not one of {', '.join(RULES)}")
    half = 0.5 if rule in ("trapezoid", "midpoint") else 1.0
    log = math.log(2.0 * n_points * (n_points + 1) / delta)
    return Sizes(
        # Do not round up a ratio that is an integer up to rounding.
        math.ceil(3.0 * half * window / eps * (1.0 - 1e-12)),
        math.ceil(18.0 * rho**2 / eps**2 * log),
        None if whole_group else math.ceil(81.0 * rho**2 / eps**2 * log),
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
    points: int,
    delta: float,
    window: float,
    radius: float,
    r: int | None,
    n_inputs: int | None,
    rule: str,
) -> tuple[Term, ...]:
    rho = radius * law.reach
    half = 0.5 if rule in ("trapezoid", "midpoint") else 1.0
    log = math.log((1.0 if r is None else 2.0) * points * (points + 1) / delta)
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
    terms = [
        Term("binning", half * window / n, "s/n" if half == 1.0 else "s/2n"),
        Term("templates", scatter, formula),
    ]
    if r is not None:
        if math.isinf(rho):
            raise ValueError("templates='gaussian' have no largest projection: n_elements=None")
        value = 2.0 * rho / r + rho * math.sqrt(8.0 * log / r)
        terms.append(Term("elements", value, r"2\rho/r + \rho\sqrt{8\log(4P/\delta)/r}"))
    return tuple(terms)
