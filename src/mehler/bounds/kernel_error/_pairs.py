"""Tail bound for one pair of rows, the union bound over all pairs, and the limit of both."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from scipy.special import ndtri

from mehler import exact
from mehler._validate import require_choice, require_not_negative, require_positive
from mehler.bounds._arguments import correlations, counts, pool_sizes, positives, probabilities
from mehler.bounds._bound import Assumption, Bound, Counts, Reals, Term, digits
from mehler.bounds._function import bound
from mehler.bounds.kernel_error import _exponent

Method = Literal["chernoff", "sub-gamma", "chebyshev", "hoeffding", "binomial"]
Terms = dict[str, Any]
# Inequalities that apply, by the argument that holds what is known of one product.
METHODS = {
    "pool_size": ("chernoff", "sub-gamma", "chebyshev"),
    "variance": ("chebyshev",),
    "sub_gamma": ("sub-gamma",),
    "width": ("hoeffding", "chebyshev"),
    "collision": ("binomial", "hoeffding", "chebyshev"),
}
_CHECKS: dict[str, Any] = {
    "pool_size": lambda pool_size: pool_sizes(pool_size),
    "rho": lambda rho: correlations(rho=rho),
    "variance": lambda variance: positives(variance=variance),
    "sub_gamma": lambda pair: require_pair("sub_gamma", pair),
    "width": lambda width: positives(width=width),
    "collision": lambda collision: probabilities(collision=collision),
}
_CELLS = 4000


def require_pair(name: str, value: Any) -> tuple[float, float]:
    """Return two numbers, the first above 0 and the other not below."""
    try:
        v, c = value
    except (TypeError, ValueError):
        raise ValueError(f"{name}={value!r} is not a pair of numbers") from None
    return require_positive(f"{name}[0]", v), require_not_negative(f"{name}[1]", c)


@dataclass(frozen=True)
class Product:
    """One feature product, of which exactly one thing is assumed (a pool size may have a rho).

    Parameters are those of :func:`mehler.bounds.kernel_error.one_pair`.
    """

    method: Method | None = None
    pool_size: Any = None
    rho: Any = None
    variance: Any = None
    sub_gamma: Any = None
    width: Any = None
    collision: Any = None

    def __post_init__(self) -> None:
        names = [name for name in METHODS if getattr(self, name) is not None]
        if len(names) != 1:
            raise ValueError(
                f"give exactly one of {', '.join(METHODS)} (what is known of one feature product), "
                f"not {', '.join(names) or 'none'}"
            )
        if self.rho is not None and self.pool_size is None:
            raise ValueError("rho goes with pool_size; without it give nothing but what is known")
        if self.method is not None:
            require_choice("method", self.method, METHODS[names[0]])
        for name, check in _CHECKS.items():
            if getattr(self, name) is not None:
                vars(self)[name] = check(getattr(self, name))

    @property
    def methods(self) -> tuple[str, ...]:
        """Inequalities of which the smallest is taken."""
        if self.method is not None:
            return (self.method,)
        return next(METHODS[name] for name in METHODS if getattr(self, name) is not None)

    @property
    def any_correlation(self) -> bool:
        """Whether Chernoff's bound is that of any correlation, for each pool size."""
        if self.rho is None:
            return True
        far = np.asarray(self.rho) < _exponent.LOWEST
        return bool(np.all(far & (np.asarray(self.pool_size) != 1)))

    @property
    def trivial(self) -> Any:
        """A deviation that no mean exceeds."""
        if self.collision is not None:
            return np.maximum(self.collision, 1 - self.collision)
        return math.inf if self.width is None else self.width

    @property
    def assumptions(self) -> tuple[Assumption, ...]:
        """Assumptions of the proof."""
        assumptions = [Assumption("units are independent")]
        if self.pool_size is not None:
            assumptions.append(Assumption("rows have norm 1 (for norms a and b multiply by a b)"))
        far = f"; below {_exponent.LOWEST:g} chernoff takes the bound for any"
        texts = {
            "rho": "the rows have this correlation"
            + far * (self.any_correlation and "chernoff" in self.methods),
            "width": "each product lies in an interval of this length",
            "collision": "codes agree with this probability",
        }
        known = {name: getattr(self, name) for name in texts}
        return (
            *assumptions,
            *(Assumption(texts[k], None, digits(v)) for k, v in known.items() if v is not None),
        )

    def bound(self, n_features: Counts, delta: Any, pairs: Any = 1.0) -> Bound:
        """Return the bound of one pair, or of so many at once."""
        terms = self.deviation(counts(n_features=n_features), delta / pairs)
        return Bound(
            terms=tuple(Term(name, value) for name, value in terms.items()),
            probability=1 - delta,
            trivial=self.trivial,
            assumptions=self.assumptions,
        )

    def deviation(self, m: Any, delta: Any) -> Terms:
        """Bound the deviation of a mean of m products, exceeded with probability `delta`.

        The choice of the inequality depends on no draw, so that it is valid.
        """
        forms = [self._terms(method, m, delta) for method in self.methods]
        best = np.argmin(np.stack(np.broadcast_arrays(*(sum(f.values()) for f in forms))), axis=0)
        if best.ndim == 0:
            return forms[int(best)]
        terms: Terms = {}
        for i in np.unique(best):
            for name, value in forms[i].items():
                terms[name] = np.where(best == i, value, terms.get(name, 0.0))
        return terms

    def _terms(self, method: str, m: Any, delta: Any) -> Terms:
        cost = np.log(2 / delta) / m
        if method == "chebyshev":
            return {"deviation": np.sqrt(self.largest_variance() / m / delta)}
        if method == "sub-gamma":
            v, c = self.sub_gamma_constants()
            return {"variance": np.sqrt(2 * v * cost), "tail": c * cost}
        if method == "hoeffding":
            b = 1.0 if self.width is None else self.width
            return {"deviation": b * np.sqrt(np.log(2 / delta) / (2 * m))}
        if self.collision is not None:
            far = [_farthest(share, cost) for share in (self.collision, 1 - self.collision)]
            return {"deviation": np.maximum(*far)}
        chernoff = _chernoff
        if np.ndim(self.pool_size) or np.ndim(self.rho):
            chernoff = np.vectorize(_chernoff, otypes=[float])
        return {"deviation": chernoff(self.pool_size, self.rho, cost)}

    def largest_variance(self) -> Any:
        """Bound the variance of one product."""
        if self.variance is not None:
            return self.variance
        if self.collision is not None:
            return self.collision * (1 - self.collision)
        if self.width is not None:
            # Popoviciu: on an interval it is largest for mass at both ends.
            return self.width**2 / 4
        return np.vectorize(variance_of, otypes=[float])(self.pool_size, self.rho)[()]

    def sub_gamma_constants(self) -> tuple[Any, Any]:
        """Return v and c with log E exp(lambda (F - K)) <= lambda^2 v/(2 (1 - c abs(lambda)))."""
        if self.sub_gamma is not None:
            return self.sub_gamma[0], self.sub_gamma[1]
        spread = 2.0 if self.rho is None else 1 + abs(self.rho)
        mean = np.vectorize(lambda q: exact.max_moment(1, int(q)), otypes=[float])(self.pool_size)
        return (4 * spread * (1 + mean**2))[()], 2 * np.sqrt(spread)


def _chernoff(q: int, rho: float | None, cost: Any) -> Any:
    if rho is None:
        return _exponent.any_correlation(int(q)).deviation(cost)
    return _exponent.at_correlation(int(q), float(rho)).deviation(cost)


@functools.lru_cache(maxsize=256)
def variance_of(q: int, rho: float | None) -> float:
    """Return the variance of a product of maxout units at unit rows, or the largest of all.

    V' = 4 E[M M'; D = D'] - 2 K kappa is at most 6 sigma^2 in absolute value, as K and the
    expectation are at most sigma^2, so between two grid points h apart V exceeds the larger of
    its values there by at most 6 sigma^2 h/2; in all by 0.1 % where q <= 1024.
    """
    if rho is not None:
        return float(exact.maxout_variance(float(rho), int(q)))
    grid = np.linspace(-1, 1, _CELLS + 1)
    return float(np.max(exact.maxout_variance(grid, int(q)))) + 6 * exact.sigma2(int(q)) / _CELLS


@np.vectorize
def _farthest(share: float, cost: float) -> float:
    """Return the t with kl(share + t, share) = `cost`; 1 - share if there is none.

    Rounded to the side on which the divergence is at least `cost`.
    """
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

    with F_l = h_l(x) h_l(z) the product of one unit and the smallest inequality that applies.
    Terms: "deviation", or "variance" and "tail" for sub-gamma products. `trivial` is b, and for
    codes the larger of kappa and 1 - kappa. Proof: :doc:`/theorems/kernel-error`; arguments:
    :mod:`mehler.bounds.kernel_error`. S. Boucheron, G. Lugosi, P. Massart, Concentration
    Inequalities (2013), Sections 2.2 to 2.6. "chernoff" integrates the joint density of (M, M')
    numerically and takes the minimum over a grid of lambda: at most 0.4 % above the true one, or 6
    % where few units and a small delta put it next to the pole 1/(1 + abs(rho)). The rule's error
    is bounded, by 1e-8 of psi or so, and added; what is left is rounding, against which psi is 2e-9
    larger. q = 1 is a closed form. The first call of a pool size takes 0.1 s, without `rho` about a
    second; at q = 10^6 ten times that.

    Examples
    --------
    >>> from mehler.bounds import kernel_error
    >>> bound = kernel_error.one_pair(1000, delta=0.01, pool_size=8, rho=0.5)
    >>> round(bound.value, 3), bound.probability
    (0.157, 0.99)
    """
    product = Product(method, pool_size, rho, variance, sub_gamma, width, collision)
    return product.bound(n_features, probabilities(delta=delta))


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
              \qquad \varepsilon = \varepsilon_1\Big(\frac\delta P\Big), \qquad
              P = \frac{N(N+1)}2

    with epsilon_1(delta) the bound of :func:`one_pair`, by a union bound over the P entries. Terms:
    those of :func:`one_pair`. Proof: :doc:`/theorems/kernel-error`; arguments:
    :mod:`mehler.bounds.kernel_error`.

    Parameters
    ----------
    rho : float, optional
        As all is true of every pair, the diagonal included: leave it out unless all have this one.

    Examples
    --------
    >>> from mehler.bounds import kernel_error
    >>> bound = kernel_error.all_pairs(10_000, n_rows=5000, delta=0.01, pool_size=4)
    >>> round(bound.value, 3), bound.probability
    (0.117, 0.99)
    """
    rows, chance = counts(n_rows=n_rows), probabilities(delta=delta)
    product = Product(method, pool_size, rho, variance, sub_gamma, width, collision)
    # Half of N (N + 1), the diagonal included.
    pairs = rows * (rows + 1) / 2
    text = f"largest error of the kernel, all pairs of {digits(rows)} rows"
    return replace(product.bound(n_features, chance, pairs), quantity=text)


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
    (P = 1) and an upper bound of the limit for P pairs, and promises nothing at a given m.

    Parameters
    ----------
    n_pairs : int or array
        Number P of pairs that must all be close; N (N + 1)/2 for a Gram matrix of N rows.

    Returns
    -------
    float or array
        The error epsilon.

    Examples
    --------
    >>> from mehler.bounds import kernel_error
    >>> round(kernel_error.normal_quantile(1000, delta=0.01, pool_size=8, rho=0.5), 4)
    0.1213
    """
    if (pool_size is None) == (variance is None):
        raise ValueError("give exactly one of pool_size and variance")
    if variance is not None and rho is not None:
        raise ValueError("rho goes with pool_size: the variance is known already")
    m, pairs = counts(n_features=n_features, n_pairs=n_pairs)
    square = Product(pool_size=pool_size, variance=variance, rho=rho).largest_variance()
    value = -ndtri(probabilities(delta=delta) / (2 * pairs)) * np.sqrt(square / m)
    return value if np.ndim(value) else float(value)
