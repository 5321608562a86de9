"""Approximation of every function of the kernel's ball by features drawn from a pool or a law."""

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


@elementwise
def approximation(
    n_features: int,
    *,
    ridge: float,
    degrees_of_freedom: float,
    largest_ratio: float | None = None,
    norm: float = 1.0,
    form: Form = "proved",
) -> Bound:
    r"""Bound the error of the best sum of M features for every function of norm at most B.

    .. math:: \sup_{\|f\|_H \le B}\ \min_\beta\ \Big\|f - \sum_m\beta_mq_m^{-1/2}\phi_m\Big\|^2
        + M\lambda\|\beta\|^2 \le 4\lambda B^2

    for independent features of density q with respect to P, with probability at least
    :math:`1 - 8d\,e^{-9M/(32(D + 1/4))}`; norms of functions without index are those of
    :math:`L^2(\mu)`.

    Parameters
    ----------
    n_features : int or array
        Number of features M.
    ridge : float
        Regularisation :math:`\lambda`.
    degrees_of_freedom : float
        :math:`d(\lambda)`, the mean of the leverage :math:`s_\lambda` under P.
    largest_ratio : float, optional
        :math:`D = \sup s_\lambda/q`. Default d: sampling by leverage. For plain sampling
        :math:`\sup s_\lambda`, at most :math:`\sup|\phi|^2/\lambda`.
    norm : float
        B, the radius of the ball.
    form : {"proved", "printed"}
        Printed: Bach's :math:`1 - 16d\,e^{-M/(5D)}`, as recalled; true, and weaker.

    Returns
    -------
    Bound
        The single term "approximation". `trivial` is the error without features,
        :math:`\|\Sigma\|B^2 \le \lambda B^2 d/(1 - d)`; infinity for d of 1 and more, which
        does not bound the largest eigenvalue.

    See Also
    --------
    approximation_features : The sufficient M.
    risk : Excess risk with estimated scores.

    References
    ----------
    Bach (2017), Proposition 1, as recalled; Shahrampour, Kolouri (2019), Proposition 6. Proof:
    :doc:`/theorems/leverage-bach`.

    Examples
    --------
    >>> bound = approximation(600, ridge=1e-3, degrees_of_freedom=18.1)
    >>> round(bound.value, 6), round(bound.probability, 3)
    (0.004, 0.985)
    """
    require_form(form)
    (n_features,) = require_count(n_features=n_features)
    require_positive(ridge=ridge, norm=norm)
    ratio = _ratio(degrees_of_freedom, largest_ratio)
    factor, rate = _constants(form, ratio)
    failure = factor * degrees_of_freedom * math.exp(-n_features / rate)
    return Bound(
        statement="leverage.bach",
        form=form,
        quantity="squared error of the best sum, plus its ridge",
        terms=(Term("approximation", 4 * ridge * norm**2, r"4\lambda B^2"),),
        probability=1 - failure,
        trivial=_without_features(degrees_of_freedom, ridge) * norm**2,
    )


def _without_features(degrees_of_freedom: float, ridge: float) -> float:
    """Bound the largest eigenvalue t by t/(t + lambda) <= d."""
    d = degrees_of_freedom
    return ridge * d / (1 - d) if d < 1 else math.inf


@elementwise
def approximation_features(
    *,
    degrees_of_freedom: float,
    delta: float,
    largest_ratio: float | None = None,
    form: Form = "proved",
) -> int:
    r"""Return an M at which :func:`approximation` holds with probability :math:`1 - \delta`.

    .. math:: M \ge \tfrac{32}9\big(D + \tfrac14\big)\log\frac{8d}\delta

    Parameters
    ----------
    degrees_of_freedom, largest_ratio, form
        As in :func:`approximation`; printed is :math:`5D\log(16d/\delta)`.
    delta : float or array
        Failure probability.

    Returns
    -------
    int
        Sufficient; 3 to 6 times the number measured on the circle.

    See Also
    --------
    approximation : The bound.
    mixed_ratio : The largest ratio for estimated scores.

    Examples
    --------
    >>> approximation_features(degrees_of_freedom=18.12, delta=0.05)
    521
    >>> approximation_features(degrees_of_freedom=18.12, delta=0.05, form="printed")
    786
    """
    require_form(form)
    require_probability(delta=delta)
    ratio = _ratio(degrees_of_freedom, largest_ratio)
    factor, rate = _constants(form, ratio)
    return max(1, math.ceil(rate * math.log(factor * degrees_of_freedom / delta)))


def _ratio(degrees_of_freedom: float, largest_ratio: float | None) -> float:
    require_positive(degrees_of_freedom=degrees_of_freedom)
    if largest_ratio is None:
        return degrees_of_freedom
    require_positive(largest_ratio=largest_ratio)
    # The mean of s/q under q is d, so its supremum is at least d, up to rounding.
    if largest_ratio < degrees_of_freedom * (1 - 1e-9):
        raise ValueError(
            f"largest_ratio={largest_ratio!r} is below degrees_of_freedom="
            f"{degrees_of_freedom!r}, its mean"
        )
    return largest_ratio


def _constants(form: Form, ratio: float) -> tuple[float, float]:
    return (8.0, 32 / 9 * (ratio + 0.25)) if form == "proved" else (16.0, 5 * ratio)
