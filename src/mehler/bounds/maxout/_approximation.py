"""Lemmas 3 and 4: approximation of a function of the infinite class by m units, and its risk."""

from __future__ import annotations

import dataclasses
import math
from functools import partial
from typing import Literal

from mehler._validate import require_choice
from mehler.bounds._function import Formula, bound
from mehler.bounds.maxout._inputs import (
    LOSS,
    MEAN_SQUARE,
    NORMAL,
    covered,
    of_inputs,
    root_log,
    two_lengths,
    unit_size,
)

Function = Literal["nearest", "monte-carlo"]
FUNCTIONS = ("nearest", "monte-carlo")
_DOMAINS = {"function": partial(require_choice, allowed=FUNCTIONS)}
_NEAREST = "L2 distance from f to the nearest function of the box"
_MONTE_CARLO = "L2 distance from f to its Monte Carlo function"
_RISK = "risk that approximating f by m units adds"


@bound(
    "maxout.lemma-3",
    _NEAREST,
    falls_in=("n_features",),
    assumes=(MEAN_SQUARE, NORMAL),
    domains=_DOMAINS,
)
def approximation(
    *,
    n_features: int,
    pool_size: int,
    scale: float,
    delta: float | None = None,
    radius: float = 1.0,
    function: Function = "nearest",
    centred: bool = False,
) -> Formula:
    r"""Bound the L2 error of approximating a function of the class by m units.

    .. math::

        \min_{\|\alpha\|_\infty \le C/m} \Big\|\sum_\ell \alpha_\ell \phi(\cdot, W^\ell) - f\Big\|
        \le \frac{C R}{\sqrt m} \left(\sigma(q) + \sqrt{2 \log(1/\delta)}\right)

    with probability at least 1 - delta. Without `delta` it is
    :math:`(E\|\hat f - f\|^2)^{1/2} \le C R \sigma(q) / \sqrt m` for the Monte Carlo function
    :math:`\hat f = \frac1m \sum_\ell \frac{\alpha(W^\ell)}{p(W^\ell)} \phi(\cdot, W^\ell)`, and so
    for the nearest one.

    Parameters
    ----------
    n_features, pool_size, scale, radius, centred
        As :mod:`mehler.bounds.maxout` says.
    delta : float or array, optional
        The bound fails with at most this probability.
    function : {"nearest", "monte-carlo"}
        With `delta`, that of the box nearest to f, or its Monte Carlo function:
        :math:`C R (2 \sigma(q) + 1) (\sqrt{2t/m} + 2t/m)`, :math:`t = \log(2/\delta)`.

    Returns
    -------
    Bound
        With the terms "mean" and "confidence", or "deviation" and "tail". `trivial` is
        :math:`CR\sigma(q)`, the length of f, for the nearest function; with the length of the
        Monte Carlo function added for that one.

    References
    ----------
    Mroueh, Rennie, Goel (2015), Lemma 3 and equation (9); proofs in :doc:`/theorems/lemma-3`.

    Examples
    --------
    >>> from mehler.bounds import maxout
    >>> bound = maxout.approximation(n_features=200, pool_size=8, scale=0.3, delta=0.05)
    >>> round(bound.value, 4), round(bound["mean"], 4)
    (0.0848, 0.0329)
    """
    sigma, symbol = unit_size(pool_size, centred)
    size, root = scale * radius, math.sqrt(n_features)
    mean = (size * sigma / root, rf"CR{symbol}/\sqrt m")
    if delta is None:
        return Formula(
            {"mean": mean},
            trivial=size * (2 * sigma),
            quantity=f"root mean square over the weights of the {_MONTE_CARLO}",
        )
    if function == "nearest":
        confidence = (size * root_log(delta) / root, r"CR\sqrt{2\log(1/\delta)/m}")
        # The box contains 0, and norms in the class are at most C R sigma(q).
        return Formula(
            {"mean": mean, "confidence": confidence},
            probability=1 - delta,
            trivial=size * sigma,
        )
    t = math.log(2 / delta)
    each, factor = size * (2 * sigma + 1), rf"CR(2{symbol} + 1)"
    return Formula(
        {
            "deviation": (
                each * math.sqrt(2 * t / n_features),
                factor + r"\sqrt{2\log(2/\delta)/m}",
            ),
            "tail": (each * 2 * t / n_features, rf"2{factor}\log(2/\delta)/m"),
        },
        probability=1 - delta,
        # The Monte Carlo function may point away from f.
        trivial=size * two_lengths(sigma, n_features, delta),
        quantity=_MONTE_CARLO,
    )


@bound("maxout.lemma-3", _MONTE_CARLO, falls_in=("n_features",), assumes=(NORMAL,))
def approximation_by_dimension(
    *,
    n_features: int,
    pool_size: int,
    scale: float,
    delta: float,
    n_inputs: int,
    dimension: float,
    diameter: float,
    radius: float = 1.0,
) -> Formula:
    r"""Bound the L2 error of the Monte Carlo function of m units, by a covering of the inputs.

    .. math:: \|\hat f - f\| \le \frac{C M_\delta}{\sqrt m} \left(1 + \sqrt{2 \log(1/\delta)}\right)

    with probability at least 1 - 2 delta and :math:`M_\delta` of :func:`supremum_by_dimension`.

    Parameters
    ----------
    n_features, pool_size, scale, delta, n_inputs, dimension, diameter, radius
        As :mod:`mehler.bounds.maxout` says.

    Returns
    -------
    Bound
        With the terms "mean" and "confidence".

    References
    ----------
    Mroueh, Rennie, Goel (2015), Lemma 3; proof in :doc:`/theorems/lemma-3`.

    Examples
    --------
    >>> from mehler.bounds import maxout
    >>> round(maxout.approximation_by_dimension(n_features=10_000, pool_size=8, scale=0.3,
    ...     delta=0.05, n_inputs=10, dimension=3, diameter=2.0).value, 4)
    0.1966
    """
    largest = covered(n_features, pool_size, delta, n_inputs, dimension, diameter, radius)
    mean = scale * largest / math.sqrt(n_features)
    sigma, _ = unit_size(pool_size, centred=False)
    return Formula(
        {
            "mean": (mean, r"CM_\delta/\sqrt m"),
            "confidence": (mean * root_log(delta), r"CM_\delta\sqrt{2\log(1/\delta)/m}"),
        },
        probability=1 - 2 * delta,
        trivial=scale * radius * two_lengths(sigma, n_features, delta),
        assumptions=of_inputs(radius, dimension, diameter),
    )


@bound(
    "maxout.lemma-4",
    _RISK,
    falls_in=("n_features",),
    assumes=(MEAN_SQUARE, NORMAL, LOSS),
    domains=_DOMAINS,
)
def approximation_risk(
    *,
    lipschitz: float,
    n_features: int,
    pool_size: int,
    scale: float,
    delta: float | None = None,
    loss_bound: float = 1.0,
    radius: float = 1.0,
    function: Function = "nearest",
    centred: bool = False,
) -> Formula:
    r"""Bound the risk added by approximating with m units: L times :func:`approximation`.

    .. math:: \mathcal E_V(\hat f) - \mathcal E_V(f) \le L \|\hat f - f\|

    Parameters
    ----------
    lipschitz, loss_bound
        As :mod:`mehler.bounds.maxout` says; `loss_bound` enters `trivial` alone.
    n_features, pool_size, scale, delta, radius, function, centred
        As in :func:`approximation`; without `delta` the bound is of the mean over the weights.

    Returns
    -------
    Bound
        With the terms of :func:`approximation`.

    References
    ----------
    Mroueh, Rennie, Goel (2015), Lemma 4; :doc:`/theorems/lemma-4`.

    Examples
    --------
    >>> from mehler.bounds import maxout
    >>> round(maxout.approximation_risk(lipschitz=0.5, n_features=200, pool_size=8, scale=0.3,
    ...                                 delta=0.05).value, 4)
    0.0424
    """
    distance = approximation.evaluate.body(
        n_features=n_features,
        pool_size=pool_size,
        scale=scale,
        delta=delta,
        radius=radius,
        function=function,
        centred=centred,
    )
    mean = ", in expectation" if delta is None else ""
    return dataclasses.replace(_of_loss(distance, lipschitz, loss_bound), quantity=_RISK + mean)


@bound("maxout.lemma-4", _RISK, falls_in=("n_features",), assumes=(NORMAL, LOSS))
def approximation_risk_by_dimension(
    *,
    lipschitz: float,
    n_features: int,
    pool_size: int,
    scale: float,
    delta: float,
    n_inputs: int,
    dimension: float,
    diameter: float,
    loss_bound: float = 1.0,
    radius: float = 1.0,
) -> Formula:
    r"""Bound the risk added by approximating: L times :func:`approximation_by_dimension`.

    Parameters
    ----------
    lipschitz, loss_bound
        As in :func:`approximation_risk`.
    n_features, pool_size, scale, delta, n_inputs, dimension, diameter, radius
        As :mod:`mehler.bounds.maxout` says.

    Returns
    -------
    Bound
        With the terms of :func:`approximation_by_dimension`.

    References
    ----------
    Mroueh, Rennie, Goel (2015), Lemma 4; :doc:`/theorems/lemma-4`.

    Examples
    --------
    >>> from mehler.bounds import maxout
    >>> round(maxout.approximation_risk_by_dimension(lipschitz=0.5, n_features=10_000, pool_size=8,
    ...     scale=0.3, delta=0.05, n_inputs=10, dimension=3, diameter=2.0).value, 4)
    0.0983
    """
    distance = approximation_by_dimension.evaluate.body(
        n_features=n_features,
        pool_size=pool_size,
        scale=scale,
        delta=delta,
        n_inputs=n_inputs,
        dimension=dimension,
        diameter=diameter,
        radius=radius,
    )
    return _of_loss(distance, lipschitz, loss_bound)


def _of_loss(distance: Formula, lipschitz: float, loss_bound: float) -> Formula:
    """Return L times a distance, which is at most the range of the loss."""
    return dataclasses.replace(
        distance,
        terms={k: (lipschitz * v, f"L\\,{latex}") for k, (v, latex) in distance.terms.items()},
        trivial=min(loss_bound, lipschitz * distance.trivial),
    )
