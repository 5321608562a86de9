"""Approximation and excess risk on invariant features."""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler.bounds._arguments import counts, positives, probabilities
from mehler.bounds._bound import Assumption, Bound, Counts, Reals, Term, bound, digits
from mehler.bounds.group_invariant._kernel_error import ELEMENTS, TEMPLATES

_SAMPLES = Assumption("the samples are independent of each other, of the templates and elements")


@bound(
    "group-invariant.lemma-4",
    "L2 distance to weights of at most C/m",
    "n_templates",
    "n_bins",
    "n_elements",
)
def approximation(
    n_templates: Counts,
    *,
    n_bins: Counts,
    window: Reals,
    scale: Reals,
    delta: Reals,
    n_elements: Counts | None = None,
) -> Bound:
    r"""Bound the L2 distance from a function of the class to combinations of features.

    .. math:: \|f - \tilde f\| \le \frac{2sC}{\sqrt m}\Big(1 + \sqrt{2\log\tfrac1\delta}\Big)
              + \frac{2sC}{\sqrt r}\Big(1 + \sqrt{2\log\tfrac1\delta}\Big) + \frac{sC}n

    with probability at least 1 - 2 delta, for f with a weight of at most C times the density of
    templates, and weights of at most C/m on the columns. With the whole group the term in r
    vanishes: 1 - delta. Terms: "templates", "elements" (of a sample) and "binning". `trivial` is 2
    s C. Proof: :doc:`/theorems/group-invariant-lemma-4`; arguments:
    :mod:`mehler.bounds.group_invariant`.

    Examples
    --------
    >>> from mehler.bounds import group_invariant
    >>> bound = group_invariant.approximation(100, n_bins=10, window=1.0, scale=1.0, delta=0.05)
    >>> round(bound.value, 3), bound.probability
    (0.79, 0.95)
    """
    s, weight = positives(window=window, scale=scale)
    chance = probabilities(delta=delta)
    text = f"the window {digits(s)} holds every projection of a row on a template"
    return Bound(
        terms=_distances(n_templates, n_bins, n_elements, 2.0 * s * weight, chance),
        probability=1 - (1 if n_elements is None else 2) * chance,
        assumptions=(TEMPLATES, Assumption(text), *(() if n_elements is None else (ELEMENTS,))),
        trivial=2.0 * s * weight,
    )


def _distances(
    n_templates: Counts, n_bins: Counts, n_elements: Counts | None, size: Any, delta: Any
) -> tuple[Term, ...]:
    """Return the terms of :func:`approximation`; `size` is 2 s C."""
    m, n = counts(n_templates=n_templates, n_bins=n_bins)
    root = 1.0 + np.sqrt(-2.0 * np.log(delta))
    terms = [Term("templates", size * root / np.sqrt(m))]
    if n_elements is not None:
        value = size * root / np.sqrt(counts(n_elements=n_elements))
        terms.append(Term("elements", value))
    return (*terms, Term("binning", 0.5 * size / n))


@bound(
    "group-invariant.theorem-3",
    "excess risk of the empirical minimiser",
    "n_samples",
    "n_templates",
    "n_bins",
    "n_elements",
)
def excess_risk(
    n_samples: Counts,
    *,
    n_templates: Counts,
    n_bins: Counts,
    window: Reals,
    scale: Reals,
    lipschitz: Reals,
    delta: Reals,
    n_elements: Counts | None = None,
) -> Bound:
    r"""Bound the excess risk of the empirical minimiser over weights of at most C/m.

    .. math:: \mathcal E(f_N) - \inf_{\mathcal F_p}\mathcal E \le
                  \frac{4LsC}{\sqrt N}\Big(1 + \sqrt{2\log\tfrac1\delta}\Big)
                  + \frac{2sLC}{\sqrt m}\Big(1 + \sqrt{2\log\tfrac1\delta}\Big)
                  + \frac{4sLC}{\sqrt r}\Big(1 + \sqrt{2\log\tfrac1\delta}\Big) + \frac{sLC}n

    with probability at least 1 - 5 delta; the samples are orbits, one representative of each. With
    the whole group the term in r vanishes: 1 - 3 delta. Terms: "statistical", "confidence",
    "templates", "elements" (of a sample) and "binning". `trivial` is 4 L s C, the range of the
    loss. Proof: :doc:`/theorems/group-invariant-theorem-3`; arguments:
    :mod:`mehler.bounds.group_invariant`.

    Examples
    --------
    >>> from mehler.bounds import group_invariant
    >>> bound = group_invariant.excess_risk(10**6, n_templates=10**6, n_bins=100, window=1.0,
    ...                                     scale=1.0, lipschitz=1.0, delta=0.01)
    >>> round(bound.value, 4), bound.probability
    (0.0342, 0.97)
    """
    n, chance = counts(n_samples=n_samples), probabilities(delta=delta)
    s, weight, steep = positives(window=window, scale=scale, lipschitz=lipschitz)
    size, root = steep * s * weight, np.sqrt(n)
    deviation = np.sqrt(-2.0 * np.log(chance))
    terms = [
        Term("statistical", 4.0 * size / root),
        Term("confidence", 4.0 * size * deviation / root),
    ]
    for term in _distances(n_templates, n_bins, n_elements, 2.0 * s * weight, chance):
        # On the whole space features of a sample are not invariant: as much again for them.
        factor = 2.0 if term.name == "elements" else 1.0
        terms.append(Term(term.name, steep * factor * term.value))
    text = f"the window {digits(s)} holds every projection of a row on a template"
    return Bound(
        terms=tuple(terms),
        probability=1 - (3 if n_elements is None else 5) * chance,
        assumptions=(
            TEMPLATES,
            Assumption(text),
            _SAMPLES,
            Assumption(f"the loss is {digits(steep)}-Lipschitz in the prediction"),
            *(() if n_elements is None else (ELEMENTS,)),
        ),
        trivial=4.0 * size,
    )


@bound("group-invariant.theorem-4", "largest error of a distribution function", "n_elements")
def cdf_error(n_elements: Counts, *, delta: Reals) -> Bound:
    r"""Bound the largest error of a distribution function over r independent elements.

    .. math:: \sup_\tau|\hat\psi(x, t, \tau) - \psi(x, t, \tau)| \le
              \sqrt{\frac1{2r}\log\frac2\delta}

    for one row and one template, with probability at least 1 - delta. Term: "confidence". `trivial`
    is 1. Proof: :doc:`/theorems/group-invariant-theorem-4`; arguments:
    :mod:`mehler.bounds.group_invariant`.

    Examples
    --------
    >>> from mehler.bounds import group_invariant
    >>> round(group_invariant.cdf_error(50, delta=0.05).value, 4)
    0.1921
    """
    r, chance = counts(n_elements=n_elements), probabilities(delta=delta)
    value = np.sqrt(np.log(2.0 / chance) / (2.0 * r))
    terms = (Term("confidence", value),)
    assumptions = (Assumption("the elements are independent Haar draws"),)
    return Bound(terms=terms, probability=1 - chance, assumptions=assumptions, trivial=1.0)
