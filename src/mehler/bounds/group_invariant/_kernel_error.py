"""Theorems 1 and 2: the expected kernel, and its error with templates, elements and bins."""

from __future__ import annotations

import math
from functools import partial
from typing import Literal, NamedTuple

from mehler._validate import (
    require_choice,
    require_flag,
    require_integer,
    require_positive,
    require_probability,
)
from mehler.bounds._bound import Assumption
from mehler.bounds._function import Formula, bound, count
from mehler.bounds.group_invariant._elements import (
    DOMAINS,
    ORTHOGONAL,
    TEMPLATES,
    Rule,
    Templates,
    distinct_factors,
    of_elements,
)
from mehler.exact.orbits import RULES, TemplateLaw

Side = Literal["above", "below"]
# Rules that err by half a bin.
_CENTRED = ("trapezoid", "midpoint")
_LOG = {True: r"\log(2P/\delta)", False: r"\log(4P/\delta)"}


@bound(
    "group-invariant.theorem-1",
    "K_s {side} s - d_G",
    assumes=(ORTHOGONAL,),
    domains={**DOMAINS, "templates": partial(require_choice, allowed=("zero", "redraw"))},
)
def kernel_bias(
    n_inputs: int, *, epsilon: float, side: Side, templates: Literal["zero", "redraw"] = "zero"
) -> Formula:
    r"""Bound the distance of the expected kernel from s - d_G, on unit rows and s = 1 + epsilon.

    .. math:: -\delta_2 \le K_s - (s - d_G) \le \delta_1, \qquad
              d_G = \frac{D}{\sqrt{2\pi d}} \in \Big[0, \frac2{\sqrt{2\pi d}}\Big]

    with the exact gap :math:`(1-q)d_G - (1-p)s`, or :math:`(1-q/p)d_G` for other draws, at its
    worst :math:`d_G`: p and q are the probabilities that :math:`\chi^2` with d and d + 1 degrees of
    freedom is below :math:`d(1+\epsilon)`.

    Terms: "slope" and "mass", for certain. `trivial` is s. Negative where features of zero put the
    kernel below s - d_G for every group.

    Parameters
    ----------
    n_inputs : int or array
        d, at least 2.
    epsilon : float
        Templates of squared length 1 + epsilon and more are rejected.

    Examples
    --------
    >>> from mehler.bounds import group_invariant
    >>> for templates in ("zero", "redraw"):
    ...     bound = group_invariant.kernel_bias(40, epsilon=0.1, side="above", templates=templates)
    ...     print(round(bound.value, 4))
    -0.293
    0.0072
    """
    law, s = TemplateLaw(templates, n_inputs, epsilon), 1.0 + epsilon
    lost = (1.0 - law.mass) * s
    # Differences from 1 are right to this; that of a ratio of probabilities may come out below 0.
    least = 2.0**-52
    redrawn = templates == "redraw"
    if side == "above":
        unit = 1.0 / math.sqrt(2.0 * math.pi * n_inputs)
        slope = max(1.0 - law.slope / unit, least) * 2.0 * unit
        ratio = "q/p" if redrawn else "q"
        terms = {
            "slope": (slope, rf"2(1 - {ratio})/\sqrt{{2\pi d}}"),
            "mass": (-lost, "0" if redrawn else "-(1 - p)s"),
        }
    else:
        terms = {
            "slope": (0.0, "0"),
            "mass": (0.0, "0") if redrawn else (max(lost, least * s), "(1 - p)s"),
        }
    return Formula(terms, trivial=s)


@bound(
    "group-invariant.theorem-2",
    "largest error of an inner product over all pairs",
    falls_in=("n_templates", "n_bins", "n_elements"),
    assumes=(ORTHOGONAL, TEMPLATES),
    domains=DOMAINS,
)
def kernel_error(
    n_templates: int,
    *,
    n_bins: int,
    n_rows: int,
    delta: float,
    window: float,
    radius: float = 1.0,
    n_elements: int | None = None,
    group_order: int | None = None,
    templates: Templates = "sphere",
    n_inputs: int | None = None,
    epsilon: float = 0.3,
    rule: Rule = "paper",
) -> Formula:
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
    Features of zero for rejected templates take (s + rho)/2 for rho there.

    Terms: "binning", "templates" and, for a sample, "elements". `trivial` is 2 s.

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
    >>> from mehler import bounds
    >>> from mehler.bounds.group_invariant import kernel_error
    >>> setting = {"n_bins": 14, "n_rows": 12, "delta": 0.1, "window": 1.3, "templates": "redraw"}
    >>> bound = kernel_error(2092, **setting)
    >>> round(bound["templates"], 3), round(bound["binning"], 3)
    (0.096, 0.093)
    >>> bounds.solve(kernel_error, at_most=0.3, n_templates=None, n_inputs=40, **setting)
    9
    """
    if group_order is not None:
        if n_elements is None:
            raise ValueError("group_order is for distinct elements of a group: give n_elements")
        require_integer("group_order", group_order, least=n_elements)
    law = TemplateLaw(templates, 2 if n_inputs is None else n_inputs, epsilon)
    rho = radius * law.reach
    whole = n_elements is None or n_elements == group_order
    log = math.log((1.0 if whole else 2.0) * n_rows * (n_rows + 1) / delta)
    half = 0.5 if rule in _CENTRED else 1.0
    if n_inputs is not None:
        if templates == "zero":
            raise ValueError("templates='zero' jump when one is rejected: leave n_inputs out")
        across = n_inputs - 1 if templates == "sphere" else n_inputs
        scatter = radius * math.sqrt(2.0 * log / (n_templates * across))
        formula = rf"R\sqrt{{2{_LOG[whole]}/(md')}}"
    elif math.isinf(rho):
        raise ValueError("templates='gaussian' have no largest projection: give n_inputs")
    else:
        scatter = rho * math.sqrt(2.0 * log / n_templates)
        formula = rf"\rho\sqrt{{2{_LOG[whole]}/m}}"
        if templates == "zero":
            # Products lie in [s - rho, s + rho], or are 0: half the range.
            scatter *= 0.5 * (window + rho) / rho
            formula = rf"\tfrac{{s+\rho}}2\sqrt{{2{_LOG[whole]}/m}}"
    terms = {
        "binning": (half * window / n_bins, "s/n" if half == 1.0 else "s/(2n)"),
        "templates": (scatter, formula),
    }
    if n_elements is not None:
        terms["elements"] = _of_elements(rho, n_elements, group_order, log)
    assumptions = of_elements(n_elements)
    if math.isfinite(rho):
        text = "the window holds every projection of a row on a template"
        sizes = f"window {window:.6g}, largest projection {rho:.6g}"
        assumptions += (Assumption(text, window >= rho * (1 - 1e-12), sizes),)
    return Formula(terms, 1 - delta, trivial=2.0 * window, assumptions=assumptions)


def _of_elements(rho: float, r: int, order: int | None, log: float) -> tuple[float, str]:
    """Return the term of sampled elements and its formula."""
    rest, moves = (1.0, 1.0) if order is None else distinct_factors(r, order)
    if rest == 0.0:
        return 0.0, "0"
    if math.isinf(rho):
        raise ValueError("templates='gaussian' have no largest projection: n_elements=None")
    value = 2.0 * rest * rho / r + rho * math.sqrt(8.0 * moves * log / r)
    return value, rf"2w\rho/r + \rho\sqrt{{8S{_LOG[False]}/r}}"


class Sizes(NamedTuple):
    """Sufficient sizes: bins, templates, elements (None for the whole group).

    See Also
    --------
    kernel_error_sizes : Compute them.
    """

    n_bins: int
    n_templates: int
    n_elements: int | None


def kernel_error_sizes(
    at_most: float,
    *,
    n_rows: int,
    delta: float,
    window: float,
    radius: float = 1.0,
    reach: float = 1.0,
    whole_group: bool = False,
    group_order: int | None = None,
    rule: Rule = "paper",
) -> Sizes:
    r"""Return sufficient sizes for an error of at most eps over all pairs of N rows.

    .. math:: n \ge \frac{3s}{\epsilon}, \qquad m \ge \frac{18\rho^2}{\epsilon^2}
              \log\frac{4P}\delta, \qquad r \ge r_0 =
              \frac{81\rho^2}{\epsilon^2}\log\frac{4P}\delta

    For distinct elements of a group of order n', :math:`r \ge r_0(n'+1)/(n'+r_0)`. Not for features
    of zero, which vary more.

    Parameters
    ----------
    at_most : float
        Target error eps, at most 1.
    n_rows, delta, window, radius, group_order
        As :mod:`mehler.bounds.group_invariant` says.
    reach : float
        Largest length of a template, so that rho = radius * reach; rho at least 1.
    whole_group : bool
        Use all elements; then `n_elements` is None.
    rule
        As there; half as many bins for 'trapezoid' and 'midpoint'.

    Returns
    -------
    Sizes
        :func:`kernel_error` is at most eps at them.

    References
    ----------
    Mroueh, Voinea, Poggio (2015), Theorem 2; :doc:`/theorems/group-invariant-theorem-2`.

    Examples
    --------
    >>> from mehler.bounds.group_invariant import kernel_error_sizes
    >>> setting = {"n_rows": 12, "delta": 0.1, "window": 1.3, "reach": 1.3**0.5}
    >>> kernel_error_sizes(0.3, **setting)
    Sizes(n_bins=13, n_templates=2092, n_elements=9414)
    >>> kernel_error_sizes(0.3, group_order=5040, **setting)
    Sizes(n_bins=13, n_templates=2092, n_elements=3284)
    """
    require_flag("whole_group", whole_group)
    error = require_positive("at_most", at_most)
    window, radius = require_positive("window", window), require_positive("radius", radius)
    rho = radius * require_positive("reach", reach)
    if group_order is not None and whole_group:
        raise ValueError("group_order is for a sample of elements: leave whole_group out")
    if error > 1.0 or rho < 1.0:
        raise ValueError(
            f"at_most={at_most} must be at most 1, radius * reach = {rho:.6g} at least 1"
        )
    half = 0.5 if require_choice("rule", rule, RULES) in _CENTRED else 1.0
    rows, delta = count("n_rows", n_rows), require_probability("delta", delta)
    try:
        log = math.log(2.0 * rows * (rows + 1) / delta)
        templates = math.ceil(18.0 * rho**2 / error**2 * log)
        most = math.ceil(81.0 * rho**2 / error**2 * log)
        # Do not round up a ratio that is an integer up to rounding.
        bins = math.ceil(3.0 * half * window / error * (1.0 - 1e-12))
    except (OverflowError, ZeroDivisionError):
        raise ValueError(
            f"at_most={at_most!r}, n_rows={n_rows!r}, window={window!r}, radius={radius!r}, "
            f"reach={reach!r}: the sizes overflow"
        ) from None
    if whole_group:
        return Sizes(bins, templates, None)
    if group_order is None:
        return Sizes(bins, templates, most)
    # Orders are far beyond floats.
    order = count("group_order", group_order)
    return Sizes(bins, templates, min(order, -(-most * (order + 1) // (order + most))))
