r"""Risk of learning on random maxout features: Theorem 2, its lemmas, and how often codes agree.

The class is that of functions :math:`f = \int \alpha(W) \phi(\cdot, W) dW` with
:math:`|\alpha| \le C p`, p the density of the weights; the box holds :math:`\sum_\ell \alpha_\ell
\phi(\cdot, W^\ell)` with :math:`|\alpha_\ell| \le C/m`. A unit is
:math:`\phi(x, W) = \max_{j \le q} \langle w_j, x\rangle`, its root mean square at a vector of norm
1 is :math:`\sigma(q)`.

Each quantity has a bound without dimensions, and one ``_by_dimension`` along the paper's route: a
covering of the inputs by their doubling dimension. The second is larger.

All functions take the same arguments:

n_features, n_samples, pool_size : int or array
    Number of units m, of samples N, and pool size q.
scale : float
    C: weights are at most C/m.
lipschitz, loss_bound : float
    L and B: the loss is L-Lipschitz in y f(x), with values in [0, B]; for one in [-B, B] give 2 B.
radius : float
    R: the root mean square norm of an input, :math:`(E|x|^2)^{1/2}`; by dimension the largest norm.
n_inputs, dimension, diameter : int, float, float
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

import dataclasses
import math
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from mehler import exact
from mehler.bounds._bound import Assumption
from mehler.bounds._function import Formula, bound, derived, positive_or_infinite

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

NORMAL = "weights are independent standard normal"
DRAWN = "samples are independent, and weights independent standard normal"
LOSS = "the loss is {lipschitz:g}-Lipschitz in y f(x), with values in [0, {loss_bound:g}]"
MEAN_SQUARE = "inputs have root mean square norm at most {radius:g}"


def of_inputs(radius: float, dimension: float, diameter: float) -> tuple[Assumption, ...]:
    """Return the assumptions on a set of inputs; no two points are farther apart than 2 R."""
    # A diameter that was computed may exceed twice the norm by rounding.
    fits = diameter <= 2 * radius * (1 + 1e-9)
    return (
        Assumption(
            f"inputs have norm at most {radius:g}, and two of them are at most twice that apart",
            None if fits else False,
            f"diameter {diameter:g}",
        ),
        Assumption(
            "the doubling dimension is that of Definition 2, or larger", None, f"{dimension:g}"
        ),
    )


def root_log(delta: float) -> float:
    """Compute sqrt(2 log(1/delta)), the deviation of a 1-Lipschitz function of a Gaussian."""
    return math.sqrt(2 * math.log(1 / delta))


def unit_size(pool_size: int, centred: bool) -> tuple[float, str]:
    """Compute the root mean square of a unit at a vector of norm 1, and its symbol."""
    mean = exact.max_moment(1, pool_size) if centred else 0.0
    symbol = r"\sqrt{V(q)}" if centred else r"\sigma(q)"
    return math.sqrt(exact.sigma2(pool_size) - mean**2), symbol


def two_lengths(sigma: float, m: int, delta: float) -> float:
    """Bound the sum of the norms of a function of the box and one of the class, C = R = 1.

    In the class the norm is at most sigma; in the box, at most the mean norm of the units, which
    concentrates about at most sigma.
    """
    return 2 * sigma + root_log(delta) / math.sqrt(m)


_SUPREMUM = "largest |phi(x, W)| over the inputs, all of {n_features} units"


@bound(
    "maxout.lemma-2",
    _SUPREMUM,
    assumes=(
        "inputs have norm at most {radius:g}",
        "mean_sup={mean_sup:g} is the expected supremum or larger",
        NORMAL,
    ),
)
def supremum(
    *, pool_size: int, delta: float, mean_sup: float, n_features: int = 1, radius: float = 1.0
) -> Formula:
    r"""Bound the supremum of a unit over the inputs, for all units at once, by its mean.

    .. math::

        \max_{\ell \le m}\,\sup_{x \in \mathcal M} |\phi(x, W^\ell)| \le
        E \sup_x |\phi(x, W)| + R \sqrt{2 \log(m/\delta)}

    with probability at least 1 - delta.

    Terms: "mean" and "confidence".

    Parameters
    ----------
    radius : float
        The largest norm of an input.
    mean_sup : float
        :math:`E \sup_x |\phi(x, W)|` or an upper bound of it. It is at most
        :math:`w + R\sqrt{2 \log q}` with :math:`w = E \sup_x |\langle w_1, x \rangle|`; for n
        inputs, at most :math:`R \sqrt{2 \log(2 n q)}`.

    Examples
    --------
    >>> from mehler.bounds import maxout
    >>> round(maxout.supremum(pool_size=4, delta=0.01, mean_sup=2.1).value, 3)
    5.135
    """
    deviation = radius * root_log(delta / n_features)
    terms = {
        "mean": (mean_sup, r"E\sup_x|\phi(x, W)|"),
        "confidence": (deviation, r"R\sqrt{2\log(m/\delta)}"),
    }
    return Formula(terms, 1 - delta)


@bound("maxout.lemma-2", _SUPREMUM, assumes=(NORMAL,))
def supremum_by_dimension(
    *,
    pool_size: int,
    delta: float,
    n_inputs: int,
    dimension: float,
    diameter: float,
    n_features: int = 1,
    radius: float = 1.0,
) -> Formula:
    r"""Bound the supremum of a unit over the inputs, for all units at once, by a covering.

    .. math::

        \max_{\ell \le m}\,\sup_{x \in \mathcal M} |\phi(x, W^\ell)| \le M_\delta =
        4 R \sqrt{k \log^+\frac{2 D \sqrt d}{R} + \log\frac{2 m q}{\delta}}

    with probability at least 1 - delta.

    Term: "supremum".

    Examples
    --------
    >>> from mehler.bounds import maxout
    >>> circle = dict(n_inputs=10, dimension=3, diameter=2.0)
    >>> round(maxout.supremum_by_dimension(pool_size=4, delta=0.01, **circle).value, 3)
    15.125
    """
    scaled = 2 * diameter * math.sqrt(n_inputs) / radius
    # The logarithm of the covering number at the scale R/sqrt(d).
    cells = dimension * max(0.0, math.log(scaled)) if scaled > 0 else 0.0
    largest = 4 * radius * math.sqrt(cells + math.log(2 * n_features * pool_size / delta))
    terms = {"supremum": (largest, r"4R\sqrt{k\log^+(2D\sqrt d/R) + \log(2mq/\delta)}")}
    return Formula(terms, 1 - delta, assumptions=of_inputs(radius, dimension, diameter))


Function = Literal["nearest", "monte-carlo"]
_NEAREST = "L2 distance from f to the nearest function of the box"
_MONTE_CARLO = "L2 distance from f to its Monte Carlo function"
_RISK = "risk that approximating f by m units adds"


@bound("maxout.lemma-3", _NEAREST, falls_in=("n_features",), assumes=(MEAN_SQUARE, NORMAL))
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

    Terms: "mean" and "confidence", or "deviation" and "tail". `trivial` is :math:`CR\sigma(q)`, the
    length of f, for the nearest function; with the length of the Monte Carlo function added for
    that one.

    Parameters
    ----------
    function
        With `delta`, that of the box nearest to f, or its Monte Carlo function:
        :math:`C R (2 \sigma(q) + 1) (\sqrt{2t/m} + 2t/m)`, :math:`t = \log(2/\delta)`.

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
        terms = {"mean": mean}
        trivial = size * (2 * sigma)
        return Formula(
            terms,
            trivial=trivial,
            quantity=f"root mean square over the weights of the {_MONTE_CARLO}",
        )
    if function == "nearest":
        confidence = (size * root_log(delta) / root, r"CR\sqrt{2\log(1/\delta)/m}")
        # The box contains 0, and norms in the class are at most C R sigma(q).
        return Formula(
            {"mean": mean, "confidence": confidence}, probability=1 - delta, trivial=size * sigma
        )
    t = math.log(2 / delta)
    each, factor = size * (2 * sigma + 1), rf"CR(2{symbol} + 1)"
    terms = {
        "deviation": (each * math.sqrt(2 * t / n_features), factor + r"\sqrt{2\log(2/\delta)/m}"),
        "tail": (each * 2 * t / n_features, rf"2{factor}\log(2/\delta)/m"),
    }
    return Formula(
        terms,
        1 - delta,
        # The Monte Carlo function may point away from f.
        trivial=size * two_lengths(sigma, n_features, delta),
        quantity=_MONTE_CARLO,
    )


@bound("maxout.lemma-3", _MONTE_CARLO, falls_in=("n_features",), assumes=(NORMAL,))
@derived(supremum_by_dimension.body)
def approximation_by_dimension(
    supremum: Formula,
    *,
    n_features: int,
    pool_size: int,
    scale: float,
    delta: float,
    radius: float = 1.0,
) -> Formula:
    r"""Bound the L2 error of the Monte Carlo function of m units, by a covering of the inputs.

    .. math:: \|\hat f - f\| \le \frac{C M_\delta}{\sqrt m} \left(1 + \sqrt{2 \log(1/\delta)}\right)

    with probability at least 1 - 2 delta and :math:`M_\delta` of :func:`supremum_by_dimension`.

    Terms: "mean" and "confidence".

    Examples
    --------
    >>> from mehler.bounds import maxout
    >>> round(maxout.approximation_by_dimension(n_features=10_000, pool_size=8, scale=0.3,
    ...     delta=0.05, n_inputs=10, dimension=3, diameter=2.0).value, 4)
    0.1966
    """
    mean = scale * supremum.terms["supremum"][0] / math.sqrt(n_features)
    sigma, _ = unit_size(pool_size, centred=False)
    terms = {
        "mean": (mean, r"CM_\delta/\sqrt m"),
        "confidence": (mean * root_log(delta), r"CM_\delta\sqrt{2\log(1/\delta)/m}"),
    }
    trivial = scale * radius * two_lengths(sigma, n_features, delta)
    return Formula(terms, 1 - 2 * delta, trivial=trivial, assumptions=supremum.assumptions)


@bound("maxout.lemma-4", _RISK, falls_in=("n_features",), assumes=(MEAN_SQUARE, NORMAL, LOSS))
@derived(approximation.body)
def approximation_risk(
    distance: Formula, *, lipschitz: float, loss_bound: float = 1.0, delta: float | None = None
) -> Formula:
    r"""Bound the risk added by approximating with m units: L times :func:`approximation`.

    .. math:: \mathcal E_V(\hat f) - \mathcal E_V(f) \le L \|\hat f - f\|

    Without `delta` the bound is of the mean over the weights; `loss_bound` enters `trivial` alone.

    Terms: those of :func:`approximation`.

    Examples
    --------
    >>> from mehler.bounds import maxout
    >>> round(maxout.approximation_risk(lipschitz=0.5, n_features=200, pool_size=8, scale=0.3,
    ...                                 delta=0.05).value, 4)
    0.0424
    """
    quantity = _RISK if delta is not None else f"{_RISK}, in expectation"
    risk = distance.times(lipschitz, "L", trivial=min(loss_bound, lipschitz * distance.trivial))
    return dataclasses.replace(risk, quantity=quantity)


@bound("maxout.lemma-4", _RISK, falls_in=("n_features",), assumes=(NORMAL, LOSS))
@derived(approximation_by_dimension.body)
def approximation_risk_by_dimension(
    distance: Formula, *, lipschitz: float, loss_bound: float = 1.0
) -> Formula:
    r"""Bound the risk added by approximating: L times :func:`approximation_by_dimension`.

    Terms: those of :func:`approximation_by_dimension`.

    Examples
    --------
    >>> from mehler.bounds import maxout
    >>> round(maxout.approximation_risk_by_dimension(lipschitz=0.5, n_features=10_000, pool_size=8,
    ...     scale=0.3, delta=0.05, n_inputs=10, dimension=3, diameter=2.0).value, 4)
    0.0983
    """
    return distance.times(lipschitz, "L", trivial=min(loss_bound, lipschitz * distance.trivial))


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
    :math:`L C R \sigma(q) (2/\sqrt N + 1/\sqrt m)` in expectation, where B may be infinity.

    Terms: "statistical", "confidence" and "approximation". `trivial` is the smaller of B and
    :math:`LCR(2\sigma(q) + \sqrt{2\log(1/\delta)/m})`, L times what the functions of both classes
    are long, on one of the bound's own events.

    Parameters
    ----------
    mean_norm : float, optional
        Z = (1/m) sum_l ((1/N) sum_i phi(x_i, W^l)^2)^(1/2) of these units and this sample: the
        statistical term is then 2 L C Z/sqrt(N), the confidence term twice as large, and the bound
        fails with at most probability 2 delta.

    References
    ----------
    Proof for `centred` and `mean_norm`: :doc:`/theorems/sharper-risk`.

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
        terms = {
            "statistical": (2 * mean / root, rf"2LCR{symbol}/\sqrt N"),
            "approximation": (mean / math.sqrt(n_features), rf"LCR{symbol}/\sqrt m"),
        }
        return Formula(
            terms,
            trivial=min(loss_bound, size * radius * (2 * sigma)),
            quantity=f"{QUANTITY}, in expectation",
        )
    if loss_bound == math.inf:
        raise ValueError("loss_bound=inf is for an expectation: leave delta out, or give B")
    deviation = root_log(delta)
    last = size * (radius * (sigma + deviation) / math.sqrt(n_features))
    approximation = (last, rf"\frac{{LCR}}{{\sqrt m}}({symbol} + \sqrt{{2\log(1/\delta)}})")
    if mean_norm is not None:
        terms = {
            "statistical": (2 * (size * mean_norm) / root, r"2LCZ/\sqrt N"),
            "confidence": (2 * loss_bound * deviation / root, r"2B\sqrt{2\log(1/\delta)/N}"),
            "approximation": approximation,
        }
        return Formula(
            terms,
            1 - 2 * delta,
            # The units' mean norm in the population is not among these events.
            trivial=loss_bound,
        )
    terms = {
        **_estimation(n_features, n_samples, delta, sigma, symbol, size * radius, loss_bound),
        "approximation": approximation,
    }
    trivial = min(loss_bound, size * radius * two_lengths(sigma, n_features, delta))
    return Formula(terms, 1 - 3 * delta, trivial=trivial)


@bound("maxout.theorem-2", QUANTITY, falls_in=("n_features", "n_samples"), assumes=(LOSS, DRAWN))
@derived(supremum_by_dimension.body)
def excess_risk_by_dimension(
    supremum: Formula,
    *,
    n_features: int,
    n_samples: int,
    pool_size: int,
    scale: float,
    lipschitz: float,
    delta: float,
    loss_bound: float = 1.0,
    radius: float = 1.0,
) -> Formula:
    r"""Bound the excess risk of the empirical minimiser, by a covering of the inputs.

    The last term of :func:`excess_risk` is here :math:`\frac{L C M_\delta}{\sqrt m} (1 + \sqrt{2
    \log(1/\delta)})`, with :math:`M_\delta` of :func:`supremum_by_dimension`; the bound fails with
    at most probability 4 delta.

    Terms: those of :func:`excess_risk`, and always larger.

    Examples
    --------
    >>> from mehler import bounds
    >>> bounds.solve(bounds.maxout.excess_risk_by_dimension, at_most=0.2, n_features=None,
    ...     n_samples=10_000, pool_size=4, scale=1.0, lipschitz=1.0, delta=0.01, n_inputs=784,
    ...     dimension=10, diameter=2.0)
    840165
    """
    sigma, symbol = unit_size(pool_size, centred=False)
    size, deviation = lipschitz * scale, root_log(delta)
    largest, _ = supremum.terms["supremum"]
    terms = {
        **_estimation(n_features, n_samples, delta, sigma, symbol, size * radius, loss_bound),
        "approximation": (
            size * (largest * (1 + deviation) / math.sqrt(n_features)),
            r"\frac{LCM_\delta}{\sqrt m}(1 + \sqrt{2\log(1/\delta)})",
        ),
    }
    trivial = min(loss_bound, size * radius * two_lengths(sigma, n_features, delta))
    return Formula(terms, 1 - 4 * delta, trivial=trivial, assumptions=supremum.assumptions)


def _estimation(
    m: int, n: int, delta: float, sigma: float, symbol: str, size: float, loss_bound: float
) -> dict[str, tuple[float, str]]:
    """Return the terms that m units pay for n samples; `size` is LCR."""
    deviation = root_log(delta)
    return {
        "statistical": (
            2 * size / math.sqrt(n) * (sigma + deviation / math.sqrt(m)),
            rf"\frac{{2LCR}}{{\sqrt N}}({symbol} + \sqrt{{2\log(1/\delta)/m}})",
        ),
        "confidence": (loss_bound * deviation / math.sqrt(n), r"B\sqrt{2\log(1/\delta)/N}"),
    }


@bound("maxout.remark-1-codes", "probability that two digits agree", assumes=(NORMAL,))
def collision_probability(rho: float, *, pool_size: int, level: float | None = None) -> Formula:
    r"""Bound the probability that maxout codes of two rows agree in a digit, from above.

    .. math:: \kappa_q(\rho) \le 2\,\Phi(a)^q + q\,\Phi\Big(-\frac{2a}{\sqrt{2(1+\rho)}}\Big)

    for every level a > 0: either maximum is at most a; or one index has g + g' > 2a.

    Terms: "below" and "above"; it holds with certainty.

    Parameters
    ----------
    rho : float
        Cosine of the rows, in [-1, 1].
    level : float, optional
        a, at least 0; by default the best of many.

    Notes
    -----
    Vacuous, above 1, for equal rows or small pools; far from equal rows larger than the probability
    by a power of log q. Rounding is 1e-12 of it, about a millisecond.

    Examples
    --------
    >>> from mehler import exact
    >>> from mehler.bounds import maxout
    >>> bound = maxout.collision_probability(0.5, pool_size=10**6)
    >>> round(exact.collision_probability(0.5, 10**6), 4), round(bound.value, 4)
    (0.0036, 0.1625)
    """
    from scipy.special import log_ndtr, ndtr

    a = levels(pool_size) if level is None else np.array([level])
    spread = math.sqrt((1 + rho) / 2)
    with np.errstate(over="ignore"):
        # Opposite rows: g + g' is 0, not above 2a.
        above = pool_size * ndtr(-a / spread) if spread > 0 else np.zeros(a.shape)
    # What underflows is above 0 still: a bound from above is rounded up.
    below = np.maximum(2 * np.exp(pool_size * log_ndtr(a)), np.nextafter(0.0, 1.0))
    best = int(np.argmin(below + above))
    terms = {
        "below": (float(below[best]), r"2\Phi(a)^q"),
        "above": (float(above[best]), r"q\Phi(-2a/\sqrt{2(1+\rho)})"),
    }
    return Formula(terms, trivial=1.0)


def levels(q: int) -> NDArray[np.float64]:
    """Return levels to choose from: any is valid."""
    return np.linspace(0.0, 1.2 * math.sqrt(2 * math.log(q)) + 3, 2000)
