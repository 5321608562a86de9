r"""Risk of learning on random maxout features: Theorem 2, its lemmas, and how often codes agree.

The class is that of functions :math:`f = \int \alpha(W) \phi(\cdot, W) dW` with
:math:`|\alpha| \le C p`, p the density of the weights; the box holds :math:`\sum_\ell \alpha_\ell
\phi(\cdot, W^\ell)` with :math:`|\alpha_\ell| \le C/m`. A unit is
:math:`\phi(x, W) = \max_{j \le q} \langle w_j, x\rangle`, its root mean square at a vector of norm
1 is :math:`\sigma(q)`.

Each quantity has a bound without dimensions, and one ``_by_dimension`` along the paper's route: a
covering of the inputs by their doubling dimension. The second is larger.

Arguments broadcast, and are the same in all functions:

n_features, n_samples, pool_size : int or array
    Number of units m, of samples N, and pool size q.
scale : float or array
    C: weights are at most C/m.
lipschitz, loss_bound : float or array
    L and B: the loss is L-Lipschitz in y f(x), with values in [0, B]; for one in [-B, B] give 2 B.
radius : float or array
    R: the root mean square norm of an input, :math:`(E|x|^2)^{1/2}`; by dimension the largest norm.
n_inputs, dimension, diameter : int, float, float, or arrays
    d, the doubling dimension k (Definition 2) and the diameter D of the set of inputs.
centred : bool
    The units are centred, :math:`\phi - h_1(q)|x|`: :math:`\sqrt{V(q)}` then stands for
    :math:`\sigma(q)`, which it is smaller than for q > 1.
function : {"nearest", "monte-carlo"}
    The function of the box nearest to f, or the average over the weights.
delta : float or array
    Probability of one event; each function says how many of them it excludes.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from mehler import exact
from mehler._validate import require_choice, require_flag
from mehler.bounds._arguments import (
    Counts,
    Floats,
    Reals,
    correlations,
    counts,
    not_negatives,
    pool_sizes,
    positives,
    positives_or_infinite,
    probabilities,
)
from mehler.bounds._bound import Assumption, Bound, Term, digits
from mehler.bounds._function import bound

__all__ = [
    "approximation",
    "approximation_by_dimension",
    "approximation_risk",
    "approximation_risk_by_dimension",
    "collision_probability",
    "excess_risk",
    "excess_risk_by_dimension",
    "supremum",
    "supremum_by_dimension",
]


def __dir__() -> list[str]:
    return __all__


Function = Literal["nearest", "monte-carlo"]
_NORMAL = Assumption("weights are independent standard normal")
_DRAWN = Assumption("samples are independent, and weights independent standard normal")
_NEAREST = "L2 distance from f to the nearest function of the box"
_MONTE_CARLO = "L2 distance from f to its Monte Carlo function"
_RISK = "risk that approximating f by m units adds"
_EXCESS = "excess risk of the empirical minimiser over the infinite class"


def _mean_square(radius: Any) -> Assumption:
    return Assumption(f"inputs have root mean square norm at most {digits(radius)}")


def _loss(lipschitz: Any, loss_bound: Any) -> Assumption:
    steep, most = digits(lipschitz), digits(loss_bound)
    return Assumption(f"the loss is {steep}-Lipschitz in y f(x), with values in [0, {most}]")


def _root_log(delta: Any) -> Any:
    """Compute sqrt(2 log(1/delta)), the deviation of a 1-Lipschitz function of a Gaussian."""
    return np.sqrt(2 * np.log(1 / delta))


def _unit_size(pool_size: Counts, centred: bool) -> tuple[Any, str]:
    """Compute the root mean square of a unit at a vector of norm 1, and its symbol."""
    q = pool_sizes(pool_size)
    if require_flag("centred", centred):
        return _sizes(q, lambda n: exact.sigma2(n) - exact.max_moment(1, n) ** 2), r"\sqrt{V(q)}"
    return _sizes(q, exact.sigma2), r"\sigma(q)"


def _sizes(q: Any, square: Any) -> Any:
    if isinstance(q, int):
        return np.sqrt(square(q))
    distinct, places = np.unique(q, return_inverse=True)
    return np.sqrt([square(int(n)) for n in distinct])[places].reshape(q.shape)


def _two_lengths(sigma: Any, m: Any, delta: Any) -> Any:
    """Bound the sum of the norms of a function of the box and one of the class, C = R = 1.

    In the class the norm is at most sigma; in the box, at most the mean norm of the units, which
    concentrates about at most sigma.
    """
    return 2 * sigma + _root_log(delta) / np.sqrt(m)


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
            Term("confidence", length * _root_log(chance / m), r"R\sqrt{2\log(m/\delta)}"),
        ),
        probability=1 - chance,
        assumptions=(
            Assumption(f"inputs have norm at most {digits(length)}"),
            Assumption(text),
            _NORMAL,
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
    largest, inputs = _covered(
        pool_size, chance, n_inputs, dimension, diameter, n_features, positives(radius=radius)
    )
    latex = r"4R\sqrt{k\log^+(2D\sqrt d/R) + \log(2mq/\delta)}"
    return Bound(
        terms=(Term("supremum", largest, latex),),
        probability=1 - chance,
        assumptions=(_NORMAL, *inputs),
    )


def _covered(
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
    sigma, symbol = _unit_size(pool_size, centred)
    size, root, assumptions = weight * length, np.sqrt(m), (_mean_square(length), _NORMAL)
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
        deviation = size * _root_log(chance) / root
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
        trivial=size * _two_lengths(sigma, m, chance),
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
    largest, inputs = _covered(pool_size, chance, *space, n_features, length)
    m, (sigma, _) = counts(n_features=n_features), _unit_size(pool_size, False)
    mean = weight * largest / np.sqrt(m)
    latex = r"CM_\delta\sqrt{2\log(1/\delta)/m}"
    return Bound(
        terms=(
            Term("mean", mean, r"CM_\delta/\sqrt m"),
            Term("confidence", mean * _root_log(chance), latex),
        ),
        probability=1 - 2 * chance,
        assumptions=(_NORMAL, *inputs),
        trivial=weight * length * _two_lengths(sigma, m, chance),
    )


def _risk_of(distance: Bound, lipschitz: Reals, loss_bound: Reals, quantity: str = "") -> Bound:
    """Return L times a distance, at most B."""
    steep, most = positives(lipschitz=lipschitz, loss_bound=loss_bound)
    return Bound(
        terms=tuple(
            Term(term.name, steep * term.value, rf"L\,{term.formula}") for term in distance.terms
        ),
        probability=distance.probability,
        assumptions=(*distance.assumptions, _loss(steep, most)),
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


@bound("maxout.theorem-2", _EXCESS, falls_in=("n_features", "n_samples"))
def excess_risk(
    *,
    n_features: Counts,
    n_samples: Counts,
    pool_size: Counts,
    scale: Reals,
    lipschitz: Reals,
    delta: Reals | None = None,
    loss_bound: Reals = 1.0,
    radius: Reals = 1.0,
    centred: bool = False,
    mean_norm: Reals | None = None,
) -> Bound:
    r"""Bound the excess risk of the empirical risk minimiser over the box.

    .. math::

        \mathcal E_V(\hat f_N) - \inf_{\mathcal F} \mathcal E_V \le
        \frac{2 L C R}{\sqrt N} \Big(\sigma(q) + \sqrt{\tfrac{2 \log(1/\delta)}{m}}\Big)
        + B \sqrt{\tfrac{2 \log(1/\delta)}{N}}
        + \frac{L C R}{\sqrt m} \Big(\sigma(q) + \sqrt{2 \log(1/\delta)}\Big)

    with probability at least :math:`1 - 3 \delta` over the weights and the data; without `delta`,
    :math:`L C R \sigma(q) (2/\sqrt N + 1/\sqrt m)` in expectation, where B may be infinity.
    Proofs: :doc:`/theorems/theorem-2`; for `centred` and `mean_norm` :doc:`/theorems/sharper-risk`.

    Parameters
    ----------
    n_features, n_samples, pool_size, scale, lipschitz, delta, loss_bound, radius, centred
        As :mod:`mehler.bounds.maxout` says.
    mean_norm : float or array, optional
        Z = (1/m) sum_l ((1/N) sum_i phi(x_i, W^l)^2)^(1/2) of these units and this sample: the
        statistical term is then 2 L C Z/sqrt(N), the confidence term twice as large, and the bound
        fails with at most probability 2 delta.

    Returns
    -------
    Bound
        Terms: "statistical", "confidence" and "approximation". `trivial` is the smaller of B and
        :math:`LCR(2\sigma(q) + \sqrt{2\log(1/\delta)/m})`, L times what the functions of both
        classes are long, on one of the bound's own events.

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
    m, n = counts(n_features=n_features, n_samples=n_samples)
    weight, steep, length = positives(scale=scale, lipschitz=lipschitz, radius=radius)
    most = positives_or_infinite(loss_bound=loss_bound)
    sigma, symbol = _unit_size(pool_size, centred)
    size, root = steep * weight, np.sqrt(n)
    assumptions = (_mean_square(length), _loss(steep, most), _DRAWN)
    if delta is None:
        if mean_norm is not None:
            raise ValueError("mean_norm is of one sample, and an expectation has none: give delta")
        mean = size * length * sigma
        return Bound(
            terms=(
                Term("statistical", 2 * mean / root, rf"2LCR{symbol}/\sqrt N"),
                Term("approximation", mean / np.sqrt(m), rf"LCR{symbol}/\sqrt m"),
            ),
            assumptions=assumptions,
            trivial=np.minimum(most, size * length * (2 * sigma)),
            quantity=f"{_EXCESS}, in expectation",
        )
    if np.any(np.isinf(most)):
        raise ValueError("loss_bound=inf is for an expectation: leave delta out, or give B")
    chance = probabilities(delta=delta)
    deviation = _root_log(chance)
    last = Term(
        "approximation",
        size * (length * (sigma + deviation) / np.sqrt(m)),
        rf"\frac{{LCR}}{{\sqrt m}}({symbol} + \sqrt{{2\log(1/\delta)}})",
    )
    if mean_norm is None:
        parts = _estimation(m, n, chance, sigma, symbol, size * length, most)
        trivial = np.minimum(most, size * length * _two_lengths(sigma, m, chance))
        return Bound(
            terms=(*parts, last),
            probability=1 - 3 * chance,
            assumptions=assumptions,
            trivial=trivial,
        )
    own = not_negatives(mean_norm=mean_norm)
    confidence = 2 * most * deviation / root
    return Bound(
        terms=(
            Term("statistical", 2 * (size * own) / root, r"2LCZ/\sqrt N"),
            Term("confidence", confidence, r"2B\sqrt{2\log(1/\delta)/N}"),
            last,
        ),
        probability=1 - 2 * chance,
        assumptions=assumptions,
        # The units' mean norm in the population is not among these events.
        trivial=most,
    )


@bound("maxout.theorem-2", _EXCESS, falls_in=("n_features", "n_samples"))
def excess_risk_by_dimension(
    *,
    n_features: Counts,
    n_samples: Counts,
    pool_size: Counts,
    scale: Reals,
    lipschitz: Reals,
    delta: Reals,
    n_inputs: Counts,
    dimension: Reals,
    diameter: Reals,
    loss_bound: Reals = 1.0,
    radius: Reals = 1.0,
) -> Bound:
    r"""Bound the excess risk of the empirical minimiser, by a covering of the inputs.

    The last term of :func:`excess_risk` is here :math:`\frac{L C M_\delta}{\sqrt m} (1 + \sqrt{2
    \log(1/\delta)})`, with :math:`M_\delta` of :func:`supremum_by_dimension`; the bound fails with
    at most probability 4 delta. Proof: :doc:`/theorems/theorem-2`.

    Parameters
    ----------
    n_features, n_samples, pool_size, scale, lipschitz, delta, n_inputs, dimension, diameter
        As :mod:`mehler.bounds.maxout` says, and `loss_bound` and `radius`.

    Returns
    -------
    Bound
        Terms: those of :func:`excess_risk`, and always larger.

    Examples
    --------
    >>> from mehler import bounds
    >>> bounds.solve(bounds.maxout.excess_risk_by_dimension, at_most=0.2, n_features=None,
    ...     n_samples=10_000, pool_size=4, scale=1.0, lipschitz=1.0, delta=0.01, n_inputs=784,
    ...     dimension=10, diameter=2.0)
    840165
    """
    m, n = counts(n_features=n_features, n_samples=n_samples)
    chance = probabilities(delta=delta)
    weight, steep, length, most = positives(
        scale=scale, lipschitz=lipschitz, radius=radius, loss_bound=loss_bound
    )
    space = (n_inputs, dimension, diameter)
    largest, inputs = _covered(pool_size, chance, *space, n_features, length)
    sigma, symbol = _unit_size(pool_size, False)
    size = steep * weight
    last = size * (largest * (1 + _root_log(chance)) / np.sqrt(m))
    return Bound(
        terms=(
            *_estimation(m, n, chance, sigma, symbol, size * length, most),
            Term("approximation", last, r"\frac{LCM_\delta}{\sqrt m}(1 + \sqrt{2\log(1/\delta)})"),
        ),
        probability=1 - 4 * chance,
        assumptions=(_loss(steep, most), _DRAWN, *inputs),
        trivial=np.minimum(most, size * length * _two_lengths(sigma, m, chance)),
    )


def _estimation(
    m: Any, n: Any, delta: Any, sigma: Any, symbol: str, size: Any, loss_bound: Any
) -> tuple[Term, Term]:
    """Return the terms that m units pay for n samples; `size` is LCR."""
    deviation = _root_log(delta)
    return (
        Term(
            "statistical",
            2 * size / np.sqrt(n) * (sigma + deviation / np.sqrt(m)),
            rf"\frac{{2LCR}}{{\sqrt N}}({symbol} + \sqrt{{2\log(1/\delta)/m}})",
        ),
        Term("confidence", loss_bound * deviation / np.sqrt(n), r"B\sqrt{2\log(1/\delta)/N}"),
    )


@bound("maxout.remark-1-codes", "probability that two digits agree")
def collision_probability(rho: Reals, *, pool_size: Counts, level: Reals | None = None) -> Bound:
    r"""Bound the probability that maxout codes of two rows agree in a digit, from above.

    .. math:: \kappa_q(\rho) \le 2\,\Phi(a)^q + q\,\Phi\Big(-\frac{2a}{\sqrt{2(1+\rho)}}\Big)

    for every level a > 0: either maximum is at most a; or one index has g + g' > 2a. Proof:
    :doc:`/theorems/remark-1-codes`.

    Parameters
    ----------
    rho : float or array
        Cosine of the rows, in [-1, 1].
    pool_size
        As :mod:`mehler.bounds.maxout` says.
    level : float or array, optional
        a, at least 0; by default the best of many.

    Returns
    -------
    Bound
        Terms: "below" and "above", for certain. Vacuous, above 1, for equal rows or small pools;
        far from equal rows larger than the probability by a power of log q. Rounding is 1e-12.

    Examples
    --------
    >>> from mehler import exact
    >>> from mehler.bounds import maxout
    >>> bound = maxout.collision_probability(0.5, pool_size=10**6)
    >>> round(exact.collision_probability(0.5, 10**6), 4), round(bound.value, 4)
    (0.0036, 0.1625)
    """
    from scipy.special import log_ndtr, ndtr

    q, cosine = counts(pool_size=pool_size), correlations(rho=rho)
    a = levels(q) if level is None else not_negatives(level=level)[..., None]
    q, spread = np.asarray(q)[..., None], np.sqrt((1 + np.asarray(cosine)) / 2)[..., None]
    # Opposite rows: g + g' is 0, not above 2a.
    above = np.where(spread > 0, q * ndtr(-a / np.where(spread > 0, spread, 1.0)), 0.0)
    # What underflows is above 0 still: a bound from above is rounded up.
    below = np.maximum(2 * np.exp(q * log_ndtr(a)), np.nextafter(0.0, 1.0))
    below, above = np.broadcast_arrays(below, above)
    best = np.argmin(below + above, axis=-1)[..., None]
    below, above = (np.take_along_axis(part, best, -1)[..., 0] for part in (below, above))
    return Bound(
        terms=(
            Term("below", below, r"2\Phi(a)^q"),
            Term("above", above, r"q\Phi(-2a/\sqrt{2(1+\rho)})"),
        ),
        assumptions=(_NORMAL,),
        trivial=1.0,
    )


def levels(q: Any) -> Floats:
    """Return levels to choose from, (..., 2000): any is valid."""
    return np.linspace(0.0, 1.2 * np.sqrt(2 * np.log(q)) + 3, 2000, axis=-1)
