"""Theorem 2: excess risk of the empirical minimiser over the box of m units."""

from __future__ import annotations

import math

from mehler.bounds._function import Formula, bound, positive_or_infinite
from mehler.bounds.maxout._inputs import (
    DRAWN,
    LOSS,
    MEAN_SQUARE,
    covered,
    of_inputs,
    root_log,
    two_lengths,
    unit_size,
)

QUANTITY = "excess risk of the empirical minimiser over the infinite class"


@bound(
    "maxout.theorem-2",
    QUANTITY,
    falls_in=("n_features", "n_samples"),
    assumes=(MEAN_SQUARE, LOSS, DRAWN),
    domains={"loss_bound": positive_or_infinite},
)
def excess_risk(
    *,
    n_features: int,
    n_samples: int,
    pool_size: int,
    scale: float,
    lipschitz: float,
    delta: float | None = None,
    loss_bound: float = 1.0,
    radius: float = 1.0,
    centred: bool = False,
    mean_norm: float | None = None,
) -> Formula:
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
    n_features, n_samples, pool_size, scale, lipschitz, loss_bound, radius, centred
        As :mod:`mehler.bounds.maxout` says; B may be infinity where `delta` is left out.
    delta : float or array, optional
        The bound fails with at most probability 3 delta.
    mean_norm : float, optional
        Z = (1/m) sum_l ((1/N) sum_i phi(x_i, W^l)^2)^(1/2) of these units and this sample: the
        statistical term is then 2 L C Z/sqrt(N), the confidence term twice as large, and the bound
        fails with at most probability 2 delta.

    Returns
    -------
    Bound
        With the terms "statistical", "confidence" and "approximation". `trivial` is the smaller of
        B and :math:`LCR(2\sigma(q) + \sqrt{2\log(1/\delta)/m})`, L times what the functions of
        both classes are long, on one of the bound's own events.

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
    >>> bound = maxout.excess_risk(n_features=10_000, n_samples=60_000, pool_size=4, scale=1.0,
    ...                            lipschitz=1.0, delta=0.01)
    >>> for term in bound.terms:
    ...     print(f"{term.name:13} {term.value:.4f}")
    statistical   0.0104
    confidence    0.0124
    approximation 0.0428
    """
    sigma, symbol = unit_size(pool_size, centred)
    size, root = lipschitz * scale, math.sqrt(n_samples)
    if delta is None:
        if mean_norm is not None:
            raise ValueError("mean_norm is of one sample, and an expectation has none: give delta")
        mean = size * radius * sigma
        return Formula(
            {
                "statistical": (2 * mean / root, rf"2LCR{symbol}/\sqrt N"),
                "approximation": (mean / math.sqrt(n_features), rf"LCR{symbol}/\sqrt m"),
            },
            trivial=min(loss_bound, size * radius * (2 * sigma)),
            quantity=f"{QUANTITY}, in expectation",
        )
    if loss_bound == math.inf:
        raise ValueError("loss_bound=inf is for an expectation: leave delta out, or give B")
    deviation = root_log(delta)
    last = size * (radius * (sigma + deviation) / math.sqrt(n_features))
    approximation = (last, rf"\frac{{LCR}}{{\sqrt m}}({symbol} + \sqrt{{2\log(1/\delta)}})")
    if mean_norm is not None:
        return Formula(
            {
                "statistical": (2 * (size * mean_norm) / root, r"2LCZ/\sqrt N"),
                "confidence": (2 * loss_bound * deviation / root, r"2B\sqrt{2\log(1/\delta)/N}"),
                "approximation": approximation,
            },
            probability=1 - 2 * delta,
            # The units' mean norm in the population is not among these events.
            trivial=loss_bound,
        )
    return Formula(
        {
            "statistical": (
                2 * (size * radius) / root * (sigma + deviation / math.sqrt(n_features)),
                rf"\frac{{2LCR}}{{\sqrt N}}({symbol} + \sqrt{{2\log(1/\delta)/m}})",
            ),
            "confidence": (loss_bound * deviation / root, r"B\sqrt{2\log(1/\delta)/N}"),
            "approximation": approximation,
        },
        probability=1 - 3 * delta,
        trivial=min(loss_bound, size * radius * two_lengths(sigma, n_features, delta)),
    )


@bound("maxout.theorem-2", QUANTITY, falls_in=("n_features", "n_samples"), assumes=(LOSS, DRAWN))
def excess_risk_by_dimension(
    *,
    n_features: int,
    n_samples: int,
    pool_size: int,
    scale: float,
    lipschitz: float,
    delta: float,
    n_inputs: int,
    dimension: float,
    diameter: float,
    loss_bound: float = 1.0,
    radius: float = 1.0,
) -> Formula:
    r"""Bound the excess risk of the empirical minimiser, by a covering of the inputs.

    The last term of :func:`excess_risk` is here :math:`\frac{L C M_\delta}{\sqrt m} (1 + \sqrt{2
    \log(1/\delta)})`, with :math:`M_\delta` of :func:`supremum_by_dimension`; the bound fails with
    at most probability 4 delta.

    Parameters
    ----------
    n_features, n_samples, pool_size, scale, lipschitz, loss_bound, radius
        As :mod:`mehler.bounds.maxout` says.
    delta, n_inputs, dimension, diameter
        As there.

    Returns
    -------
    Bound
        With the terms of :func:`excess_risk`, and always larger.

    References
    ----------
    Mroueh, Rennie, Goel (2015), Theorem 2; proof of what holds in :doc:`/theorems/theorem-2`.

    Examples
    --------
    >>> from mehler import bounds
    >>> bounds.solve(bounds.maxout.excess_risk_by_dimension, at_most=0.2, n_features=None,
    ...     n_samples=10_000, pool_size=4, scale=1.0, lipschitz=1.0, delta=0.01, n_inputs=784,
    ...     dimension=10, diameter=2.0)
    840165
    """
    sigma, _ = unit_size(pool_size, centred=False)
    size, deviation, root = lipschitz * scale, root_log(delta), math.sqrt(n_samples)
    largest = covered(n_features, pool_size, delta, n_inputs, dimension, diameter, radius)
    return Formula(
        {
            "statistical": (
                2 * (size * radius) / root * (sigma + deviation / math.sqrt(n_features)),
                r"\frac{2LCR}{\sqrt N}(\sigma(q) + \sqrt{2\log(1/\delta)/m})",
            ),
            "confidence": (loss_bound * deviation / root, r"B\sqrt{2\log(1/\delta)/N}"),
            "approximation": (
                size * (largest * (1 + deviation) / math.sqrt(n_features)),
                r"\frac{LCM_\delta}{\sqrt m}(1 + \sqrt{2\log(1/\delta)})",
            ),
        },
        probability=1 - 4 * delta,
        trivial=min(loss_bound, size * radius * two_lengths(sigma, n_features, delta)),
        assumptions=of_inputs(radius, dimension, diameter),
    )
