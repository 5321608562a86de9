"""Theorem 2 read backwards: sufficient bins, templates and elements for an error."""

from __future__ import annotations

import math
from typing import NamedTuple

from mehler._validate import require_flag, require_integer
from mehler.bounds._bound import require_count, require_positive, require_probability
from mehler.bounds._elementwise import elementwise
from mehler.bounds._inverse import least_features
from mehler.bounds.group_invariant._theorem_2 import theorem_2
from mehler.exact.orbits import RULES


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
    group_order: int | None = None,
    rule: str = "paper",
) -> Sizes:
    r"""Return sufficient sizes for an error of eps over all pairs of N rows.

    .. math:: n \ge \frac{3s}{\epsilon}, \qquad m \ge \frac{18\rho^2}{\epsilon^2}
              \log\frac{4P}\delta, \qquad r \ge r_0 =
              \frac{81\rho^2}{\epsilon^2}\log\frac{4P}\delta

    For distinct elements of a group of order n', :math:`r \ge r_0(n'+1)/(n'+r_0)`.

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
    group_order : int, optional
        n', of a finite group of which distinct elements are drawn; by default independent ones.
    rule : str
        As for :func:`theorem_2`; half as many bins for 'trapezoid' and 'midpoint'.

    Returns
    -------
    Sizes

    See Also
    --------
    theorem_2 : The bound.
    theorem_2_templates : The least m at given bins and elements.

    Examples
    --------
    >>> theorem_2_sizes(0.3, n_points=12, delta=0.1, window=1.3, reach=1.3**0.5)
    Sizes(n_bins=13, n_templates=2092, n_elements=9414)
    >>> theorem_2_sizes(0.3, n_points=12, delta=0.1, window=1.3, reach=1.3**0.5, group_order=5040)
    Sizes(n_bins=13, n_templates=2092, n_elements=3284)
    """
    require_flag("whole_group", whole_group)
    require_positive(eps=eps, window=window, radius=radius, reach=reach)
    (n_points,) = require_count(n_points=n_points)
    require_probability(delta=delta)
    if group_order is not None:
        group_order = require_integer("group_order", group_order)
        if whole_group:
            raise ValueError("group_order is for a sample of elements: leave whole_group out")
    rho = radius * reach
    if eps > 1.0 or rho < 1.0:
        raise ValueError(f"eps={eps} must be at most 1 and radius * reach = {rho:.6g} at least 1")
    if rule not in RULES:
        raise ValueError(f"rule={rule!r} is not one of {', '.join(RULES)}")
    half = 0.5 if rule in ("trapezoid", "midpoint") else 1.0
    log = math.log(2.0 * n_points * (n_points + 1) / delta)
    try:
        templates = math.ceil(18.0 * rho**2 / eps**2 * log)
        most = math.ceil(81.0 * rho**2 / eps**2 * log)
        # Do not round up a ratio that is an integer up to rounding.
        bins = math.ceil(3.0 * half * window / eps * (1.0 - 1e-12))
    except (OverflowError, ZeroDivisionError):
        raise ValueError(
            f"eps={eps!r}, window={window!r}, radius={radius!r}, reach={reach!r}: the sizes leave "
            "the floats"
        ) from None
    n_elements = None if whole_group else most
    if n_elements is not None and group_order is not None:
        # Orders are far beyond floats.
        shared = -(-n_elements * (group_order + 1) // (group_order + n_elements))
        n_elements = min(group_order, shared)
    return Sizes(bins, templates, n_elements)
