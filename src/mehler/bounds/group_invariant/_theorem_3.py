"""Theorem 3: risk of the best combination of features on N samples."""

from __future__ import annotations

import math

from mehler.bounds._bound import (
    Bound,
    Form,
    Term,
    require_count,
    require_form,
    require_positive,
    require_probability,
)
from mehler.bounds._elementwise import elementwise
from mehler.bounds.group_invariant._assumptions import ELEMENTS, LIPSCHITZ, SAMPLES, TEMPLATES
from mehler.bounds.group_invariant._lemma_4 import lemma_4


@elementwise
def theorem_3(
    n_samples: int,
    *,
    n_templates: int,
    n_bins: int,
    window: float,
    scale: float,
    lipschitz: float,
    delta: float,
    n_elements: int | None = None,
    loss_at_zero: float | None = None,
    form: Form = "proved",
) -> Bound:
    r"""Bound the excess risk of the empirical minimiser over weights of at most C/m.

    .. math::

        \mathcal E(f_N) - \inf_{\mathcal F_p}\mathcal E \le
            \frac{4LsC}{\sqrt N}\Big(1 + \sqrt{2\log\tfrac1\delta}\Big)
            + \frac{2sLC}{\sqrt m}\Big(1 + \sqrt{2\log\tfrac1\delta}\Big)
            + \frac{4sLC}{\sqrt r}\Big(1 + \sqrt{2\log\tfrac1\delta}\Big) + \frac{sLC}n

    with probability 1 - 5 delta; the samples are orbits, one representative of each. With the
    whole group the term in r vanishes: 1 - 3 delta.

    Parameters
    ----------
    n_samples : int or array
        Number of samples N.
    n_templates, n_bins, n_elements, window, scale
        As for :func:`lemma_4`.
    lipschitz : float
        Lipschitz constant L of the loss in the prediction.
    delta : float or array
        Failure probability of each event.
    loss_at_zero : float, optional
        |V(0)|; in the printed form only, where it is needed.
    form : {"proved", "printed"}
        "printed", as recalled: :math:`\frac2{\sqrt N}(4LsC + 2|V(0)| +
        LC\sqrt{\frac12\log\frac1\delta})` for the first term, L times Lemma 4 for the others,
        probability 1 - 3 delta.

    Returns
    -------
    Bound
        Terms "statistical", "confidence", "templates", "elements" (of a sample) and "binning".
        `trivial` is 4 L s C, the range of the loss.

    See Also
    --------
    lemma_4 : The approximation terms.
    theorem_2 : Error of the kernel.

    References
    ----------
    Mroueh, Voinea, Poggio (2015), Theorem 3; :doc:`/theorems/group-invariant-theorem-3`.

    Examples
    --------
    >>> bound = theorem_3(10**6, n_templates=10**6, n_bins=100, window=1.0, scale=1.0,
    ...                   lipschitz=1.0, delta=0.01)
    >>> round(bound.value, 4), bound.probability
    (0.0342, 0.97)
    """
    require_form(form)
    (n_samples,) = require_count(n_samples=n_samples)
    require_positive(lipschitz=lipschitz)
    near = lemma_4(
        n_templates,
        n_bins=n_bins,
        window=window,
        scale=scale,
        delta=delta,
        n_elements=n_elements,
        form=form,
    )
    require_probability(delta=delta)
    size, root = lipschitz * window * scale, math.sqrt(n_samples)
    if form == "printed":
        if loss_at_zero is None or not 0 <= loss_at_zero < math.inf:
            raise ValueError(f"loss_at_zero={loss_at_zero!r}: the printed form needs |V(0)|")
        terms = [
            Term("statistical", 8.0 * size / root, r"8LsC/\sqrt N"),
            Term("loss at zero", 4.0 * loss_at_zero / root, r"4|V(0)|/\sqrt N"),
            Term(
                "confidence",
                2.0 * lipschitz * scale * math.sqrt(-0.5 * math.log(delta)) / root,
                r"2LC\sqrt{\tfrac12\log(1/\delta)}/\sqrt N",
            ),
        ]
    else:
        terms = [
            Term("statistical", 4.0 * size / root, r"4LsC/\sqrt N"),
            Term(
                "confidence",
                4.0 * size * math.sqrt(-2.0 * math.log(delta)) / root,
                r"4LsC\sqrt{2\log(1/\delta)/N}",
            ),
        ]
    # On the whole space features of a sample are not invariant: the second half of its term.
    double = {"elements": 2.0} if form == "proved" else {}
    terms += [
        Term(one.name, lipschitz * double.get(one.name, 1.0) * one.value, one.formula)
        for one in near.terms
    ]
    failing = 3 if form == "printed" or n_elements is None else 5
    assumptions = [TEMPLATES, SAMPLES, LIPSCHITZ]
    if n_elements is not None:
        assumptions.append(ELEMENTS)
    return Bound(
        statement="group-invariant.theorem-3",
        form=form,
        quantity="excess risk of the empirical minimiser",
        terms=tuple(terms),
        probability=1 - failing * delta,
        assumptions=tuple(assumptions),
        trivial=4.0 * size,
    )
