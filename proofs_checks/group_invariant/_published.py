r"""Bounds of Mroueh, Voinea and Poggio (2015) for group-invariant features, as published.

A random vector t, a *template*, gives a row x the distribution function of <g t, x> over r elements
g of a group, at the ends of n *bins* of a *window* [-s, s]: its features. K_s is their mean inner
product, for the whole group and endless bins. Theorems 1 to 3 and Lemma 4 have no formulas in our
text of the paper; they are restored from the proofs, unverified, with its constants :math:`C_1`
(`c1`) and :math:`C_2` (`c2`). Other arguments are those of :mod:`mehler.bounds.group_invariant`.
"""

from typing import Literal

import numpy as np

from mehler.bounds import Assumption, Bound, Term

_ORTHOGONAL = Assumption("the group acts by orthogonal matrices")
_DRAWN = (
    Assumption("templates are independent"),
    Assumption("no projection is clipped by the window"),
)


def theorem_1(n_inputs: int, *, epsilon: float, side: Literal["above", "below"]) -> Bound:
    r"""Bound how far K_s is `side` s - d_G, with d_G = E|gx - g'z|/sqrt(2 pi d), s = 1 + epsilon.

    .. math:: \delta_1 = \frac{e^{-d\epsilon^2/16}}{\sqrt d} - \frac12
              \frac{e^{-d\epsilon/2}(1+\epsilon)^{d/2}}{\sqrt d}, \qquad
              \delta_2 = \frac{e^{-d\epsilon^2/16}}{\sqrt d} + (1+\epsilon)e^{-d\epsilon^2/8}
    """
    if side == "above":
        rejected = np.exp(0.5 * n_inputs * (np.log1p(epsilon) - epsilon))
        tail = -0.5 * rejected / np.sqrt(n_inputs)
    else:
        tail = (1 + epsilon) * np.exp(-n_inputs * epsilon**2 / 8)
    moment = np.exp(-n_inputs * epsilon**2 / 16) / np.sqrt(n_inputs)
    return Bound(
        statement="group-invariant.theorem-1",
        form="printed",
        quantity=f"K_s {side} s - d_G",
        terms=(Term("moment", moment), Term("tail", tail)),
        probability=1.0,
        assumptions=(_ORTHOGONAL,),
        trivial=1.0 + epsilon,
    )


def theorem_2(
    n_templates: int,
    *,
    n_bins: int,
    n_rows: int,
    delta: float,
    window: float,
    c1: float,
    n_elements: int | None = None,
    c2: float | None = None,
) -> Bound:
    r"""Bound the errors of inner products of N rows: m templates, n bins, r group elements.

    .. math:: \max\Big\{\frac1n, \sqrt{\frac{C_1}m\log\frac N\delta},
              \sqrt{\frac{C_2}r\log\frac{Nm}\delta}\Big\}

    with probability at least :math:`1 - \delta^2`; without the last for the whole group.
    """
    if (n_elements is None) != (c2 is None):
        raise ValueError("give c2 with n_elements, for a sample of elements, or neither")
    values = [1.0 / n_bins, np.sqrt(c1 * np.log(n_rows / delta) / n_templates)]
    formulas = ["1/n", r"\sqrt{C_1\log(N/\delta)/m}"]
    if n_elements is not None and c2 is not None:
        values.append(np.sqrt(c2 * np.log(n_rows * n_templates / delta) / n_elements))
        formulas.append(r"\sqrt{C_2\log(Nm/\delta)/r}")
    return Bound(
        statement="group-invariant.theorem-2",
        form="printed",
        quantity="largest error of an inner product over all pairs",
        terms=(Term("largest", max(values)),),
        probability=1 - delta**2,
        assumptions=(_ORTHOGONAL, *_DRAWN),
        trivial=2.0 * window,
    )


def lemma_4(
    n_templates: int,
    *,
    n_bins: int,
    window: float,
    scale: float,
    delta: float,
    n_elements: int | None = None,
) -> Bound:
    r"""Bound the L2 distance of a mean over all templates from a sum over m, both with weights.

    .. math:: \frac{2sC}{\sqrt m}\Big(1 + \sqrt{2\log\tfrac1\delta}\Big)
              + \frac{2sC}{\sqrt r}\Big(1 + \sqrt{2\log\tfrac m\delta}\Big) + \frac{2sC}n

    Weights are at most C, the `scale`, and C/m; s is the `window`. The second term is of a sample
    of elements. Probabilities are those of :func:`mehler.bounds.group_invariant.approximation`.
    """
    size = 2.0 * window * scale
    root = 1.0 + np.sqrt(-2.0 * np.log(delta))
    terms = [Term("templates", size * root / np.sqrt(n_templates))]
    if n_elements is not None:
        union = 1.0 + np.sqrt(2.0 * np.log(n_templates / delta))
        terms.append(Term("elements", size * union / np.sqrt(n_elements)))
    terms.append(Term("binning", size / n_bins))
    return Bound(
        statement="group-invariant.lemma-4",
        form="printed",
        quantity="L2 distance to weights of at most C/m",
        terms=tuple(terms),
        probability=1 - (1 if n_elements is None else 2) * delta,
        assumptions=_DRAWN,
        trivial=size,
    )


def theorem_3(n_samples: int, *, lipschitz: float, loss_at_zero: float, **distance: float) -> Bound:
    r"""Bound the excess risk of the sum that minimises the empirical risk of N samples.

    .. math:: \frac2{\sqrt N}\Big(4LsC + 2|V(0)| + LC\sqrt{\tfrac12\log\tfrac1\delta}\Big)

    and L times :func:`lemma_4`, which has the other arguments, with probability at least
    :math:`1 - 3\delta`. L is the Lipschitz constant of the loss V, `loss_at_zero` :math:`|V(0)|`.
    """
    near = lemma_4(**distance)  # type: ignore[arg-type]  # counts among them
    weight, root = lipschitz * distance["scale"], np.sqrt(n_samples)
    size = weight * distance["window"]
    deviation = 2.0 * weight * np.sqrt(-0.5 * np.log(distance["delta"])) / root
    return Bound(
        statement="group-invariant.theorem-3",
        form="printed",
        quantity="excess risk of the empirical minimiser",
        terms=(
            Term("statistical", 8.0 * size / root),
            Term("loss at zero", 4.0 * loss_at_zero / root),
            Term("confidence", deviation),
            *(Term(t.name, lipschitz * t.value) for t in near.terms),
        ),
        probability=1 - 3 * distance["delta"],
        assumptions=(*_DRAWN, Assumption("samples are independent")),
        trivial=4.0 * size,
    )
