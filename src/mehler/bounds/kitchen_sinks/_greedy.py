"""Greedy approximation (Jones, Barron): choose features one by one for a known function."""

from __future__ import annotations

import math
from numbers import Real

from mehler.bounds._bound import (
    Assumption,
    Bound,
    Form,
    Term,
    missing,
    require_count,
    require_form,
    require_positive,
)
from mehler.bounds._elementwise import elementwise
from mehler.bounds.kitchen_sinks._assumptions import bounded_features


@elementwise
def greedy(
    n_features: int,
    *,
    total_weight: float,
    norm: float = 0.0,
    largest_feature: float | None = None,
    c: float | None = None,
    form: Form = "proved",
) -> Bound:
    r"""Bound the error of K greedy steps towards a sum of features with total weight B.

    .. math:: \|f_K - f^*\| \le \sqrt{(B^2 - \|f^*\|^2)/K}, \qquad
        f_k = \big(1 - \tfrac1k\big)f_{k-1} + \tfrac1k g_k

    for :math:`f^* = \sum_j\alpha^*_j\phi_j` with :math:`\sum_j|\alpha^*_j| \le B` and
    :math:`\|\phi_j\| \le 1`, where each :math:`g_k` is the one among
    :math:`\{\pm B\phi_j\}` that leaves the smallest error. Steps that search the factor too do as
    well.

    Parameters
    ----------
    n_features : int or array
        K, the number of steps.
    total_weight : float
        B, at least the sum of the absolute weights of f*.
    norm : float
        :math:`\|f^*\|`, or a lower bound of it.
    largest_feature : float, optional
        Largest norm of a feature that was found; above 1 the bound is vacuous.
    c : float, optional
        The constant of the printed rate.
    form : {"proved", "printed"}
        Printed: :math:`cB/\sqrt K` for steps among the features themselves, without B and signs;
        false for every c.

    Returns
    -------
    Bound
        The single term "approximation", with probability 1. Trivial is 2B.

    Raises
    ------
    TypeError, ValueError
        An argument is out of its range, or `c` is missing or not used.

    See Also
    --------
    lemma_1 : The same by random features.
    mehler.features.leverage.Greedy : Choose features greedily from data.

    References
    ----------
    L. K. Jones, Annals of Statistics 20 (1992); A. R. Barron, IEEE Transactions on Information
    Theory 39 (1993).

    Examples
    --------
    >>> greedy(100, total_weight=2.0).value
    0.2
    """
    require_form(form)
    (n_features,) = require_count(n_features=n_features)
    require_positive(total_weight=total_weight)
    if isinstance(norm, bool) or not isinstance(norm, Real) or not 0 <= norm <= total_weight:
        raise ValueError(
            f"norm={norm!r} is not a number from 0 to total_weight={total_weight!r}, which no sum "
            "of features with that weight exceeds"
        )
    if form == "proved" and c is not None:
        raise ValueError("c is the printed form's constant: the proved form has its own")
    if form == "printed" and c is None:
        raise missing(["c"])
    root = math.sqrt(n_features)
    if c is not None:
        require_positive(c=c)
        term = Term("approximation", c * total_weight / root, r"cB/\sqrt{K}")
    else:
        # A product of two factors: the difference of squares would lose digits.
        spread = math.sqrt((total_weight - norm) * (total_weight + norm))
        term = Term("approximation", spread / root, r"\sqrt{(B^2 - \|f^*\|^2)/K}")
    return Bound(
        statement="kitchen-sinks.greedy",
        form=form,
        quantity="error of the greedy sum",
        terms=(term,),
        probability=1.0,
        assumptions=(
            Assumption("f* is a sum of features whose absolute weights sum to at most B"),
            bounded_features(largest_feature, measure="norm"),
        ),
        trivial=2 * total_weight,
    )
