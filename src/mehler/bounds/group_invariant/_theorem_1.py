"""Theorem 1: distance of the expected kernel from s minus the mean distance."""

from __future__ import annotations

import math
from typing import Literal

from mehler.bounds._bound import Bound, Form, Term, require_form, require_positive
from mehler.bounds._elementwise import elementwise
from mehler.bounds.group_invariant._assumptions import ORTHOGONAL
from mehler.exact.orbits import TemplateLaw

Side = Literal["above", "below"]


@elementwise
def theorem_1(
    n_inputs: int, *, epsilon: float, side: Side, templates: str = "zero", form: Form = "proved"
) -> Bound:
    r"""Bound the distance of the expected kernel from s - d_G, on unit rows and s = 1 + epsilon.

    .. math:: -\delta_2 \le K_s - (s - d_G) \le \delta_1, \qquad
              d_G = \frac{D}{\sqrt{2\pi d}} \in \Big[0, \frac2{\sqrt{2\pi d}}\Big]

    Parameters
    ----------
    n_inputs : int
        d, at least 2.
    epsilon : float or array
        Templates of squared length 1 + epsilon and more are rejected.
    side : {"above", "below"}
        delta_1 or delta_2.
    templates : {"zero", "redraw"}
        What happens to rejected ones: features of zero, or another draw.
    form : {"proved", "printed"}
        "printed", as recalled: :math:`\delta_1 = \frac{e^{-d\epsilon^2/16}}{\sqrt d} - \frac12
        \frac{e^{-d\epsilon/2}(1+\epsilon)^{d/2}}{\sqrt d}`, :math:`\delta_2 =
        \frac{e^{-d\epsilon^2/16}}{\sqrt d} + (1+\epsilon)e^{-d\epsilon^2/8}`. "proved": the exact
        gap :math:`(1-q)d_G - (1-p)s`, or :math:`(1-q/p)d_G`, at its worst d_G.

    Returns
    -------
    Bound
        Certain. Terms "slope" and "mass", or "moment" and "tail" as printed. `trivial` is s.

    See Also
    --------
    theorem_2 : Error at finitely many templates, elements and bins.
    mehler.GroupInvariantFeatures : The features.

    References
    ----------
    Mroueh, Voinea, Poggio (2015), Theorem 1; :doc:`/theorems/group-invariant-theorem-1`.

    Examples
    --------
    >>> round(theorem_1(40, epsilon=0.1, side="below", form="printed").value, 2)
    1.2
    >>> round(theorem_1(40, epsilon=0.1, side="below", templates="redraw").value, 2)
    0.0
    """
    require_form(form)
    require_positive(epsilon=epsilon)
    if side not in ("above", "below"):
        raise ValueError(f"side={side!r} is not 'above' or 'below'")
    if templates not in ("zero", "redraw"):
        raise ValueError(f"templates={templates!r} is not 'zero' or 'redraw'")
    law = TemplateLaw(templates, n_inputs, epsilon)
    s = 1.0 + epsilon
    terms = _printed(n_inputs, epsilon, side) if form == "printed" else _proved(law, s, side)
    return Bound(
        statement="group-invariant.theorem-1",
        form=form,
        quantity=f"K_s {side} s - d_G",
        terms=terms,
        probability=1.0,
        assumptions=(ORTHOGONAL,),
        trivial=s,
    )


def _printed(d: int, epsilon: float, side: str) -> tuple[Term, ...]:
    moment = Term(
        "moment", math.exp(-d * epsilon**2 / 16) / math.sqrt(d), r"e^{-d\epsilon^2/16}/\sqrt d"
    )
    if side == "above":
        rejected = math.exp(0.5 * d * (math.log1p(epsilon) - epsilon))
        return (
            moment,
            Term(
                "tail",
                -0.5 * rejected / math.sqrt(d),
                r"-\tfrac12 e^{-d\epsilon/2}(1+\epsilon)^{d/2}/\sqrt d",
            ),
        )
    tail = (1 + epsilon) * math.exp(-d * epsilon**2 / 8)
    return moment, Term("tail", tail, r"(1+\epsilon)e^{-d\epsilon^2/8}")


def _proved(law: TemplateLaw, s: float, side: str) -> tuple[Term, ...]:
    """K - (s - d_G) = (1 - slope ratio) d_G - (1 - p) s, increasing in d_G."""
    unit = 1.0 / math.sqrt(2.0 * math.pi * law.n_inputs)
    slope = (1.0 - law.slope / unit) * 2.0 * unit
    lost = (1.0 - law.mass) * s
    if side == "above":
        return (Term("slope", slope, r"2(1-q)/\sqrt{2\pi d}"), Term("mass", -lost, r"-(1-p)s"))
    return Term("slope", 0.0, "0"), Term("mass", lost, "(1-p)s")
