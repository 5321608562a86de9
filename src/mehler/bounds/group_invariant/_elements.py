"""What sampled elements add to the kernel: of second order, distinct or independent."""

from __future__ import annotations

import math

from mehler._validate import require_integer
from mehler.bounds._bound import (
    Bound,
    Term,
    require_count,
    require_positive,
    require_probability,
)
from mehler.bounds._elementwise import elementwise
from mehler.bounds.group_invariant._assumptions import ELEMENTS, ORTHOGONAL, TEMPLATES
from mehler.bounds.group_invariant._distinct import distinct_factors
from mehler.exact.orbits import TemplateLaw


@elementwise
def elements(
    n_elements: int,
    *,
    n_inputs: int,
    n_points: int = 1,
    delta: float | None = None,
    radius: float = 1.0,
    spread: float | None = None,
    group_order: int | None = None,
    templates: str = "sphere",
    epsilon: float = 0.3,
) -> Bound:
    r"""Bound what r elements in place of the group change in the kernel of endless templates.

    .. math:: \max_{i,j}\big|E_t[\langle\Phi(x_i), \Phi(x_j)\rangle \mid g_1, \dots, g_r] - K_s\big|
              \le \frac\kappa r\min\Big\{2VD\log\tfrac{2N}\delta,
              \Big(\sqrt{wD} + \sqrt{2SR\log\tfrac N\delta}\Big)^2\Big\}

    without bins, with probability 1 - delta; without `delta`, kappa w D/r bounds the mean of its
    absolute value for each pair. kappa = E|t_1|/2. V = w = S = 1 for independent elements; for
    distinct ones of n, w = (n - r)/(n - 1), S about 1 - r/n, and V = (n - r)/r or 1, if that is
    less.

    Parameters
    ----------
    n_elements : int or array
        r, the same for all templates.
    n_inputs : int or array
        d.
    n_points : int or array
        N rows.
    delta : float or array, optional
        Failure probability.
    radius : float
        R, the largest norm of a row.
    spread : float, optional
        D, the largest mean distance E|x - gx| of a row from its orbit; default sqrt(2) R, which it
        is at most.
    group_order : int, optional
        n, of a finite group of which distinct elements are drawn; default independent ones.
    templates, epsilon
        As in :func:`theorem_2`.

    Returns
    -------
    Bound
        One term, "elements"; 0 if all elements of the group are drawn.

    See Also
    --------
    theorem_2 : With bins and templates; its terms for the whole group, at half of delta, and this
        one at the other half bound the same error.

    Notes
    -----
    :func:`theorem_2` has a term of the order r^(-1/2) for elements, this is of the order 1/r.

    References
    ----------
    Proof: :doc:`/theorems/group-invariant-elements`.

    Examples
    --------
    >>> from mehler.bounds import group_invariant
    >>> known = {"n_points": 12, "delta": 0.05}
    >>> sizes = {"n_bins": 10**9, "window": 1.0, **known}
    >>> old = group_invariant.theorem_2(10**9, n_elements=100, **sizes)["elements"]
    >>> round(old, 3), round(group_invariant.elements(100, n_inputs=6, **known).value, 4)
    (0.856, 0.0296)
    >>> round(group_invariant.elements(100, n_inputs=6, group_order=120, **known).value, 4)
    0.0058
    """
    r, n_points, n_inputs = require_count(
        n_elements=n_elements, n_points=n_points, n_inputs=n_inputs
    )
    require_positive(radius=radius)
    if delta is not None:
        require_probability(delta=delta)
    if spread is not None:
        require_positive(spread=spread)
    order = None if group_order is None else require_integer("group_order", group_order, least=r)
    slope = TemplateLaw(templates, n_inputs, epsilon).slope
    mean = math.sqrt(2) * radius if spread is None else min(spread, math.sqrt(2) * radius)
    left, moves = (1.0, 1.0) if order is None else distinct_factors(r, order)
    value, formula = slope / r * left * mean, r"\kappa wD/r"
    if delta is not None:
        reach = math.sqrt(2 * moves * radius * math.log(n_points / delta))
        by_range = (math.sqrt(left * mean) + reach) ** 2
        drawn = r if order is None else min(r, order - r)
        by_spread = 2 * drawn / r * mean * math.log(2 * n_points / delta)
        value = slope / r * min(by_spread, by_range)
        formula = (
            r"\frac\kappa r\min\{2VD\log(2N/\delta), "
            r"(\sqrt{wD} + \sqrt{2SR\log(N/\delta)})^2\}"
        )
    return Bound(
        statement="group-invariant.elements",
        form="proved",
        quantity="error of the kernel of endless templates by sampled elements"
        + (", mean for one pair" if delta is None else ", all pairs"),
        terms=(Term("elements", value, formula),),
        probability=1.0 if delta is None else 1 - delta,
        assumptions=(ORTHOGONAL, TEMPLATES, ELEMENTS),
    )
