"""Theorem 4: empirical distribution functions of sampled elements (DKW)."""

from __future__ import annotations

import math

from mehler.bounds._bound import Bound, Form, Term, require_count, require_form, require_probability
from mehler.bounds._elementwise import elementwise
from mehler.bounds.group_invariant._assumptions import INDEPENDENT_ELEMENTS


@elementwise
def theorem_4(n_elements: int, *, delta: float, form: Form = "proved") -> Bound:
    r"""Bound the largest error of a distribution function over r independent elements.

    .. math:: \sup_\tau|\hat\psi(x, t, \tau) - \psi(x, t, \tau)| \le
              \sqrt{\frac1{2r}\log\frac2\delta}

    for one row and one template, with probability 1 - delta.

    Parameters
    ----------
    n_elements : int or array
        Number of elements r.
    delta : float or array
        Failure probability.
    form : {"proved", "printed"}
        Both are the same formula.

    Returns
    -------
    Bound
        One term, "confidence". `trivial` is 1.

    See Also
    --------
    theorem_2 : Error of the kernel with sampled elements.
    mehler.GroupInvariantFeatures : The features.

    References
    ----------
    Dvoretzky, Kiefer, Wolfowitz (1956); the constant 2 is P. Massart's (1990). Mroueh, Voinea,
    Poggio (2015), Theorem 4; :doc:`/theorems/group-invariant-theorem-4`.

    Examples
    --------
    >>> round(theorem_4(50, delta=0.05).value, 4)
    0.1921
    """
    require_form(form)
    (n_elements,) = require_count(n_elements=n_elements)
    require_probability(delta=delta)
    value = math.sqrt(math.log(2.0 / delta) / (2.0 * n_elements))
    return Bound(
        statement="group-invariant.theorem-4",
        form=form,
        quantity="largest error of a distribution function",
        terms=(Term("confidence", value, r"\sqrt{\log(2/\delta)/(2r)}"),),
        probability=1 - delta,
        assumptions=(INDEPENDENT_ELEMENTS,),
        trivial=1.0,
    )
