"""Bound the error of the kernel by m features, for one pair of rows and for all pairs.

A map estimates the kernel K at two rows by the mean of m independent products F of features, K the
mean of F. What is known of F, such as its variance, decides which concentration inequalities apply;
`Product` holds these, and a bound is the smallest of them. The page kernel-error has the proofs.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.special import ndtri

from mehler import exact
from mehler._validate import require_choice, require_not_negative, require_positive
from mehler.bounds._arguments import correlations, counts, pool_sizes, positives, probabilities
from mehler.bounds._bound import Assumption, Bound, Counts, Floats, Reals, bound, digits, terms_of
from mehler.bounds.kernel_error import _exponent

Method = Literal["chernoff", "sub-gamma", "chebyshev", "hoeffding", "binomial"]
Terms = dict[str, Any]
_CELLS = 4000  # intervals of the grid of correlations rho


class Product(NamedTuple):
    """The inequalities that hold for F, the product of one feature at two rows, of mean K."""

    # By method: a function of m and delta that returns, as named terms to be added, a deviation
    # that the mean of m products exceeds with probability at most delta.
    inequalities: dict[str, Callable[[Any, Any], Terms]]
    assumptions: tuple[Assumption, ...]
    trivial: Any = math.inf  # a deviation that no mean exceeds

    def deviation(self, m: float | Floats, delta: float | Floats) -> Terms:
        """Return the terms of the smallest deviation; the choice is valid, as it sees no draw."""
        deviations = [terms_at(m, delta) for terms_at in self.inequalities.values()]
        sums = np.broadcast_arrays(*(sum(terms.values()) for terms in deviations))
        best = np.argmin(np.stack(sums), axis=0)
        if best.ndim == 0:
            return deviations[int(best)]
        terms: Terms = {}
        for i in np.unique(best):
            for name, value in deviations[i].items():
                terms[name] = np.where(best == i, value, terms.get(name, 0.0))
        return terms


def product_of(
    method: Method | None = None,
    pool_size: Counts | None = None,
    rho: Reals | None = None,
    variance: Reals | None = None,
    sub_gamma: tuple[float, float] | None = None,
    width: Reals | None = None,
    collision: Reals | None = None,
) -> Product:
    """Return the inequalities for F by the one argument that is given (rho joins pool_size)."""
    facts = {"pool_size": pool_size, "variance": variance, "sub_gamma": sub_gamma}
    facts |= {"width": width, "collision": collision}
    names = [name for name, value in facts.items() if value is not None]
    if len(names) != 1:
        raise ValueError(
            f"give exactly one of {', '.join(facts)} (what is known of one feature product), "
            f"not {', '.join(names) or 'none'}"
        )
    if rho is not None and pool_size is None:
        raise ValueError("rho goes with pool_size; without it give nothing but what is known")
    trivial, assumptions = math.inf, [Assumption("units are independent")]
    if pool_size is not None:
        cosine = None if rho is None else correlations(rho=rho)
        inequalities = _of_maxout(pool_sizes(pool_size), cosine)
        assumptions.append(Assumption("rows have norm 1 (for norms a and b multiply by a b)"))
        if rho is not None:
            text = "the rows have this correlation"
            assumptions.append(Assumption(text, None, digits(cosine)))
    elif variance is not None:
        inequalities = {"chebyshev": _chebyshev(positives(variance=variance))}
    elif sub_gamma is not None:
        inequalities = {"sub-gamma": _sub_gamma(*require_pair("sub_gamma", sub_gamma))}
    elif width is not None:
        trivial = b = positives(width=width)
        # Popoviciu: on an interval the variance is largest for mass at both ends.
        inequalities = {"hoeffding": _hoeffding(b), "chebyshev": _chebyshev(b**2 / 4)}
        text = "each product lies in an interval of this length"
        assumptions.append(Assumption(text, None, digits(b)))
    elif collision is not None:
        kappa = probabilities(collision=collision)
        trivial = np.maximum(kappa, 1 - kappa)
        inequalities = {
            "binomial": functools.partial(_binomial, kappa),
            "hoeffding": _hoeffding(1.0),
            "chebyshev": _chebyshev(kappa * (1 - kappa)),
        }
        text = "codes agree with this probability"
        assumptions.append(Assumption(text, None, digits(kappa)))
    if method is not None:
        method = require_choice("method", method, tuple(inequalities))
        inequalities = {method: inequalities[method]}
    return Product(inequalities, tuple(assumptions), trivial)


def require_pair(name: str, value: tuple[float, float]) -> tuple[float, float]:
    """Return two numbers, the first above 0 and the second at least 0."""
    try:
        v, c = value
    except (TypeError, ValueError):
        raise ValueError(f"{name}={value!r} is not a pair of numbers") from None
    return require_positive(f"{name}[0]", v), require_not_negative(f"{name}[1]", c)


def _chebyshev(variance: float | Floats) -> Callable[[Any, Any], Terms]:
    return lambda m, delta: {"deviation": np.sqrt(variance / m / delta)}


def _hoeffding(b: float | Floats) -> Callable[[Any, Any], Terms]:
    return lambda m, delta: {"deviation": b * np.sqrt(np.log(2 / delta) / (2 * m))}


def _sub_gamma(v: float | Floats, c: float | Floats) -> Callable[[Any, Any], Terms]:
    def terms(m: Floats, delta: Floats) -> Terms:
        cost = np.log(2 / delta) / m
        return {"variance": np.sqrt(2 * v * cost), "tail": c * cost}

    return terms


def _binomial(kappa: Floats, m: Floats, delta: Floats) -> Terms:
    far = [_farthest(share, np.log(2 / delta) / m) for share in (kappa, 1 - kappa)]
    return {"deviation": np.maximum(*far)}


def _of_maxout(q: Any, rho: Any) -> dict[str, Callable[[Any, Any], Terms]]:
    """Return the inequalities for maxout units, at the worst correlation if `rho` is None."""

    def exponent(q: int, rho: float | None, cost: Floats) -> Any:
        if rho is None:
            return _exponent.any_correlation(int(q)).deviation(cost)
        return _exponent.at_correlation(int(q), float(rho)).deviation(cost)

    def chernoff(m: Floats, delta: Floats) -> Terms:
        spread = np.ndim(q) or np.ndim(rho)
        deviation = np.vectorize(exponent, otypes=[float]) if spread else exponent
        return {"deviation": deviation(q, rho, np.log(2 / delta) / m)}

    def chebyshev(m: Floats, delta: Floats) -> Terms:
        return _chebyshev(largest_variance(q, rho))(m, delta)

    gamma = _sub_gamma(*sub_gamma_constants(q, rho))
    return {"chernoff": chernoff, "sub-gamma": gamma, "chebyshev": chebyshev}


def sub_gamma_constants(pool_size: Any, rho: Any) -> tuple[Any, Any]:
    """Return v and c with log E exp(lambda (F - K)) <= lambda^2 v/(2 (1 - c abs(lambda)))."""
    spread = 2.0 if rho is None else 1 + abs(rho)
    mean = np.vectorize(lambda q: exact.max_moment(1, int(q)), otypes=[float])(pool_size)
    return (4 * spread * (1 + mean**2))[()], 2 * np.sqrt(spread)


def largest_variance(pool_size: Any, rho: Any) -> Any:
    """Return the variance of a product of maxout units at unit rows, or the largest of all."""
    return np.vectorize(_variance, otypes=[float])(pool_size, rho)[()]


@functools.lru_cache(maxsize=256)
def _variance(q: int, rho: float | None) -> float:
    """Return V, the variance of F; without `rho` at most 0.1 % above the largest for q <= 1024.

    The derivative of V in rho is at most 6 sigma2(q) in size (Step 3 of the proof): between grid
    points h apart V exceeds the larger of its values by at most 3 sigma2(q) h.
    """
    if rho is not None:
        return float(exact.maxout_variance(float(rho), int(q)))
    grid = np.linspace(-1, 1, _CELLS + 1)
    return float(np.max(exact.maxout_variance(grid, int(q)))) + 6 * exact.sigma2(int(q)) / _CELLS


@np.vectorize
def _farthest(share: float, cost: float) -> float:
    """Return t with kl(share + t, share) = `cost` (`_divergence`), rounded up, or 1 - share."""
    if -math.log(share) <= cost:
        return 1 - share
    low, high = 0.0, 1 - share
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if _divergence(share, middle) < cost else (low, middle)
    return high


def _divergence(share: float, above: float) -> float:
    """Compute kl(share + above, share) of two Bernoulli laws, with 0 log 0 = 0 at the end."""
    rest = 1 - share
    if above / rest >= 1:
        return -math.log(share)
    return (share + above) * math.log1p(above / share) + (rest - above) * math.log1p(-above / rest)


STATEMENT = "maxout.kernel-error"


@bound(STATEMENT, "error of the kernel, one pair", "n_features")
def one_pair(
    n_features: Counts,
    *,
    delta: Reals,
    pool_size: Counts | None = None,
    rho: Reals | None = None,
    variance: Reals | None = None,
    sub_gamma: tuple[float, float] | None = None,
    width: Reals | None = None,
    collision: Reals | None = None,
    method: Method | None = None,
) -> Bound:
    r"""Bound the distance of the inner product of m features from the kernel, for one pair of rows.

    .. math:: P\Big(\Big|\frac1m\sum_{\ell\le m} F_\ell - K\Big| > \varepsilon\Big) \le \delta,
              \qquad \varepsilon = \begin{cases}
              \Delta_\rho(\tfrac1m\log\tfrac2\delta) & \text{chernoff} \\
              \sqrt{2v\log(2/\delta)/m} + c\log(2/\delta)/m & \text{sub-gamma} \\
              \sqrt{V/(m\delta)} & \text{chebyshev} \\
              b\sqrt{\log(2/\delta)/(2m)} & \text{hoeffding} \\
              \Delta_\kappa(\tfrac1m\log\tfrac2\delta) & \text{binomial} \end{cases}

    with F_l the product of one unit, by the smallest inequality that applies. Terms: "deviation",
    or "variance" and "tail" for sub-gamma products. `trivial` is b, and for codes the larger of
    kappa and 1 - kappa. "chernoff" takes the minimum over a grid of lambda, at most 0.4 % above the
    true one, or 6 % next to the pole 1/(1 + abs(rho)); the error of its quadrature is added. The
    first call of a pool size takes 0.1 s, without `rho` about a second; at q = 10^6 ten times that.
    Proof: :doc:`/theorems/kernel-error`; arguments: :mod:`mehler.bounds.kernel_error`. S.
    Boucheron, G. Lugosi, P. Massart, Concentration Inequalities (2013), Sections 2.2 to 2.6.

    Examples
    --------
    >>> from mehler.bounds import kernel_error
    >>> bound = kernel_error.one_pair(1000, delta=0.01, pool_size=8, rho=0.5)
    >>> round(bound.value, 3), bound.probability
    (0.157, 0.99)
    """
    product = product_of(method, pool_size, rho, variance, sub_gamma, width, collision)
    m, chance = counts(n_features=n_features), probabilities(delta=delta)
    terms, assumptions = terms_of(product.deviation(m, chance)), product.assumptions
    most = product.trivial
    return Bound(terms=terms, probability=1 - chance, trivial=most, assumptions=assumptions)


@bound(STATEMENT, "largest error of the kernel, all pairs of the rows", "n_features")
def all_pairs(
    n_features: Counts,
    *,
    n_rows: Counts,
    delta: Reals,
    pool_size: Counts | None = None,
    rho: Reals | None = None,
    variance: Reals | None = None,
    sub_gamma: tuple[float, float] | None = None,
    width: Reals | None = None,
    collision: Reals | None = None,
    method: Method | None = None,
) -> Bound:
    r"""Bound the largest error of the Gram matrix of N rows.

    .. math:: P\Big(\max_{i \le j}|\hat K_{ij} - K_{ij}| > \varepsilon\Big) \le \delta,
              \qquad \varepsilon = \varepsilon_1\Big(\frac\delta P\Big), \quad P = \frac{N(N+1)}2

    with epsilon_1(delta) the bound of :func:`one_pair`, by a union bound over the P entries. What
    is known is true of all pairs, the diagonal included: leave `rho` out unless all have it. Terms:
    those of :func:`one_pair`. Proof: :doc:`/theorems/kernel-error`; arguments:
    :mod:`mehler.bounds.kernel_error`.

    Examples
    --------
    >>> from mehler.bounds import kernel_error
    >>> bound = kernel_error.all_pairs(10_000, n_rows=5000, delta=0.01, pool_size=4)
    >>> round(bound.value, 3), bound.probability
    (0.117, 0.99)
    """
    product = product_of(method, pool_size, rho, variance, sub_gamma, width, collision)
    m, rows = counts(n_features=n_features, n_rows=n_rows)
    chance = probabilities(delta=delta)
    return Bound(
        terms=terms_of(product.deviation(m, chance / (rows * (rows + 1) / 2))),
        probability=1 - chance,
        trivial=product.trivial,
        assumptions=product.assumptions,
        quantity=f"largest error of the kernel, all pairs of {digits(rows)} rows",
    )


@bound(STATEMENT, "normal approximation to a quantile of the kernel error", "n_features")
def normal_quantile(
    n_features: Counts,
    *,
    delta: Reals,
    pool_size: Counts | None = None,
    rho: Reals | None = None,
    variance: Reals | None = None,
    n_pairs: Counts = 1,
) -> Any:
    r"""Compute the normal approximation to the (1 - delta)-quantile of the kernel error.

    .. math:: \varepsilon = z\sqrt{V/m}, \qquad 1 - \Phi(z) = \frac{\delta}{2\,P}

    A number and not a :class:`mehler.bounds.Bound`: it is the limit of the quantile for one pair
    and an upper bound of the limit for P = `n_pairs` that must all be close, N (N + 1)/2 for N
    rows. At a given m it guarantees nothing. Arguments: :mod:`mehler.bounds.kernel_error`.

    Examples
    --------
    >>> from mehler.bounds import kernel_error
    >>> round(kernel_error.normal_quantile(1000, delta=0.01, pool_size=8, rho=0.5), 4)
    0.1213
    """
    m, pairs = counts(n_features=n_features, n_pairs=n_pairs)
    if pool_size is not None and variance is None:
        cosine = None if rho is None else correlations(rho=rho)
        square = largest_variance(pool_sizes(pool_size), cosine)
    elif variance is not None and pool_size is None and rho is None:
        square = positives(variance=variance)
    else:
        raise ValueError("give exactly one of pool_size, to which rho may be added, and variance")
    value = -ndtri(probabilities(delta=delta) / (2 * pairs)) * np.sqrt(square / m)
    return value if np.ndim(value) else float(value)
