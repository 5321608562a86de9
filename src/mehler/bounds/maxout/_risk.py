"""Theorem 2 and Remark 2: excess risk of the empirical minimiser over the box of m units."""

from __future__ import annotations

import math
from typing import Any

from mehler.bounds._bound import (
    Assumption,
    Bound,
    Form,
    Term,
    require_count,
    require_form,
    require_positive,
    require_probability,
)
from mehler.bounds._elementwise import elementwise
from mehler.bounds.maxout._arguments import (
    InputSet,
    Shape,
    given,
    refuse,
    require_not_negative,
    require_shape,
    root_log,
    two_lengths,
    unit_size,
)
from mehler.bounds.maxout._printed_risk import QUANTITY, drawn, printed_theorem
from mehler.bounds.maxout._supremum import supremum


@elementwise
def theorem_2(
    *,
    n_features: int,
    n_samples: int,
    pool_size: int,
    scale: float,
    lipschitz: float,
    delta: float | None = None,
    loss_bound: float = 1.0,
    radius: float = 1.0,
    n_inputs: int | None = None,
    dimension: float | None = None,
    diameter: float | None = None,
    centred: bool = False,
    mean_norm: float | None = None,
    form: Form = "proved",
    shape: Shape = "dimension-free",
    loss_at_zero: float | None = None,
    epsilon: float | None = None,
    c_prime: float | None = None,
    c: float | None = None,
) -> Bound:
    r"""Bound the excess risk of the empirical risk minimiser over the box.

    .. math::

        \mathcal E_V(\hat f_N) - \inf_{\mathcal F} \mathcal E_V \le
        \frac{2 L C R}{\sqrt N} \Big(\sigma(q) + \sqrt{\tfrac{2 \log(1/\delta)}{m}}\Big)
        + B \sqrt{\tfrac{2 \log(1/\delta)}{N}}
        + \frac{L C R}{\sqrt m} \Big(\sigma(q) + \sqrt{2 \log(1/\delta)}\Big)

    with probability at least :math:`1 - 3 \delta` over the weights and the data; without `delta`,
    :math:`L C R \sigma(q) (2/\sqrt N + 1/\sqrt m)` in expectation.

    Parameters
    ----------
    n_features, n_samples, pool_size : int
        Number of features m, of samples N, and pool size q.
    scale : float
        C: weights are at most C/m.
    lipschitz, loss_bound : float
        L and B: the loss is L-Lipschitz in y f(x), with values in [0, B]; B may be infinity where
        `delta` is left out.
    delta : float or array, optional
        The bound fails with at most probability 3 delta; with 4 delta in ``shape="paper"``;
        printed, with ``3 delta + 2 exp(-c d / 4)``. Left out, the bound is of the expectation,
        which only ``shape="dimension-free"`` has.
    radius : float
        R: the root mean square norm of an input, :math:`(E|x|^2)^{1/2}`; in ``shape="paper"``
        the largest norm.
    n_inputs, dimension, diameter : int, float, float
        d, the doubling dimension k and the diameter D of the set of inputs; only for
        ``shape="paper"`` and the print.
    centred : bool, optional
        The units are centred, phi - h_1(q)|x|: then sqrt(V(q)) stands for sigma(q), which it is
        smaller than for q > 1. Only for ``shape="dimension-free"``.
    mean_norm : float, optional
        Z = (1/m) sum_l ((1/N) sum_i phi(x_i, W^l)^2)^(1/2) of these units and this sample, for
        ``shape="dimension-free"``: the statistical term is then 2 L C Z/sqrt(N), the confidence
        term twice as large, and the bound fails with at most probability 2 delta.
    form : {"proved", "printed"}
        The bound proved here, or the paper's formula.
    shape : {"dimension-free", "paper"}
        The paper's has :math:`\frac{L C M_\delta}{\sqrt m} (1 + \sqrt{2 \log(1/\delta)})` as its
        last term, with :math:`M_\delta` of :func:`lemma_2`, and is always larger.
    loss_at_zero, epsilon, c_prime, c : float, optional
        :math:`|V(0)|`, :math:`\varepsilon` and the constants of the print, which is
        :math:`4 L C \sigma(q)/\sqrt N + 2 |V(0)|/\sqrt N + 2 \sqrt{2 \log(1/\delta)/N} +
        L C \varepsilon (1 + \sqrt{2 \log(1/\delta)})` under :func:`theorem_2_condition`.

    Returns
    -------
    Bound
        Its terms are "statistical", "confidence" and "approximation", printed "loss at zero" too.
        `trivial` is the smaller of B and :math:`LCR(2\sigma(q) + \sqrt{2\log(1/\delta)/m})`, L
        times what the functions of both classes are long, on one of the bound's own events.

    Raises
    ------
    TypeError, ValueError
        A number out of range, or one that the form needs and that is missing.

    See Also
    --------
    theorem_2_features : The least m for a target excess risk.
    lemma_3 : The L2 error behind the approximation term.

    Notes
    -----
    About 1 ms, for :math:`\sigma(q)`.

    References
    ----------
    Mroueh, Rennie, Goel (2015), Theorem 2; proof of what holds in :doc:`/theorems/theorem-2`, of
    `centred` and `mean_norm` in :doc:`/theorems/sharper-risk`.

    Examples
    --------
    >>> from mehler.bounds import maxout
    >>> bound = maxout.theorem_2(n_features=10_000, n_samples=60_000, pool_size=4, scale=1.0,
    ...                          lipschitz=1.0, delta=0.01)
    >>> for term in bound.terms:
    ...     print(f"{term.name:13} {term.value:.4f}")
    statistical   0.0104
    confidence    0.0124
    approximation 0.0428
    """
    require_form(form)
    require_shape(shape)
    n_features, n_samples, pool_size = require_count(
        n_features=n_features, n_samples=n_samples, pool_size=pool_size
    )
    require_positive(scale=scale, lipschitz=lipschitz, radius=radius)
    free = form == "proved" and shape == "dimension-free"
    # An expectation asks for no bound of the loss.
    if delta is not None or loss_bound != math.inf:
        require_positive(loss_bound=loss_bound)
    if delta is not None or not free:
        require_probability(delta=delta)
    if form == "printed":
        if loss_bound != 1 or radius != 1:
            raise ValueError(
                "the printed theorem is about radius=1 and loss_bound=1: leave them out, or use "
                "remark_2"
            )
        refuse("the print has none", given(mean_norm=mean_norm, centred=centred or None))
        return printed_theorem(
            InputSet.of(n_inputs, dimension, diameter),
            (n_features, n_samples, pool_size),
            (scale, lipschitz, loss_at_zero, epsilon),
            delta,
            c_prime,
            c,
        )
    refuse(
        "only the printed form has it",
        given(loss_at_zero=loss_at_zero, epsilon=epsilon, c_prime=c_prime, c=c),
    )
    inputs: InputSet | None = None
    assumptions: tuple[Assumption, ...]
    sigma = unit_size(pool_size, centred)
    if mean_norm is not None:
        if delta is None:
            raise ValueError("mean_norm is of one sample, and an expectation has none: give delta")
        require_not_negative(mean_norm=mean_norm)
    if free:
        refuse(
            "shape='dimension-free' has none",
            given(n_inputs=n_inputs, dimension=dimension, diameter=diameter),
        )
        assumptions = (Assumption(f"inputs have root mean square norm at most {radius:g}"),)
    else:
        refuse("only shape='dimension-free' has it", given(mean_norm=mean_norm))
        if centred:
            raise ValueError("centred=True is of shape='dimension-free' only: leave it out")
        inputs = InputSet.of(n_inputs, dimension, diameter, radius)
        assumptions = inputs.assumptions
    size = lipschitz * scale
    if delta is None:
        terms = _expected(n_features, n_samples, size * radius * sigma)
        probability = 1.0
        lengths = 2 * sigma
    else:
        events = 4 if not free else 3 if mean_norm is None else 2
        last = size * approximation(n_features, pool_size, sigma, radius, delta, inputs)
        terms = [
            *(
                _of_sample(n_features, n_samples, size * radius, sigma, loss_bound, delta)
                if mean_norm is None
                else _of_this_sample(n_samples, size * mean_norm, loss_bound, delta)
            ),
            Term("approximation", last, _approximation_formula(inputs)),
        ]
        probability = 1 - events * delta
        # Of the units' mean norm in the population, which is not among these events.
        lengths = two_lengths(sigma, n_features, delta) if mean_norm is None else math.inf
    return Bound(
        statement="maxout.theorem-2",
        form="proved",
        quantity=QUANTITY + (", in expectation" if delta is None else ""),
        terms=tuple(terms),
        probability=probability,
        assumptions=(*assumptions, *drawn(lipschitz, loss_bound)),
        trivial=min(loss_bound, size * radius * lengths),
    )


@elementwise
def remark_2(*, radius: float, loss_bound: float, form: Form = "proved", **others: Any) -> Bound:
    """Bound the excess risk for inputs of norm at most R and a loss of values in [0, B].

    The print multiplies the whole right-hand side of Theorem 2 by R B. The proved form is
    :func:`theorem_2`: the terms with L and C are multiplied by R, the confidence term by B.

    Parameters
    ----------
    radius, loss_bound : float
        R and B.
    form : {"proved", "printed"}
        The bound proved here, or the print.
    **others
        Arguments of :func:`theorem_2`.

    Returns
    -------
    Bound
        With the terms of :func:`theorem_2`.

    See Also
    --------
    theorem_2 : The bound.

    References
    ----------
    Mroueh, Rennie, Goel (2015), Remark 2; :doc:`/theorems/remark-2`.

    Examples
    --------
    >>> from mehler.bounds import maxout
    >>> bound = maxout.remark_2(radius=0.1, loss_bound=2.0, n_features=10_000, n_samples=60_000,
    ...                         pool_size=4, scale=1.0, lipschitz=1.0, delta=0.01)
    >>> round(bound["statistical"], 5), round(bound["confidence"], 4)
    (0.00104, 0.0248)
    """
    require_form(form)
    require_positive(radius=radius, loss_bound=loss_bound)
    if form == "proved":
        found = theorem_2(radius=radius, loss_bound=loss_bound, **others)
        terms = found.terms
    else:
        found = theorem_2(form="printed", **others)
        factor = radius * loss_bound
        terms = tuple(Term(t.name, factor * t.value, f"RB\\,{t.formula}") for t in found.terms)
    return Bound(
        statement="maxout.remark-2",
        form=form,
        quantity=found.quantity,
        terms=terms,
        probability=found.probability,
        assumptions=found.assumptions,
        trivial=found.trivial if form == "proved" else loss_bound,
    )


def approximation(
    m: int, pool_size: int, sigma: float, radius: float, delta: float, inputs: InputSet | None
) -> float:
    """Compute the approximation term for L = C = 1.

    Dimension-free, or the paper's if a set is given.
    """
    size, rate = (
        (radius * (sigma + root_log(delta)), 1.0)
        if inputs is None
        else (supremum(inputs, pool_size, m, delta), 1 + root_log(delta))
    )
    return size * rate / math.sqrt(m)


def _of_sample(
    m: int, n_samples: int, size: float, sigma: float, loss_bound: float, delta: float
) -> list[Term]:
    """Return the terms of the sample, shared by both shapes."""
    deviation = root_log(delta)
    return [
        Term(
            "statistical",
            2 * size / math.sqrt(n_samples) * (sigma + deviation / math.sqrt(m)),
            r"\frac{2LCR}{\sqrt N}(\sigma(q) + \sqrt{2\log(1/\delta)/m})",
        ),
        Term(
            "confidence",
            loss_bound * deviation / math.sqrt(n_samples),
            r"B\sqrt{2\log(1/\delta)/N}",
        ),
    ]


def _of_this_sample(n_samples: int, size: float, loss_bound: float, delta: float) -> list[Term]:
    root = math.sqrt(n_samples)
    twice = 2 * loss_bound * root_log(delta) / root
    return [
        Term("statistical", 2 * size / root, r"2LCZ/\sqrt N"),
        Term("confidence", twice, r"2B\sqrt{2\log(1/\delta)/N}"),
    ]


def _expected(m: int, n_samples: int, size: float) -> list[Term]:
    return [
        Term("statistical", 2 * size / math.sqrt(n_samples), r"2LCR\sigma(q)/\sqrt N"),
        Term("approximation", size / math.sqrt(m), r"LCR\sigma(q)/\sqrt m"),
    ]


def _approximation_formula(inputs: InputSet | None) -> str:
    if inputs is None:
        return r"\frac{LCR}{\sqrt m}(\sigma(q) + \sqrt{2\log(1/\delta)})"
    return r"\frac{LC M_\delta}{\sqrt m}(1 + \sqrt{2\log(1/\delta)})"
