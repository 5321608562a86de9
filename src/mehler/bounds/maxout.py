r"""Bounds on the risk of learning on random maxout features (Mroueh, Rennie and Goel 2015).

A unit is :math:`\phi(x, W) = \max_{j \le q} \langle w_j, x\rangle` with standard normal weights W;
its root mean square at a vector of norm 1 is :math:`\sigma(q)`. The class :math:`\mathcal F` is
that of functions :math:`f = \int \alpha(W) \phi(\cdot, W) dW` with :math:`|\alpha| \le C p`, p the
density of W. The box holds the sums :math:`\sum_{\ell\le m} \alpha_\ell \phi(\cdot, W^\ell)` of m
units with :math:`|\alpha_\ell| \le C/m`. Each quantity has a bound without dimensions, and a larger
one along the paper's proof, by a covering of the inputs, where `n_inputs`, `dimension` and
`diameter` are given. The latter has

.. math:: M_\delta = 4 R \sqrt{k \log^+\frac{2 D \sqrt d}{R} + \log\frac{2 m q}{\delta}},

with probability at least 1 - delta an upper bound of all m units at all inputs.

Arguments broadcast, and are the same in all functions:

n_features, n_samples, pool_size : int or array
    Number of units m, of samples N, and pool size q.
scale : float or array
    C: weights are at most C/m.
lipschitz, loss_bound : float or array
    L and B: the loss is L-Lipschitz in y f(x), with values in [0, B]; for one in [-B, B] give 2 B.
radius : float or array
    R: the root mean square norm of an input, :math:`(E|x|^2)^{1/2}`; by dimension the largest norm.
n_inputs, dimension, diameter : int, float, float, or arrays, optional
    d, the doubling dimension k (Definition 2) and the diameter D of the set of inputs.
centred : bool
    The units are centred, :math:`\phi - h_1(q)|x|`, with mean h_1 and variance V of the largest of
    q normals: :math:`\sqrt{V(q)}`, smaller for q > 1, then stands for :math:`\sigma(q)`.
function : {"nearest", "monte-carlo"}
    The function of the box nearest to f, or the Monte Carlo one, with :math:`\alpha_\ell =
    \alpha(W^\ell)/(m\,p(W^\ell))`, which is that of the covering.
delta : float or array
    Probability of one event; each function says how many of them it excludes.
"""

from __future__ import annotations

import functools
from typing import Any, Literal

import numpy as np

from mehler import exact
from mehler._validate import require_choice, require_flag
from mehler.bounds._arguments import counts, not_negatives, pool_sizes, positives, probabilities
from mehler.bounds._bound import Assumption, Bound, Counts, Reals, Term, bound, digits

__all__ = ["approximation", "approximation_risk", "excess_risk", "supremum"]

Function = Literal["nearest", "monte-carlo"]
_NORMAL = Assumption("weights are independent standard normal")
_DRAWN = Assumption("samples are independent, and weights independent standard normal")
_MONTE_CARLO = "L2 distance from f to its Monte Carlo function"
_RISK = "risk that approximating f by m units adds"
_EXCESS = "excess risk of the empirical minimiser over the infinite class"


def _mean_square(radius: Any) -> Assumption:
    return Assumption(f"inputs have root mean square norm at most {digits(radius)}")


def _loss(lipschitz: Any, loss_bound: Any) -> Assumption:
    steep, most = digits(lipschitz), digits(loss_bound)
    return Assumption(f"the loss is {steep}-Lipschitz in y f(x), with values in [0, {most}]")


def _root_log(delta: Any) -> Any:
    """Compute sqrt(2 log(1/delta)), the deviation of a 1-Lipschitz function of normals."""
    return np.sqrt(2 * np.log(1 / delta))


def _unit_size(pool_size: Counts, centred: bool) -> Any:
    """Compute the root mean square of a unit at a vector of norm 1."""
    if type(centred) is not bool:
        centred = require_flag("centred", centred)
    if type(pool_size) is int:
        return _size_of(pool_size, centred)
    distinct, places = np.unique(pool_sizes(pool_size), return_inverse=True)
    sizes = np.array([_size_of(int(q), centred) for q in distinct])
    return sizes[places].reshape(np.shape(pool_size))[()]


@functools.lru_cache(maxsize=4096)
def _size_of(q: int, centred: bool) -> Any:
    mean = exact.max_moment(1, pool_sizes(q)) if centred else 0.0
    return np.sqrt(np.float64(exact.sigma2(pool_sizes(q)) - mean**2))


def _covering(
    n_inputs: Counts | None, dimension: Reals | None, diameter: Reals | None
) -> tuple[Any, Any, Any] | None:
    """Return d, k and D of the set of inputs, or None without one."""
    if n_inputs is None or dimension is None or diameter is None:
        if (n_inputs, dimension, diameter) == (None, None, None):
            return None
        raise ValueError("give n_inputs, dimension and diameter of the inputs, or none of them")
    return counts(n_inputs=n_inputs), *not_negatives(dimension=dimension, diameter=diameter)


def _covered(
    q: Any, delta: Any, covering: tuple[Any, Any, Any], m: Any, radius: Any
) -> tuple[Any, tuple[Assumption, ...]]:
    """Return M_delta, and the assumptions on the inputs; their diameter is at most 2 R."""
    d, k, across = covering
    # The logarithm of the covering number at the scale R/sqrt(d).
    cells = k * np.log(np.maximum(1.0, 2 * across * np.sqrt(d) / radius))
    # A diameter that was computed may exceed twice the norm by rounding.
    fits = across <= 2 * radius * (1 + 1e-9)
    far = f"inputs have norm at most {digits(radius)}, and two of them are at most twice that apart"
    doubling = "the doubling dimension is that of Definition 2, or larger"
    return 4 * radius * np.sqrt(cells + np.log(2 * m * q / delta)), (
        Assumption(far, None if np.all(fits) else fits, f"diameter {digits(across)}"),
        Assumption(doubling, None, digits(k)),
    )


@bound("maxout.lemma-2", "largest |phi(x, W)| over the inputs, all units")
def supremum(
    *,
    pool_size: Counts,
    delta: Reals,
    mean_sup: Reals | None = None,
    n_features: Counts = 1,
    radius: Reals = 1.0,
    n_inputs: Counts | None = None,
    dimension: Reals | None = None,
    diameter: Reals | None = None,
) -> Bound:
    r"""Bound the supremum of a unit over the inputs, for all units at once.

    .. math:: \max_{\ell \le m}\,\sup_{x \in \mathcal M} |\phi(x, W^\ell)| \le
              E \sup_x |\phi(x, W)| + R \sqrt{2 \log(m/\delta)},
              \quad\text{or by a covering } M_\delta

    with probability at least 1 - delta, R the largest norm of an input. Terms: "mean" and
    "confidence", or "supremum". Proof: :doc:`/theorems/lemma-2`; arguments:
    :mod:`mehler.bounds.maxout`.

    Parameters
    ----------
    mean_sup : float or array, optional
        :math:`E \sup_x |\phi(x, W)|` or an upper bound of it, such as :math:`R \sqrt{2 \log(2 n
        q)}` for n inputs; without it by a covering.

    Examples
    --------
    >>> from mehler.bounds import maxout
    >>> round(maxout.supremum(pool_size=4, delta=0.01, mean_sup=2.1).value, 3)
    5.135
    """
    q, m = counts(pool_size=pool_size, n_features=n_features)
    chance, length = probabilities(delta=delta), positives(radius=radius)
    covering = _covering(n_inputs, dimension, diameter)
    if (covering is None) == (mean_sup is None):
        raise ValueError("give mean_sup, or n_inputs, dimension and diameter")
    if covering is not None:
        largest, inputs = _covered(q, chance, covering, m, length)
        terms: tuple[Term, ...] = (Term("supremum", largest),)
        return Bound(terms=terms, probability=1 - chance, assumptions=(_NORMAL, *inputs))
    mean = not_negatives(mean_sup=0.0 if mean_sup is None else mean_sup)
    terms = (Term("mean", mean), Term("confidence", length * _root_log(chance / m)))
    inputs = (
        Assumption(f"inputs have norm at most {digits(length)}"),
        Assumption(f"mean_sup={digits(mean)} is the expected supremum or larger"),
    )
    return Bound(terms=terms, probability=1 - chance, assumptions=(*inputs, _NORMAL))


@bound("maxout.lemma-3", "L2 distance from f to the nearest function of the box", "n_features")
def approximation(
    *,
    n_features: Counts,
    pool_size: Counts,
    scale: Reals,
    delta: Reals | None = None,
    radius: Reals = 1.0,
    function: Function = "nearest",
    centred: bool = False,
    n_inputs: Counts | None = None,
    dimension: Reals | None = None,
    diameter: Reals | None = None,
) -> Bound:
    r"""Bound the L2 error of approximating a function of the class by m units.

    .. math::

        \min_{\|\alpha\|_\infty \le C/m} \Big\|\sum_\ell \alpha_\ell \phi(\cdot, W^\ell) - f\Big\|
        \le \frac{C R}{\sqrt m} \left(\sigma(q) + \sqrt{2 \log(1/\delta)}\right)

    with probability at least 1 - delta. Without `delta` it is
    :math:`(E\|\hat f - f\|^2)^{1/2} \le C R \sigma(q) / \sqrt m` for the Monte Carlo function
    :math:`\hat f`, and so for the nearest one. With `delta` the Monte Carlo function has :math:`C R
    (2 \sigma(q) + 1) (\sqrt{2t/m} + 2t/m)`, :math:`t = \log(2/\delta)`; by a covering
    :math:`\frac{C M_\delta}{\sqrt m}(1 + \sqrt{2 \log(1/\delta)})`, with chance 1 - 2 delta.

    Terms: "mean" and "confidence", or "deviation" and "tail". `trivial` is :math:`CR\sigma(q)`, a
    bound of the norm of f, for the nearest function; for the Monte Carlo one the bound of its norm
    is added. Proof: :doc:`/theorems/lemma-3`; arguments: :mod:`mehler.bounds.maxout`.

    Examples
    --------
    >>> from mehler.bounds import maxout
    >>> bound = maxout.approximation(n_features=200, pool_size=8, scale=0.3, delta=0.05)
    >>> round(bound.value, 4), round(bound["mean"], 4)
    (0.0848, 0.0329)
    """
    m, (weight, length) = counts(n_features=n_features), positives(scale=scale, radius=radius)
    require_choice("function", function, ("nearest", "monte-carlo"))
    sigma = _unit_size(pool_size, centred)
    size, root = weight * length, np.sqrt(m)
    assumptions: tuple[Assumption, ...] = (_mean_square(length), _NORMAL)
    covering = _covering(n_inputs, dimension, diameter)
    mean = Term("mean", size * sigma / root)
    if delta is None:
        if covering is not None:
            raise ValueError("a covering bounds no expectation: give delta, or no set of inputs")
        most = size * (2 * sigma)
        quantity = f"root mean square over the weights of the {_MONTE_CARLO}"
        return Bound(terms=(mean,), assumptions=assumptions, trivial=most, quantity=quantity)
    chance, events, quantity = probabilities(delta=delta), 1, _MONTE_CARLO
    deviation, t = _root_log(chance), np.log(2 / chance)
    # The Monte Carlo function may point away from f: the norms of both are added. Over C R, that of
    # f is at most sigma, the other the mean norm of the units, which is little more at most.
    trivial = size * (2 * sigma + deviation / root)
    if covering is not None:
        if centred:
            raise ValueError("centred units have no bound by a covering: leave the inputs out")
        q, events = counts(pool_size=pool_size), 2
        largest, inputs = _covered(q, chance, covering, m, length)
        first, assumptions = weight * largest / root, (_NORMAL, *inputs)
        terms = (Term("mean", first), Term("confidence", first * deviation))
    elif function == "nearest":
        terms = (mean, Term("confidence", size * deviation / root))
        # The box contains 0, at the distance |f|.
        trivial, quantity = size * sigma, ""
    else:
        factor = size * (2 * sigma + 1)
        terms = (Term("deviation", factor * np.sqrt(2 * t / m)), Term("tail", factor * 2 * t / m))
    sure = 1 - events * chance
    return Bound(
        terms=terms, probability=sure, assumptions=assumptions, trivial=trivial, quantity=quantity
    )


@bound("maxout.lemma-4", _RISK, "n_features")
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
    n_inputs: Counts | None = None,
    dimension: Reals | None = None,
    diameter: Reals | None = None,
) -> Bound:
    r"""Bound the risk added by approximating with m units: L times :func:`approximation`.

    .. math:: \mathcal E_V(\hat f) - \mathcal E_V(f) \le L \|\hat f - f\|

    Terms: those of :func:`approximation`. Without `delta` the bound is of the mean over the
    weights; `loss_bound` enters `trivial` alone. Proof: :doc:`/theorems/lemma-4`; arguments:
    :mod:`mehler.bounds.maxout`.

    Examples
    --------
    >>> from mehler.bounds import maxout
    >>> box = {"n_features": 200, "pool_size": 8, "scale": 0.3, "delta": 0.05}
    >>> round(maxout.approximation_risk(lipschitz=0.5, **box).value, 4)
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
        n_inputs=n_inputs,
        dimension=dimension,
        diameter=diameter,
    )
    steep, most = positives(lipschitz=lipschitz, loss_bound=loss_bound)
    return Bound(
        terms=tuple(Term(t.name, steep * t.value) for t in distance.terms),
        probability=distance.probability,
        assumptions=(*distance.assumptions, _loss(steep, most)),
        trivial=np.minimum(most, steep * distance.trivial),
        quantity=_RISK if delta is not None else f"{_RISK}, in expectation",
    )


@bound("maxout.theorem-2", _EXCESS, "n_features", "n_samples")
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
    n_inputs: Counts | None = None,
    dimension: Reals | None = None,
    diameter: Reals | None = None,
) -> Bound:
    r"""Bound the excess risk of the empirical risk minimiser over the box.

    .. math:: \mathcal E_V(\hat f_N) - \inf_{\mathcal F} \mathcal E_V \le
              \frac{2 L C R}{\sqrt N} \Big(\sigma(q) + \sqrt{\tfrac{2 \log(1/\delta)}{m}}\Big)
              + B \sqrt{\tfrac{2 \log(1/\delta)}{N}}
              + \frac{L C R}{\sqrt m} \Big(\sigma(q) + \sqrt{2 \log(1/\delta)}\Big)

    with probability at least :math:`1 - 3 \delta` over the weights and the data; without `delta`,
    :math:`L C R \sigma(q) (2/\sqrt N + 1/\sqrt m)` in expectation, where B may be infinity. By a
    covering the last term is :math:`\frac{L C M_\delta}{\sqrt m} (1 + \sqrt{2 \log(1/\delta)})`,
    and the bound fails with at most probability 4 delta.

    Terms: "statistical", "confidence" and "approximation". `trivial` is the smaller of B and
    :math:`LCR(2\sigma(q) + \sqrt{2\log(1/\delta)/m})`, L times bounds of the norms in both classes,
    on one of the bound's own events. Proofs: :doc:`/theorems/theorem-2`; for `centred` and
    `mean_norm` :doc:`/theorems/sharper-risk`; arguments: :mod:`mehler.bounds.maxout`.

    Parameters
    ----------
    mean_norm : float or array, optional
        Z = (1/m) sum_l ((1/N) sum_i phi(x_i, W^l)^2)^(1/2) of these units and this sample: the
        statistical term is then 2 L C Z/sqrt(N), the confidence term twice as large, and the bound
        fails with at most probability 2 delta.

    Examples
    --------
    >>> from mehler.bounds import maxout
    >>> bound = maxout.excess_risk(n_features=10_000, n_samples=60_000, pool_size=4, scale=1.0,
    ...                            lipschitz=1.0, delta=0.01)
    >>> {term.name: round(term.value, 4) for term in bound.terms}
    {'statistical': 0.0104, 'confidence': 0.0124, 'approximation': 0.0428}
    """
    root_m, root = map(np.sqrt, counts(n_features=n_features, n_samples=n_samples))
    weight, steep, length = positives(scale=scale, lipschitz=lipschitz, radius=radius)
    # Infinity is for an expectation.
    endless = type(loss_bound) is float and loss_bound == np.inf
    most = np.inf if endless else positives(loss_bound=loss_bound)
    sigma = _unit_size(pool_size, centred)
    size = steep * weight
    assumptions: tuple[Assumption, ...] = (_mean_square(length), _loss(steep, most), _DRAWN)
    covering = _covering(n_inputs, dimension, diameter)
    if covering is not None and (centred or mean_norm is not None or delta is None):
        raise ValueError("a covering goes with delta, not with centred units, nor with mean_norm")
    if delta is None:
        if mean_norm is not None:
            raise ValueError("mean_norm is of one sample, and an expectation has none: give delta")
        mean = size * length * sigma
        terms = (Term("statistical", 2 * mean / root), Term("approximation", mean / root_m))
        trivial, quantity = (
            np.minimum(most, size * length * (2 * sigma)),
            f"{_EXCESS}, in expectation",
        )
        return Bound(terms=terms, assumptions=assumptions, trivial=trivial, quantity=quantity)
    if endless:
        raise ValueError("loss_bound=inf is for an expectation: leave delta out, or give B")
    chance = probabilities(delta=delta)
    deviation = _root_log(chance)
    if covering is None:
        distance = size * (length * (sigma + deviation) / root_m)
    else:
        q, m = counts(pool_size=pool_size, n_features=n_features)
        largest, inputs = _covered(q, chance, covering, m, length)
        distance = size * (largest * (1 + deviation) / root_m)
        assumptions = (*assumptions[1:], *inputs)
    if mean_norm is None:
        fluctuation = deviation / root_m
        statistical = 2 * (size * length) / root * (sigma + fluctuation)
        confidence, events = most * deviation / root, 3 if covering is None else 4
        trivial = np.minimum(most, size * length * (2 * sigma + fluctuation))
    else:
        statistical = 2 * (size * not_negatives(mean_norm=mean_norm)) / root
        confidence, events = 2 * most * deviation / root, 2
        # A bound of the units' mean norm over the law of x is not among these events.
        trivial = most
    last = Term("approximation", distance)
    parts = (Term("statistical", statistical), Term("confidence", confidence), last)
    sure = 1 - events * chance
    return Bound(terms=parts, probability=sure, assumptions=assumptions, trivial=trivial)
