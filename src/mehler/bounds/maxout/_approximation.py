"""Lemmas 2 to 4: the supremum of a unit, the approximation by m units, the risk it adds."""

from __future__ import annotations

import functools
from typing import Any, Literal

import numpy as np

from mehler import exact
from mehler._validate import require_choice, require_flag
from mehler.bounds._arguments import (
    Counts,
    Reals,
    counts,
    not_negatives,
    pool_sizes,
    positives,
    probabilities,
)
from mehler.bounds._bound import Assumption, Bound, Term, digits
from mehler.bounds._function import bound

Function = Literal["nearest", "monte-carlo"]
NORMAL = Assumption("weights are independent standard normal")
DRAWN = Assumption("samples are independent, and weights independent standard normal")
_NEAREST = "L2 distance from f to the nearest function of the box"
_MONTE_CARLO = "L2 distance from f to its Monte Carlo function"
_RISK = "risk that approximating f by m units adds"


def mean_square(radius: Any) -> Assumption:
    return Assumption(f"inputs have root mean square norm at most {digits(radius)}")


def loss(lipschitz: Any, loss_bound: Any) -> Assumption:
    steep, most = digits(lipschitz), digits(loss_bound)
    return Assumption(f"the loss is {steep}-Lipschitz in y f(x), with values in [0, {most}]")


def root_log(delta: Any) -> Any:
    """Compute sqrt(2 log(1/delta)), the deviation of a 1-Lipschitz function of a Gaussian."""
    return np.sqrt(2 * np.log(1 / delta))


def unit_size(pool_size: Counts, centred: bool) -> tuple[Any, str]:
    """Compute the root mean square of a unit at a vector of norm 1, and its symbol."""
    centre = require_flag("centred", centred)
    symbol = r"\sqrt{V(q)}" if centre else r"\sigma(q)"
    if type(pool_size) is int:
        return _unit_size(pool_size, centre), symbol
    distinct, places = np.unique(pool_sizes(pool_size), return_inverse=True)
    sizes = np.array([_unit_size(int(q), centre) for q in distinct])
    return sizes[places].reshape(np.shape(pool_size))[()], symbol


@functools.lru_cache(maxsize=4096)
def _unit_size(q: int, centred: bool) -> Any:
    mean = exact.max_moment(1, pool_sizes(q)) if centred else 0.0
    return np.sqrt(np.float64(exact.sigma2(pool_sizes(q)) - mean**2))


def two_lengths(sigma: Any, m: Any, delta: Any) -> Any:
    """Bound the sum of the norms of a function of the box and one of the class, C = R = 1.

    In the class the norm is at most sigma; in the box, at most the mean norm of the units, which
    concentrates about at most sigma.
    """
    return 2 * sigma + root_log(delta) / np.sqrt(m)


@bound("maxout.lemma-2", "largest |phi(x, W)| over the inputs, all units")
def supremum(
    *, pool_size: Counts, delta: Reals, mean_sup: Reals, n_features: Counts = 1, radius: Reals = 1.0
) -> Bound:
    r"""Bound the supremum of a unit over the inputs, for all units at once, by its mean.

    .. math::

        \max_{\ell \le m}\,\sup_{x \in \mathcal M} |\phi(x, W^\ell)| \le
        E \sup_x |\phi(x, W)| + R \sqrt{2 \log(m/\delta)}

    with probability at least 1 - delta. Proof: :doc:`/theorems/lemma-2`.

    Parameters
    ----------
    pool_size, delta, n_features
        As :mod:`mehler.bounds.maxout` says.
    mean_sup : float or array
        :math:`E \sup_x |\phi(x, W)|` or an upper bound of it. It is at most
        :math:`w + R\sqrt{2 \log q}` with :math:`w = E \sup_x |\langle w_1, x \rangle|`; for n
        inputs, at most :math:`R \sqrt{2 \log(2 n q)}`.
    radius : float or array
        The largest norm of an input.

    Returns
    -------
    Bound
        Terms: "mean" and "confidence".

    Examples
    --------
    >>> from mehler.bounds import maxout
    >>> round(maxout.supremum(pool_size=4, delta=0.01, mean_sup=2.1).value, 3)
    5.135
    """
    counts(pool_size=pool_size)
    m, chance = counts(n_features=n_features), probabilities(delta=delta)
    length, mean = positives(radius=radius), not_negatives(mean_sup=mean_sup)
    text = f"mean_sup={digits(mean)} is the expected supremum or larger"
    return Bound(
        terms=(
            Term("mean", mean, r"E\sup_x|\phi(x, W)|"),
            Term("confidence", length * root_log(chance / m), r"R\sqrt{2\log(m/\delta)}"),
        ),
        probability=1 - chance,
        assumptions=(
            Assumption(f"inputs have norm at most {digits(length)}"),
            Assumption(text),
            NORMAL,
        ),
    )


@bound("maxout.lemma-2", "largest |phi(x, W)| over the inputs, all units")
def supremum_by_dimension(
    *,
    pool_size: Counts,
    delta: Reals,
    n_inputs: Counts,
    dimension: Reals,
    diameter: Reals,
    n_features: Counts = 1,
    radius: Reals = 1.0,
) -> Bound:
    r"""Bound the supremum of a unit over the inputs, for all units at once, by a covering.

    .. math::

        \max_{\ell \le m}\,\sup_{x \in \mathcal M} |\phi(x, W^\ell)| \le M_\delta =
        4 R \sqrt{k \log^+\frac{2 D \sqrt d}{R} + \log\frac{2 m q}{\delta}}

    with probability at least 1 - delta. Proof: :doc:`/theorems/lemma-2`.

    Parameters
    ----------
    pool_size, delta, n_inputs, dimension, diameter, n_features, radius
        As :mod:`mehler.bounds.maxout` says.

    Returns
    -------
    Bound
        Term: "supremum".

    Examples
    --------
    >>> from mehler.bounds import maxout
    >>> circle = dict(n_inputs=10, dimension=3, diameter=2.0)
    >>> round(maxout.supremum_by_dimension(pool_size=4, delta=0.01, **circle).value, 3)
    15.125
    """
    chance = probabilities(delta=delta)
    largest, inputs = covered(
        pool_size, chance, n_inputs, dimension, diameter, n_features, positives(radius=radius)
    )
    latex = r"4R\sqrt{k\log^+(2D\sqrt d/R) + \log(2mq/\delta)}"
    return Bound(
        terms=(Term("supremum", largest, latex),),
        probability=1 - chance,
        assumptions=(NORMAL, *inputs),
    )


def covered(
    pool_size: Counts,
    delta: Any,
    n_inputs: Counts,
    dimension: Reals,
    diameter: Reals,
    n_features: Counts,
    radius: Any,
) -> tuple[Any, tuple[Assumption, ...]]:
    """Return M_delta, and what is assumed of the inputs; no two are farther apart than 2 R."""
    q, d, m = counts(pool_size=pool_size, n_inputs=n_inputs, n_features=n_features)
    k, across = not_negatives(dimension=dimension, diameter=diameter)
    # The logarithm of the covering number at the scale R/sqrt(d).
    cells = k * np.log(np.maximum(1.0, 2 * across * np.sqrt(d) / radius))
    # A diameter that was computed may exceed twice the norm by rounding.
    fits = across <= 2 * radius * (1 + 1e-9)
    far = f"inputs have norm at most {digits(radius)}, and two of them are at most twice that apart"
    own = "the doubling dimension is that of Definition 2, or larger"
    return 4 * radius * np.sqrt(cells + np.log(2 * m * q / delta)), (
        Assumption(far, None if np.all(fits) else fits, f"diameter {digits(across)}"),
        Assumption(own, None, digits(k)),
    )


@bound("maxout.lemma-3", _NEAREST, falls_in=("n_features",))
def approximation(
    *,
    n_features: Counts,
    pool_size: Counts,
    scale: Reals,
    delta: Reals | None = None,
    radius: Reals = 1.0,
    function: Function = "nearest",
    centred: bool = False,
) -> Bound:
    r"""Bound the L2 error of approximating a function of the class by m units.

    .. math::

        \min_{\|\alpha\|_\infty \le C/m} \Big\|\sum_\ell \alpha_\ell \phi(\cdot, W^\ell) - f\Big\|
        \le \frac{C R}{\sqrt m} \left(\sigma(q) + \sqrt{2 \log(1/\delta)}\right)

    with probability at least 1 - delta. Without `delta` it is
    :math:`(E\|\hat f - f\|^2)^{1/2} \le C R \sigma(q) / \sqrt m` for the Monte Carlo function
    :math:`\hat f = \frac1m \sum_\ell \frac{\alpha(W^\ell)}{p(W^\ell)} \phi(\cdot, W^\ell)`, and so
    for the nearest one. Proof: :doc:`/theorems/lemma-3`.

    Parameters
    ----------
    n_features, pool_size, scale, delta, radius, centred
        As :mod:`mehler.bounds.maxout` says.
    function
        With `delta`, that of the box nearest to f, or its Monte Carlo function:
        :math:`C R (2 \sigma(q) + 1) (\sqrt{2t/m} + 2t/m)`, :math:`t = \log(2/\delta)`.

    Returns
    -------
    Bound
        Terms: "mean" and "confidence", or "deviation" and "tail". `trivial` is
        :math:`CR\sigma(q)`, the length of f, for the nearest function; with the length of the
        Monte Carlo function added for that one.

    Examples
    --------
    >>> from mehler.bounds import maxout
    >>> bound = maxout.approximation(n_features=200, pool_size=8, scale=0.3, delta=0.05)
    >>> round(bound.value, 4), round(bound["mean"], 4)
    (0.0848, 0.0329)
    """
    m, (weight, length) = counts(n_features=n_features), positives(scale=scale, radius=radius)
    require_choice("function", function, ("nearest", "monte-carlo"))
    sigma, symbol = unit_size(pool_size, centred)
    size, root, assumptions = weight * length, np.sqrt(m), (mean_square(length), NORMAL)
    mean = Term("mean", size * sigma / root, rf"CR{symbol}/\sqrt m")
    if delta is None:
        return Bound(
            terms=(mean,),
            assumptions=assumptions,
            trivial=size * (2 * sigma),
            quantity=f"root mean square over the weights of the {_MONTE_CARLO}",
        )
    chance = probabilities(delta=delta)
    if function == "nearest":
        deviation = size * root_log(chance) / root
        return Bound(
            terms=(mean, Term("confidence", deviation, r"CR\sqrt{2\log(1/\delta)/m}")),
            probability=1 - chance,
            assumptions=assumptions,
            # The box contains 0, and norms in the class are at most C R sigma(q).
            trivial=size * sigma,
        )
    t = np.log(2 / chance)
    factor, latex = size * (2 * sigma + 1), rf"CR(2{symbol} + 1)"
    return Bound(
        terms=(
            Term("deviation", factor * np.sqrt(2 * t / m), latex + r"\sqrt{2\log(2/\delta)/m}"),
            Term("tail", factor * 2 * t / m, rf"2{latex}\log(2/\delta)/m"),
        ),
        probability=1 - chance,
        assumptions=assumptions,
        # The Monte Carlo function may point away from f.
        trivial=size * two_lengths(sigma, m, chance),
        quantity=_MONTE_CARLO,
    )


@bound("maxout.lemma-3", _MONTE_CARLO, falls_in=("n_features",))
def approximation_by_dimension(
    *,
    n_features: Counts,
    pool_size: Counts,
    scale: Reals,
    delta: Reals,
    n_inputs: Counts,
    dimension: Reals,
    diameter: Reals,
    radius: Reals = 1.0,
) -> Bound:
    r"""Bound the L2 error of the Monte Carlo function of m units, by a covering of the inputs.

    .. math:: \|\hat f - f\| \le \frac{C M_\delta}{\sqrt m} \left(1 + \sqrt{2 \log(1/\delta)}\right)

    with probability at least 1 - 2 delta and :math:`M_\delta` of :func:`supremum_by_dimension`.
    Proof: :doc:`/theorems/lemma-3`.

    Parameters
    ----------
    n_features, pool_size, scale, delta, n_inputs, dimension, diameter, radius
        As :mod:`mehler.bounds.maxout` says.

    Returns
    -------
    Bound
        Terms: "mean" and "confidence".

    Examples
    --------
    >>> from mehler.bounds import maxout
    >>> round(maxout.approximation_by_dimension(n_features=10_000, pool_size=8, scale=0.3,
    ...     delta=0.05, n_inputs=10, dimension=3, diameter=2.0).value, 4)
    0.1966
    """
    chance, (weight, length) = probabilities(delta=delta), positives(scale=scale, radius=radius)
    space = (n_inputs, dimension, diameter)
    largest, inputs = covered(pool_size, chance, *space, n_features, length)
    m, (sigma, _) = counts(n_features=n_features), unit_size(pool_size, False)
    mean = weight * largest / np.sqrt(m)
    latex = r"CM_\delta\sqrt{2\log(1/\delta)/m}"
    return Bound(
        terms=(
            Term("mean", mean, r"CM_\delta/\sqrt m"),
            Term("confidence", mean * root_log(chance), latex),
        ),
        probability=1 - 2 * chance,
        assumptions=(NORMAL, *inputs),
        trivial=weight * length * two_lengths(sigma, m, chance),
    )


def _risk_of(distance: Bound, lipschitz: Reals, loss_bound: Reals, quantity: str = "") -> Bound:
    """Return L times a distance, at most B."""
    steep, most = positives(lipschitz=lipschitz, loss_bound=loss_bound)
    return Bound(
        terms=tuple(
            Term(term.name, steep * term.value, rf"L\,{term.formula}") for term in distance.terms
        ),
        probability=distance.probability,
        assumptions=(*distance.assumptions, loss(steep, most)),
        trivial=np.minimum(most, steep * distance.trivial),
        quantity=quantity,
    )


@bound("maxout.lemma-4", _RISK, falls_in=("n_features",))
def approximation_risk(
    *,
    lipschitz: Reals,
    n_features: Counts,
    pool_size: Counts,
    scale: Reals,
    loss_bound: Reals = 1.0,
    delta: Reals | None = None,
    radius: Reals = 1.0,
    function: Function = "nearest",
    centred: bool = False,
) -> Bound:
    r"""Bound the risk added by approximating with m units: L times :func:`approximation`.

    .. math:: \mathcal E_V(\hat f) - \mathcal E_V(f) \le L \|\hat f - f\|

    Without `delta` the bound is of the mean over the weights; `loss_bound` enters `trivial` alone.
    Proof: :doc:`/theorems/lemma-4`.

    Parameters
    ----------
    lipschitz, n_features, pool_size, scale, loss_bound, delta, radius, function, centred
        As :mod:`mehler.bounds.maxout` and :func:`approximation` say.

    Returns
    -------
    Bound
        Terms: those of :func:`approximation`.

    Examples
    --------
    >>> from mehler.bounds import maxout
    >>> round(maxout.approximation_risk(lipschitz=0.5, n_features=200, pool_size=8, scale=0.3,
    ...                                 delta=0.05).value, 4)
    0.0424
    """
    distance = approximation(
        n_features=n_features,
        pool_size=pool_size,
        scale=scale,
        delta=delta,
        radius=radius,
        function=function,
        centred=centred,
    )
    quantity = _RISK if delta is not None else f"{_RISK}, in expectation"
    return _risk_of(distance, lipschitz, loss_bound, quantity)


@bound("maxout.lemma-4", _RISK, falls_in=("n_features",))
def approximation_risk_by_dimension(
    *,
    lipschitz: Reals,
    n_features: Counts,
    pool_size: Counts,
    scale: Reals,
    delta: Reals,
    n_inputs: Counts,
    dimension: Reals,
    diameter: Reals,
    loss_bound: Reals = 1.0,
    radius: Reals = 1.0,
) -> Bound:
    r"""Bound the risk added by approximating: L times :func:`approximation_by_dimension`.

    .. math:: \mathcal E_V(\hat f) - \mathcal E_V(f) \le L \|\hat f - f\|

    Proof: :doc:`/theorems/lemma-4`.

    Parameters
    ----------
    lipschitz, n_features, pool_size, scale, delta, n_inputs, dimension, diameter, loss_bound
        As :mod:`mehler.bounds.maxout` says, and `radius`.

    Returns
    -------
    Bound
        Terms: those of :func:`approximation_by_dimension`.

    Examples
    --------
    >>> from mehler.bounds import maxout
    >>> round(maxout.approximation_risk_by_dimension(lipschitz=0.5, n_features=10_000, pool_size=8,
    ...     scale=0.3, delta=0.05, n_inputs=10, dimension=3, diameter=2.0).value, 4)
    0.0983
    """
    distance = approximation_by_dimension(
        n_features=n_features,
        pool_size=pool_size,
        scale=scale,
        delta=delta,
        n_inputs=n_inputs,
        dimension=dimension,
        diameter=diameter,
        radius=radius,
    )
    return _risk_of(distance, lipschitz, loss_bound)
