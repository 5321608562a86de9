r"""Theorems 1 to 3 and Lemma 4 of the paper on group-invariant features, restored from its text.

The source text lacks these formulas; they are written from the proofs and from memory. Arguments
are those of :mod:`mehler.bounds.group_invariant`, and the paper's constants :math:`C_1` (`c1`) and
:math:`C_2` (`c2`), which it gives no values. Theorem 4 is
:func:`mehler.bounds.group_invariant.cdf_error`.
"""

from __future__ import annotations

import math
from typing import Literal

from mehler._validate import require_positive
from mehler.bounds._function import Formula, bound, derived
from mehler.bounds.group_invariant._elements import (
    LOSS,
    ORTHOGONAL,
    SAMPLES,
    TEMPLATES,
    UNCLIPPED,
    of_elements,
)

__all__ = ["lemma_4", "theorem_1", "theorem_2", "theorem_3"]


@bound(
    "group-invariant.theorem-1",
    "K_s {side} s - d_G",
    form="printed",
    assumes=(ORTHOGONAL,),
    domains={"epsilon": require_positive},
)
def theorem_1(n_inputs: int, *, epsilon: float, side: Literal["above", "below"]) -> Formula:
    r"""Evaluate the restored distance of the expected kernel from s - d_G.

    .. math:: \delta_1 = \frac{e^{-d\epsilon^2/16}}{\sqrt d} - \frac12
              \frac{e^{-d\epsilon/2}(1+\epsilon)^{d/2}}{\sqrt d}, \qquad
              \delta_2 = \frac{e^{-d\epsilon^2/16}}{\sqrt d} + (1+\epsilon)e^{-d\epsilon^2/8}

    Terms: "moment" and "tail".

    Examples
    --------
    >>> from mehler.bounds import printed
    >>> round(printed.group_invariant.theorem_1(40, epsilon=0.1, side="below").value, 2)
    1.2
    """
    moment = math.exp(-n_inputs * epsilon**2 / 16) / math.sqrt(n_inputs)
    if side == "above":
        rejected = math.exp(0.5 * n_inputs * (math.log1p(epsilon) - epsilon))
        tail = -0.5 * rejected / math.sqrt(n_inputs)
        formula = r"-\tfrac12 e^{-d\epsilon/2}(1+\epsilon)^{d/2}/\sqrt d"
    else:
        tail = (1 + epsilon) * math.exp(-n_inputs * epsilon**2 / 8)
        formula = r"(1+\epsilon)e^{-d\epsilon^2/8}"
    terms = {"moment": (moment, r"e^{-d\epsilon^2/16}/\sqrt d"), "tail": (tail, formula)}
    return Formula(terms, trivial=1.0 + epsilon)


@bound(
    "group-invariant.theorem-2",
    "largest error of an inner product over all pairs",
    form="printed",
    assumes=(ORTHOGONAL, TEMPLATES, UNCLIPPED),
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
) -> Formula:
    r"""Evaluate the restored error of inner products over all pairs of N rows.

    .. math:: \max\Big\{\frac1n, \sqrt{\frac{C_1}m\log\frac N\delta},
              \sqrt{\frac{C_2}r\log\frac{Nm}\delta}\Big\}

    with probability at least :math:`1 - \delta^2`; without the last for the whole group.

    Term: "largest". `trivial` is 2 s.

    Parameters
    ----------
    c1, c2 : float
        :math:`C_1`, and :math:`C_2` for a sample of elements alone.

    Examples
    --------
    >>> from mehler.bounds import printed
    >>> round(printed.group_invariant.theorem_2(500, n_bins=20, n_rows=12, delta=0.1, window=1.3,
    ...                                         c1=2.0).value, 4)
    0.1384
    """
    if (n_elements is None) != (c2 is None):
        raise ValueError("give c2 with n_elements, for a sample of elements, or neither")
    values = [1.0 / n_bins, math.sqrt(c1 * math.log(n_rows / delta) / n_templates)]
    formulas = ["1/n", r"\sqrt{C_1\log(N/\delta)/m}"]
    if n_elements is not None and c2 is not None:
        values.append(math.sqrt(c2 * math.log(n_rows * n_templates / delta) / n_elements))
        formulas.append(r"\sqrt{C_2\log(Nm/\delta)/r}")
    terms = {"largest": (max(values), rf"\max({', '.join(formulas)})")}
    return Formula(terms, 1 - delta**2, trivial=2.0 * window, assumptions=of_elements(n_elements))


@bound(
    "group-invariant.lemma-4",
    "L2 distance to weights of at most C/m",
    form="printed",
    assumes=(TEMPLATES, UNCLIPPED),
)
def lemma_4(
    n_templates: int,
    *,
    n_bins: int,
    window: float,
    scale: float,
    delta: float,
    n_elements: int | None = None,
) -> Formula:
    r"""Evaluate the restored distance from a function of the class to features.

    .. math:: \frac{2sC}{\sqrt m}\Big(1 + \sqrt{2\log\tfrac1\delta}\Big)
              + \frac{2sC}{\sqrt r}\Big(1 + \sqrt{2\log\tfrac m\delta}\Big) + \frac{2sC}n

    with the probabilities of :func:`mehler.bounds.group_invariant.approximation`.

    Terms: "templates", "elements" (of a sample) and "binning". `trivial` is 2 s C.

    Examples
    --------
    >>> from mehler.bounds import printed
    >>> round(printed.group_invariant.lemma_4(100, n_bins=10, window=1.0, scale=1.0,
    ...                                       delta=0.05).value, 4)
    0.8895
    """
    size = 2.0 * window * scale
    root = 1.0 + math.sqrt(-2.0 * math.log(delta))
    terms = {
        "templates": (
            size * root / math.sqrt(n_templates),
            r"\frac{2sC}{\sqrt m}(1 + \sqrt{2\log(1/\delta)})",
        )
    }
    if n_elements is not None:
        union = 1.0 + math.sqrt(2.0 * math.log(n_templates / delta))
        terms["elements"] = (
            size * union / math.sqrt(n_elements),
            r"\frac{2sC}{\sqrt r}(1 + \sqrt{2\log(m/\delta)})",
        )
    terms["binning"] = (size / n_bins, "2sC/n")
    assumptions = of_elements(n_elements)
    return Formula(
        terms,
        probability=1 - (1 if n_elements is None else 2) * delta,
        trivial=size,
        assumptions=assumptions,
    )


@bound(
    "group-invariant.theorem-3",
    "excess risk of the empirical minimiser",
    form="printed",
    assumes=(TEMPLATES, UNCLIPPED, SAMPLES, LOSS),
)
@derived(lemma_4.body)
def theorem_3(
    near: Formula,
    n_samples: int,
    *,
    window: float,
    scale: float,
    lipschitz: float,
    delta: float,
    loss_at_zero: float,
) -> Formula:
    r"""Evaluate the restored excess risk of the empirical minimiser.

    .. math:: \frac2{\sqrt N}\Big(4LsC + 2|V(0)| + LC\sqrt{\tfrac12\log\tfrac1\delta}\Big)

    and L times :func:`lemma_4`, with probability at least 1 - 3 delta.

    Terms: "statistical", "loss at zero", "confidence" and those of :func:`lemma_4`. `trivial` is 4
    L s C.

    Parameters
    ----------
    loss_at_zero : float
        :math:`|V(0)|`.

    Examples
    --------
    >>> from mehler.bounds import printed
    >>> round(printed.group_invariant.theorem_3(10**6, n_templates=10**6, n_bins=100, window=1.0,
    ...     scale=1.0, lipschitz=1.0, delta=0.01, loss_at_zero=0.5).value, 4)
    0.0411
    """
    size, root = lipschitz * window * scale, math.sqrt(n_samples)
    deviation = math.sqrt(-0.5 * math.log(delta))
    terms = {
        "statistical": (8.0 * size / root, r"8LsC/\sqrt N"),
        "loss at zero": (4.0 * loss_at_zero / root, r"4|V(0)|/\sqrt N"),
        "confidence": (
            2.0 * lipschitz * scale * deviation / root,
            r"2LC\sqrt{\tfrac12\log(1/\delta)}/\sqrt N",
        ),
        **near.times(lipschitz, "L", trivial=4.0 * size).terms,
    }
    return Formula(terms, 1 - 3 * delta, trivial=4.0 * size, assumptions=near.assumptions)
