"""Lemma 4: approximation of a function of the infinite class by features."""

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
from mehler.bounds.group_invariant._assumptions import ELEMENTS, TEMPLATES


@elementwise
def lemma_4(
    n_templates: int,
    *,
    n_bins: int,
    window: float,
    scale: float,
    delta: float,
    n_elements: int | None = None,
    form: Form = "proved",
) -> Bound:
    r"""Bound the L2 distance from a function of F_p to combinations of features.

    .. math:: \|f - \tilde f\| \le \frac{2sC}{\sqrt m}\Big(1 + \sqrt{2\log\tfrac1\delta}\Big)
              + \frac{2sC}{\sqrt r}\Big(1 + \sqrt{2\log\tfrac1\delta}\Big) + \frac{sC}n

    for f with a weight of at most C times the density of templates, and weights of at most C/m
    on the columns.

    Parameters
    ----------
    n_templates, n_bins : int
        Templates m and bins n.
    window, scale : float
        Window s and scale C.
    delta : float or array
        Failure probability of each of the first two terms.
    n_elements : int or array, optional
        r elements, the same for all templates, independent or distinct ones of a finite group;
        default the whole group.
    form : {"proved", "printed"}
        "printed", as recalled: log(m/delta) in the second term, and 2 s C/n.

    Returns
    -------
    Bound
        Terms "templates", "elements" (of a sample) and "binning"; probability 1 - 2 delta, or
        1 - delta for the whole group. `trivial` is 2 s C.

    See Also
    --------
    theorem_3 : Excess risk, of which this is the approximation term.
    theorem_2 : Error of the kernel.

    References
    ----------
    Mroueh, Voinea, Poggio (2015), Lemma 4; :doc:`/theorems/group-invariant-lemma-4`.

    Examples
    --------
    >>> bound = lemma_4(100, n_bins=10, window=1.0, scale=1.0, delta=0.05)
    >>> round(bound.value, 3), bound.probability
    (0.79, 0.95)
    """
    require_form(form)
    n_templates, n_bins = require_count(n_templates=n_templates, n_bins=n_bins)
    require_positive(window=window, scale=scale)
    require_probability(delta=delta)
    size = 2.0 * window * scale
    root = 1.0 + math.sqrt(-2.0 * math.log(delta))
    terms = [
        Term(
            "templates",
            size * root / math.sqrt(n_templates),
            r"\frac{2sC}{\sqrt m}(1 + \sqrt{2\log(1/\delta)})",
        )
    ]
    assumptions = [TEMPLATES]
    if n_elements is not None:
        (n_elements,) = require_count(n_elements=n_elements)
        assumptions.append(ELEMENTS)
        inside = math.log((n_templates if form == "printed" else 1) / delta)
        terms.append(
            Term(
                "elements",
                size * (1.0 + math.sqrt(2.0 * inside)) / math.sqrt(n_elements),
                r"\frac{2sC}{\sqrt r}(1 + \sqrt{2\log(1/\delta)})",
            )
        )
    part = 1.0 if form == "printed" else 0.5
    terms.append(Term("binning", part * size / n_bins, r"sC/n"))
    return Bound(
        statement="group-invariant.lemma-4",
        form=form,
        quantity="L2 distance to weights of at most C/m",
        terms=tuple(terms),
        probability=1 - (1 if n_elements is None else 2) * delta,
        assumptions=tuple(assumptions),
        trivial=size,
    )
