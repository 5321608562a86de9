"""Risk of weights fitted to N samples on K random features, and its estimation part."""

from __future__ import annotations

import math

from mehler._validate import require_flag
from mehler.bounds._function import Formula, bound
from mehler.bounds.kitchen_sinks._approximation import (
    DOMAINS,
    INDEPENDENT,
    LABELS,
    LOSS,
    bounded_features,
    loss_of_average,
    root_log,
)

SAMPLES = "the samples are independent of each other and of the features"
_SMALLEST = "the weights minimise the empirical risk over their box or ball"


@bound(
    "kitchen-sinks.estimation-lemma",
    "largest |R - R_emp| over the weights",
    falls_in=("n_samples",),
    assumes=(SAMPLES, LABELS, LOSS),
    domains={**DOMAINS, "two_sided": require_flag},
)
def generalisation_gap(
    n_samples: int,
    *,
    scale: float,
    lipschitz: float,
    delta: float,
    two_sided: bool = True,
    feature_scale: float = 1.0,
    largest_feature: float | None = None,
) -> Formula:
    r"""Bound the gap between empirical and true risk, uniformly over the box of weights.

    .. math:: \sup_{f \in \hat F} |R[f] - R_{emp}[f]| \le
        \frac{2LC}{\sqrt N} + LC\sqrt{2\log(2/\delta)/N}

    with probability at least :math:`1 - \delta` over the samples, for any features with
    :math:`|\phi| \le 1` and :math:`\hat F = \{\sum_k\alpha_k\phi_k : |\alpha_k| \le C/K\}` or the
    larger ball :math:`|\alpha|_2 \le C/\sqrt K`; without the absolute value
    :math:`\log(1/\delta)` stands for :math:`\log(2/\delta)`.

    Parameters
    ----------
    n_samples, scale, lipschitz, delta, feature_scale, largest_feature
        As :mod:`mehler.bounds.kitchen_sinks` says; features are at most 1 in absolute value.
    two_sided : bool
        Bound the absolute value, or only the excess of the true over the empirical risk.

    Returns
    -------
    Bound
        With the terms "statistical" and "confidence". `trivial` is 2LC: c(f(x) y) - c(0) lies
        within LC, and so do its two means.

    References
    ----------
    A. Rahimi, B. Recht, Weighted sums of random kitchen sinks (2008). Proof:
    :doc:`/theorems/kitchen-sinks-estimation-lemma`.

    Examples
    --------
    >>> from mehler.bounds import kitchen_sinks
    >>> bound = kitchen_sinks.generalisation_gap(4000, scale=1.0, lipschitz=1.0, delta=0.05)
    >>> round(bound["statistical"], 4), round(bound["confidence"], 4)
    (0.0316, 0.0429)
    """
    size, root = lipschitz * scale * feature_scale, math.sqrt(n_samples)
    sides = 2 if two_sided else 1
    return Formula(
        {
            "statistical": (2 * size / root, r"2LC/\sqrt{N}"),
            "confidence": (
                size * root_log(delta / sides) / root,
                rf"LC\sqrt{{2\log({sides}/\delta)/N}}",
            ),
        },
        probability=1 - delta,
        trivial=2 * size,
        assumptions=(bounded_features(largest_feature, "absolute value"),),
        quantity="" if two_sided else "largest R - R_emp over the weights",
    )


@bound(
    "kitchen-sinks.theorem",
    "risk above the best of |f|_pi <= C",
    falls_in=("n_features", "n_samples"),
    assumes=(INDEPENDENT, SAMPLES, LABELS, LOSS, _SMALLEST),
    domains=DOMAINS,
)
def excess_risk(
    n_features: int,
    n_samples: int,
    *,
    scale: float,
    lipschitz: float,
    delta: float,
    feature_scale: float = 1.0,
    largest_feature: float | None = None,
) -> Formula:
    r"""Bound the risk of fitted weights above the best risk with :math:`\|f\|_\pi \le C`.

    .. math:: R[\hat f] - \inf_{\|f\|_\pi \le C} R[f] \le \frac{2LC}{\sqrt N}
        + 2LC\sqrt{2\log(1/\delta)/N}
        + \frac{LC}{\sqrt K}\Big(1 + \sqrt{2\log\tfrac1\delta}\Big)

    with probability at least :math:`1 - 2\delta` over features and samples. :math:`\hat f`
    minimises the empirical risk over the box :math:`|\alpha_k| \le C/K`, or over the ball
    :math:`|\alpha|_2 \le C/\sqrt K` (constrained ridge): the bound is the same.

    Parameters
    ----------
    n_features, n_samples, scale, lipschitz, delta, feature_scale, largest_feature
        As :mod:`mehler.bounds.kitchen_sinks` says; features are at most 1 in absolute value.

    Returns
    -------
    Bound
        With the terms "statistical", "confidence" and "approximation". `trivial` is 2LC, as
        :math:`|f| \le C`.

    Notes
    -----
    The first two terms stay at any number of features. Where a target is below them, solve for the
    samples at many features: ``bounds.solve(excess_risk, at_most=..., n_features=10**18,
    n_samples=None, ...)`` is the least number with which it can be reached.

    References
    ----------
    A. Rahimi, B. Recht, Weighted sums of random kitchen sinks (2008), main theorem. Proof:
    :doc:`/theorems/kitchen-sinks-theorem`.

    Examples
    --------
    >>> from mehler import bounds
    >>> from mehler.bounds import kitchen_sinks
    >>> numbers = {"n_samples": 10_000, "scale": 1.0, "lipschitz": 0.5, "delta": 0.05}
    >>> for term in kitchen_sinks.excess_risk(1000, **numbers).terms:
    ...     print(f"{term.name:13} {term.value:.6f}")
    statistical   0.010000
    confidence    0.024477
    approximation 0.054514
    >>> bounds.solve(kitchen_sinks.excess_risk, at_most=0.1, n_features=None, **numbers)
    693
    """
    size = scale * feature_scale
    statistical = 2 * lipschitz * size / math.sqrt(n_samples)
    return Formula(
        {
            "statistical": (statistical, r"2LC/\sqrt{N}"),
            "confidence": (statistical * root_log(delta), r"2LC\sqrt{2\log(1/\delta)/N}"),
            "approximation": loss_of_average(n_features, size, lipschitz, delta),
        },
        probability=1 - 2 * delta,
        trivial=2 * lipschitz * size,
        assumptions=(bounded_features(largest_feature, "absolute value"),),
    )
