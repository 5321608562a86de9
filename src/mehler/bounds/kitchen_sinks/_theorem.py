"""The main theorem: risk of weights fitted to N samples on K random features."""

from __future__ import annotations

import math
from typing import Literal

from mehler.bounds._bound import (
    Bound,
    Form,
    Term,
    missing,
    require_count,
    require_form,
    require_positive,
    require_probability,
)
from mehler.bounds._elementwise import elementwise
from mehler.bounds._inverse import least_features
from mehler.bounds.kitchen_sinks._assumptions import (
    INDEPENDENT,
    LABELS,
    LIPSCHITZ,
    SAMPLES,
    SMALLEST_RISK,
    bounded_features,
)
from mehler.bounds.kitchen_sinks._risk import APPROXIMATION, approximation

Constraint = Literal["box", "ball"]


@elementwise
def theorem(
    n_features: int,
    n_samples: int,
    *,
    scale: float,
    lipschitz: float,
    delta: float,
    constraint: Constraint = "box",
    feature_scale: float = 1.0,
    largest_feature: float | None = None,
    c: float | None = None,
    form: Form = "proved",
) -> Bound:
    r"""Bound the risk of fitted weights above the best risk with :math:`\|f\|_\pi \le C`.

    .. math:: R[\hat f] - \inf_{\|f\|_\pi \le C} R[f] \le \frac{2LC}{\sqrt N}
        + 2LC\sqrt{2\log(1/\delta)/N}
        + \frac{LC}{\sqrt K}\Big(1 + \sqrt{2\log\tfrac1\delta}\Big)

    with probability 1 - 2 delta over features and samples. :math:`\hat f` minimises the empirical
    risk over :math:`|\alpha_k| \le C/K`, or over :math:`|\alpha|_2 \le C/\sqrt K`.

    Parameters
    ----------
    n_features : int or array
        Number of features K.
    n_samples : int or array
        Number of samples N.
    scale : float
        C, the size of the box.
    lipschitz : float
        Lipschitz constant L of the loss c(f(x) y) in its argument.
    delta : float or array
        Half the failure probability.
    constraint : {"box", "ball"}
        Weights over which the empirical risk is minimised: each bounded, or their 2-norm
        (constrained ridge). The bound is the same.
    feature_scale
        As in `lemma_1`.
    largest_feature : float, optional
        Largest absolute value found of a (divided) feature; above 1 the bound is vacuous.
    c : float, optional
        The constant that the printed form leaves unnamed. The proved form implies the printed one
        with :math:`c = 2\sqrt2 + 2/\sqrt{\log 2} < 5.24`, delta below 1/2.
    form : {"proved", "printed"}
        Printed: :math:`c\,LC(1/\sqrt N + 1/\sqrt K)\sqrt{\log(1/\delta)}`.

    Returns
    -------
    Bound
        Terms "statistical", "confidence" and "approximation"; printed without "confidence".
        Trivial is 2LC, as :math:`|f| \le C`.

    Raises
    ------
    TypeError, ValueError
        An argument is out of its range, or `c` is missing or not used.

    See Also
    --------
    theorem_features : The least K for a target excess risk.
    estimation_lemma : The statistical part.

    References
    ----------
    A. Rahimi, B. Recht, Weighted sums of random kitchen sinks (2008), main theorem.

    Examples
    --------
    >>> bound = theorem(1000, 10_000, scale=1.0, lipschitz=0.5, delta=0.05)
    >>> for term in bound.terms:
    ...     print(f"{term.name:13} {term.value:.6f}")
    statistical   0.010000
    confidence    0.024477
    approximation 0.054514
    """
    require_form(form)
    n_features, n_samples = require_count(n_features=n_features, n_samples=n_samples)
    require_positive(scale=scale, lipschitz=lipschitz, feature_scale=feature_scale)
    require_probability(delta=delta)
    if constraint not in ("box", "ball"):
        raise ValueError(f"constraint={constraint!r} is neither 'box' nor 'ball'")
    if form == "proved" and c is not None:
        raise ValueError("c is the printed form's constant: the proved form has its own")
    if form == "printed":
        if c is None:
            raise missing(["c"])
        require_positive(c=c)
        if feature_scale != 1:
            raise ValueError("the printed form knows no feature_scale: use form='proved'")
    size = scale * feature_scale
    terms = (
        _proved(n_features, n_samples, size=size, lipschitz=lipschitz, delta=delta)
        if c is None
        else _printed(n_features, n_samples, size=c * lipschitz * scale, delta=delta)
    )
    return Bound(
        statement="kitchen-sinks.theorem",
        form=form,
        quantity="risk above the best of |f|_pi <= C",
        terms=terms,
        probability=1 - 2 * delta,
        assumptions=(
            INDEPENDENT,
            SAMPLES,
            LABELS,
            LIPSCHITZ,
            SMALLEST_RISK,
            bounded_features(largest_feature, measure="absolute value"),
        ),
        trivial=2 * lipschitz * size,
    )


def _proved(
    n_features: int, n_samples: int, *, size: float, lipschitz: float, delta: float
) -> tuple[Term, ...]:
    statistical = 2 * lipschitz * size / math.sqrt(n_samples)
    return (
        Term("statistical", statistical, r"2LC/\sqrt{N}"),
        Term(
            "confidence",
            statistical * math.sqrt(-2 * math.log(delta)),
            r"2LC\sqrt{2\log(1/\delta)/N}",
        ),
        Term(
            "approximation",
            approximation(n_features, size=size, lipschitz=lipschitz, delta=delta),
            APPROXIMATION,
        ),
    )


def _printed(n_features: int, n_samples: int, *, size: float, delta: float) -> tuple[Term, ...]:
    root = math.sqrt(-math.log(delta))
    return (
        Term("statistical", size * root / math.sqrt(n_samples), r"c\,LC\sqrt{\log(1/\delta)/N}"),
        Term("approximation", size * root / math.sqrt(n_features), r"c\,LC\sqrt{\log(1/\delta)/K}"),
    )


@elementwise
def theorem_features(
    eps: float,
    n_samples: int,
    *,
    scale: float,
    lipschitz: float,
    delta: float,
    feature_scale: float = 1.0,
) -> int:
    """Return the smallest K at which the theorem promises an excess risk of at most eps.

    Parameters
    ----------
    eps : float or array
        Target excess risk.
    n_samples : int or array
        Number of samples N; its two terms must be below eps.
    scale, lipschitz, delta, feature_scale
        As in `theorem`.

    Returns
    -------
    int

    Raises
    ------
    TypeError, ValueError
        An argument is out of its range, or N samples are too few for eps at any K.

    See Also
    --------
    theorem : The bound at a given K.
    lemma_1_features : The same for the L2 distance.

    Examples
    --------
    >>> theorem_features(0.1, 10_000, scale=1.0, lipschitz=0.5, delta=0.05)
    693
    """
    require_positive(eps=eps)

    def at(n: int, samples: int = n_samples) -> Bound:
        return theorem(
            n, samples, scale=scale, lipschitz=lipschitz, delta=delta, feature_scale=feature_scale
        )

    one = at(1)
    left = eps - one["statistical"] - one["confidence"]
    # A remainder of eps within rounding is 0: no number of features follows from it.
    if left <= 1e-12 * eps:
        fewest = least_features(lambda n: at(1, n)["statistical"] + at(1, n)["confidence"], eps)
        raise ValueError(
            f"n_samples={n_samples} leaves an excess risk of {eps - left:.6g} at any number of "
            f"features, not below eps={float(eps)!r}: more than {fewest} samples are needed"
        )
    return least_features(lambda n: at(n).value, eps)
