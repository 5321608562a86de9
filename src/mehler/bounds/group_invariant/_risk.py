"""Lemma 4 and Theorems 3 and 4: approximation, excess risk, empirical distribution functions."""

from __future__ import annotations

import math

from mehler.bounds._function import Formula, bound
from mehler.bounds.group_invariant._assumptions import (
    DOMAINS,
    INDEPENDENT_ELEMENTS,
    LOSS,
    SAMPLES,
    TEMPLATES,
    UNCLIPPED,
    of_elements,
)


@bound(
    "group-invariant.lemma-4",
    "L2 distance to weights of at most C/m",
    falls_in=("n_templates", "n_bins", "n_elements"),
    assumes=(TEMPLATES, UNCLIPPED),
    domains=DOMAINS,
)
def approximation(
    n_templates: int,
    *,
    n_bins: int,
    window: float,
    scale: float,
    delta: float,
    n_elements: int | None = None,
) -> Formula:
    r"""Bound the L2 distance from a function of the class to combinations of features.

    .. math:: \|f - \tilde f\| \le \frac{2sC}{\sqrt m}\Big(1 + \sqrt{2\log\tfrac1\delta}\Big)
              + \frac{2sC}{\sqrt r}\Big(1 + \sqrt{2\log\tfrac1\delta}\Big) + \frac{sC}n

    with probability at least 1 - 2 delta, for f with a weight of at most C times the density of
    templates, and weights of at most C/m on the columns. With the whole group the term in r
    vanishes: 1 - delta.

    Parameters
    ----------
    n_templates, n_bins, window, scale, delta, n_elements
        As :mod:`mehler.bounds.group_invariant` says.

    Returns
    -------
    Bound
        With the terms "templates", "elements" (of a sample) and "binning". `trivial` is 2 s C.

    References
    ----------
    Mroueh, Voinea, Poggio (2015), Lemma 4; :doc:`/theorems/group-invariant-lemma-4`.

    Examples
    --------
    >>> from mehler.bounds import group_invariant
    >>> bound = group_invariant.approximation(100, n_bins=10, window=1.0, scale=1.0, delta=0.05)
    >>> round(bound.value, 3), bound.probability
    (0.79, 0.95)
    """
    size = 2.0 * window * scale
    root = 1.0 + math.sqrt(-2.0 * math.log(delta))
    log = r"(1 + \sqrt{2\log(1/\delta)})"
    terms = {"templates": (size * root / math.sqrt(n_templates), rf"\frac{{2sC}}{{\sqrt m}}{log}")}
    if n_elements is not None:
        value = size * root / math.sqrt(n_elements)
        terms["elements"] = (value, rf"\frac{{2sC}}{{\sqrt r}}{log}")
    terms["binning"] = (0.5 * size / n_bins, "sC/n")
    return Formula(
        terms,
        probability=1 - (1 if n_elements is None else 2) * delta,
        trivial=size,
        assumptions=of_elements(n_elements),
    )


@bound(
    "group-invariant.theorem-3",
    "excess risk of the empirical minimiser",
    falls_in=("n_samples", "n_templates", "n_bins", "n_elements"),
    assumes=(TEMPLATES, UNCLIPPED, SAMPLES, LOSS),
    domains=DOMAINS,
)
def excess_risk(
    n_samples: int,
    *,
    n_templates: int,
    n_bins: int,
    window: float,
    scale: float,
    lipschitz: float,
    delta: float,
    n_elements: int | None = None,
) -> Formula:
    r"""Bound the excess risk of the empirical minimiser over weights of at most C/m.

    .. math::

        \mathcal E(f_N) - \inf_{\mathcal F_p}\mathcal E \le
            \frac{4LsC}{\sqrt N}\Big(1 + \sqrt{2\log\tfrac1\delta}\Big)
            + \frac{2sLC}{\sqrt m}\Big(1 + \sqrt{2\log\tfrac1\delta}\Big)
            + \frac{4sLC}{\sqrt r}\Big(1 + \sqrt{2\log\tfrac1\delta}\Big) + \frac{sLC}n

    with probability at least 1 - 5 delta; the samples are orbits, one representative of each. With
    the whole group the term in r vanishes: 1 - 3 delta.

    Parameters
    ----------
    n_samples, n_templates, n_bins, window, scale, lipschitz, delta, n_elements
        As :mod:`mehler.bounds.group_invariant` says.

    Returns
    -------
    Bound
        With the terms "statistical", "confidence", "templates", "elements" (of a sample) and
        "binning". `trivial` is 4 L s C, the range of the loss.

    References
    ----------
    Mroueh, Voinea, Poggio (2015), Theorem 3; :doc:`/theorems/group-invariant-theorem-3`.

    Examples
    --------
    >>> from mehler.bounds import group_invariant
    >>> bound = group_invariant.excess_risk(10**6, n_templates=10**6, n_bins=100, window=1.0,
    ...                                     scale=1.0, lipschitz=1.0, delta=0.01)
    >>> round(bound.value, 4), bound.probability
    (0.0342, 0.97)
    """
    near = approximation.evaluate.body(
        n_templates,
        n_bins=n_bins,
        window=window,
        scale=scale,
        delta=delta,
        n_elements=n_elements,
    )
    size, root = lipschitz * window * scale, math.sqrt(n_samples)
    deviation = math.sqrt(-2.0 * math.log(delta))
    terms = {
        "statistical": (4.0 * size / root, r"4LsC/\sqrt N"),
        "confidence": (4.0 * size * deviation / root, r"4LsC\sqrt{2\log(1/\delta)/N}"),
    }
    for name, (value, formula) in near.terms.items():
        # On the whole space features of a sample are not invariant: as much again for them.
        factor, latex = (2.0, r"2L\,") if name == "elements" else (1.0, r"L\,")
        terms[name] = (lipschitz * factor * value, latex + formula)
    return Formula(
        terms,
        probability=1 - (3 if n_elements is None else 5) * delta,
        trivial=4.0 * size,
        assumptions=near.assumptions,
    )


@bound(
    "group-invariant.theorem-4",
    "largest error of a distribution function",
    falls_in=("n_elements",),
    assumes=(INDEPENDENT_ELEMENTS,),
)
def cdf_error(n_elements: int, *, delta: float) -> Formula:
    r"""Bound the largest error of a distribution function over r independent elements.

    .. math:: \sup_\tau|\hat\psi(x, t, \tau) - \psi(x, t, \tau)| \le
              \sqrt{\frac1{2r}\log\frac2\delta}

    for one row and one template, with probability at least 1 - delta. It is the published formula.

    Parameters
    ----------
    n_elements : int or array
        r.
    delta : float or array
        Failure probability.

    Returns
    -------
    Bound
        With the term "confidence". `trivial` is 1.

    References
    ----------
    Dvoretzky, Kiefer, Wolfowitz (1956); the constant 2 is P. Massart's (1990). Mroueh, Voinea,
    Poggio (2015), Theorem 4; :doc:`/theorems/group-invariant-theorem-4`.

    Examples
    --------
    >>> from mehler.bounds import group_invariant
    >>> round(group_invariant.cdf_error(50, delta=0.05).value, 4)
    0.1921
    """
    value = math.sqrt(math.log(2.0 / delta) / (2.0 * n_elements))
    return Formula(
        {"confidence": (value, r"\sqrt{\log(2/\delta)/(2r)}")}, probability=1 - delta, trivial=1.0
    )
