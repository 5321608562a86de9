"""The estimation lemma: uniform deviation of the empirical risk over the weights."""

from __future__ import annotations

import math
from numbers import Real

from mehler._validate import require_flag
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
from mehler.bounds.kitchen_sinks._assumptions import LABELS, LIPSCHITZ, SAMPLES, bounded_features


@elementwise
def estimation_lemma(
    n_samples: int,
    *,
    scale: float,
    lipschitz: float,
    delta: float,
    two_sided: bool = True,
    feature_scale: float = 1.0,
    largest_feature: float | None = None,
    loss_at_zero: float | None = None,
    form: Form = "proved",
) -> Bound:
    r"""Bound the gap between empirical and true risk, uniformly over the box of weights.

    .. math:: \sup_{f \in \hat F} |R[f] - R_{emp}[f]| \le
        \frac{2LC}{\sqrt N} + LC\sqrt{2\log(2/\delta)/N}

    with probability 1 - delta over the samples, for any features with
    :math:`|\phi| \le 1` and :math:`\hat F = \{\sum_k\alpha_k\phi_k : |\alpha_k| \le C/K\}` or the
    larger ball :math:`|\alpha|_2 \le C/\sqrt K`; without the absolute value
    :math:`\log(1/\delta)` stands for :math:`\log(2/\delta)`. As recalled, not compared with a
    copy, the paper has

    .. math:: \frac1{\sqrt N}\Big(4LC + 2|c(0)| + LC\sqrt{\tfrac12\log\tfrac1\delta}\Big),

    whose last term is too small by a factor of 2.

    Parameters
    ----------
    n_samples : int or array
        Number of samples N.
    scale : float
        C, the size of the box.
    lipschitz : float
        Lipschitz constant L of the loss.
    delta : float or array
        Failure probability.
    two_sided : bool
        Bound the absolute value, or only the excess of the true over the empirical risk.
    feature_scale
        As in `lemma_1`.
    largest_feature : float, optional
        Largest absolute value found of a (divided) feature; above 1 the bound is vacuous.
    loss_at_zero : float, optional
        |c(0)|, for the printed form only; the proved one has no such term.
    form : {"proved", "printed"}
        The printed form is as recalled.

    Returns
    -------
    Bound
        Terms "statistical" and "confidence", and "loss at zero" when printed.

    Raises
    ------
    TypeError, ValueError
        An argument is out of its range, or `loss_at_zero` is missing or not used.

    See Also
    --------
    theorem : Excess risk, of which this is the estimation part.
    risk_lemma : The approximation part.

    References
    ----------
    A. Rahimi, B. Recht, Weighted sums of random kitchen sinks (2008).

    Examples
    --------
    >>> proved = estimation_lemma(4000, scale=1.0, lipschitz=1.0, delta=0.05)
    >>> round(proved["statistical"], 4), round(proved["confidence"], 4)
    (0.0316, 0.0429)
    """
    require_flag("two_sided", two_sided)
    require_form(form)
    (n_samples,) = require_count(n_samples=n_samples)
    require_positive(scale=scale, lipschitz=lipschitz, feature_scale=feature_scale)
    require_probability(delta=delta)
    if form == "printed" and feature_scale != 1:
        raise ValueError("the printed form knows no feature_scale: use form='proved'")
    if form == "proved" and loss_at_zero is not None:
        raise ValueError("the proved form has no term for the loss at zero: leave it out")
    size = lipschitz * scale * feature_scale
    terms = (
        _proved(size, n_samples, delta / 2 if two_sided else delta)
        if form == "proved"
        else _printed(size, n_samples, delta, loss_at_zero)
    )
    gap = "|R - R_emp|" if two_sided else "R - R_emp"
    return Bound(
        statement="kitchen-sinks.estimation-lemma",
        form=form,
        quantity=f"largest {gap} over the weights",
        terms=terms,
        probability=1 - delta,
        assumptions=(
            SAMPLES,
            LABELS,
            LIPSCHITZ,
            bounded_features(largest_feature, measure="absolute value"),
        ),
        # c(f(x) y) - c(0) lies within LC, and so do its two means.
        trivial=2 * size,
    )


def _proved(size: float, n_samples: int, delta: float) -> tuple[Term, ...]:
    root = math.sqrt(n_samples)
    return (
        Term("statistical", 2 * size / root, r"2LC/\sqrt{N}"),
        Term("confidence", size * math.sqrt(-2 * math.log(delta)) / root, _CONFIDENCE),
    )


_CONFIDENCE = r"LC\sqrt{2\log(s/\delta)/N}, s \text{ the number of sides}"


def _printed(
    size: float, n_samples: int, delta: float, loss_at_zero: float | None
) -> tuple[Term, ...]:
    if not isinstance(loss_at_zero, Real) or not 0 <= float(loss_at_zero) < math.inf:
        raise ValueError(
            f"loss_at_zero={loss_at_zero!r}: the printed form needs |c(0)|, a number of at least 0"
        )
    root = math.sqrt(n_samples)
    return (
        Term("statistical", 4 * size / root, r"4LC/\sqrt{N}"),
        Term("loss at zero", 2 * float(loss_at_zero) / root, r"2|c(0)|/\sqrt{N}"),
        Term(
            "confidence",
            size * math.sqrt(-math.log(delta) / 2) / root,
            r"LC\sqrt{\log(1/\delta)/(2N)}",
        ),
    )
