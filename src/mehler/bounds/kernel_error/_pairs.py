"""Tail bound for one pair of rows, the union bound over all pairs, and the limit of both."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.special import ndtri

from mehler import exact
from mehler._validate import require_choice, require_not_negative, require_positive
from mehler.bounds._bound import Assumption
from mehler.bounds._function import Formula, bound, derived, number
from mehler.bounds.kernel_error import _exponent
from mehler.exact import require_pool

Method = Literal["chernoff", "sub-gamma", "chebyshev", "hoeffding", "binomial"]
Terms = dict[str, tuple[float, str]]
# Inequalities that apply, by the argument that holds what is known of one product.
METHODS = {
    "pool_size": ("chernoff", "sub-gamma", "chebyshev"),
    "variance": ("chebyshev",),
    "sub_gamma": ("sub-gamma",),
    "width": ("hoeffding", "chebyshev"),
    "collision": ("binomial", "hoeffding", "chebyshev"),
}
_INDEPENDENT = Assumption("units are independent")
_CELLS = 4000


def require_sub_gamma(name: str, value: Any) -> tuple[float, float]:
    """Return v > 0 and c >= 0 of a sub-gamma variable."""
    try:
        v, c = value
    except (TypeError, ValueError):
        raise ValueError(f"{name}={value!r} is not a pair (v, c) of numbers") from None
    return require_positive(f"v of {name}", v), require_not_negative(f"c of {name}", c)


# Validators of these arguments, for the decorator.
PRODUCTS = {"variance": require_positive, "sub_gamma": require_sub_gamma}


@dataclass(frozen=True)
class Product:
    """One feature product, of which exactly one thing is assumed (a pool size may have a rho).

    Parameters are those of :func:`mehler.bounds.kernel_error.one_pair`, after validation.
    """

    method: Method | None = None
    pool_size: int | None = None
    rho: float | None = None
    variance: float | None = None
    sub_gamma: tuple[float, float] | None = None
    width: float | None = None
    collision: float | None = None

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
        if self.pool_size is not None:
            require_pool(self.pool_size, "pool_size")

    @property
    def methods(self) -> tuple[str, ...]:
        """Inequalities of which the smallest is taken."""
        if self.method is not None:
            return (self.method,)
        return next(METHODS[name] for name in METHODS if getattr(self, name) is not None)

    @property
    def any_correlation(self) -> bool:
        """Whether Chernoff's bound is that of any correlation."""
        return self.rho is None or (self.pool_size != 1 and self.rho < _exponent.LOWEST)

    @property
    def trivial(self) -> float:
        """A deviation that no mean exceeds."""
        if self.collision is not None:
            return max(self.collision, 1 - self.collision)
        return math.inf if self.width is None else self.width

    @property
    def assumptions(self) -> tuple[Assumption, ...]:
        """Assumptions of the proof."""
        assumptions = [_INDEPENDENT]
        if self.pool_size is not None:
            assumptions.append(Assumption("rows have norm 1 (for norms a and b multiply by a b)"))
        if self.rho is not None:
            text = "the rows have this correlation"
            if self.any_correlation and "chernoff" in self.methods:
                text += f"; below {_exponent.LOWEST:g} chernoff takes the bound for any"
            assumptions.append(Assumption(text, None, f"{self.rho:g}"))
        if self.width is not None:
            text = "each product lies in an interval of this length"
            assumptions.append(Assumption(text, None, f"{self.width:g}"))
        if self.collision is not None:
            text = "codes agree with this probability"
            assumptions.append(Assumption(text, None, f"{self.collision:g}"))
        return tuple(assumptions)

    def deviation(self, m: int, delta: float, pairs: str = "") -> Terms:
        """Bound the deviation of a mean of m products, exceeded with probability `delta`.

        The choice of the inequality depends on no draw, so that it is valid. In the formulas
        delta is the probability for all `pairs`.
        """
        bounds = [self._terms(method, m, delta, pairs) for method in self.methods]
        return min(bounds, key=lambda terms: math.fsum(value for value, _ in terms.values()))

    def _terms(self, method: str, m: int, delta: float, pairs: str) -> Terms:
        cost, log = math.log(2 / delta) / m, rf"\log(2{pairs}/\delta)"
        if method == "chebyshev":
            value = math.sqrt(self.largest_variance() / m / delta)
            return {"deviation": (value, rf"\sqrt{{{pairs}V/(m\delta)}}")}
        if method == "sub-gamma":
            v, c = self.sub_gamma_constants()
            return {
                "variance": (math.sqrt(2 * v * cost), rf"\sqrt{{2v{log}/m}}"),
                "tail": (c * cost, f"c{log}/m"),
            }
        if method == "hoeffding":
            b = 1.0 if self.width is None else self.width
            value = b * math.sqrt(math.log(2 / delta) / (2 * m))
            return {"deviation": (value, rf"b\sqrt{{{log}/(2m)}}")}
        if self.collision is not None:
            far = max(_farthest(share, cost) for share in (self.collision, 1 - self.collision))
            return {"deviation": (far, rf"\Delta_\kappa({log}/m)")}
        symbol = r"\Delta" if self.any_correlation else r"\Delta_\rho"
        return {"deviation": (float(self._exponents().deviation(cost)), f"{symbol}({log}/m)")}

    def _exponents(self) -> _exponent.Exponents:
        assert self.pool_size is not None
        if self.rho is None:
            return _exponent.any_correlation(self.pool_size)
        return _exponent.at_correlation(self.pool_size, self.rho)

    def largest_variance(self) -> float:
        """Bound the variance of one product."""
        if self.variance is not None:
            return self.variance
        if self.collision is not None:
            return self.collision * (1 - self.collision)
        if self.width is not None:
            # Popoviciu: on an interval it is largest for mass at both ends.
            return self.width**2 / 4
        assert self.pool_size is not None
        return variance_of(self.pool_size, self.rho)

    def sub_gamma_constants(self) -> tuple[float, float]:
        """Return v and c with log E exp(lambda (F - K)) <= lambda^2 v/(2 (1 - c abs(lambda)))."""
        if self.sub_gamma is not None:
            return self.sub_gamma
        assert self.pool_size is not None
        spread = 2.0 if self.rho is None else 1 + abs(self.rho)
        v = 4 * spread * (1 + exact.max_moment(1, self.pool_size) ** 2)
        return v, 2 * math.sqrt(spread)


@functools.lru_cache(maxsize=256)
def variance_of(q: int, rho: float | None) -> float:
    """Return the variance of a product of maxout units at unit rows, or the largest of all.

    V' = 4 E[M M'; D = D'] - 2 K kappa is at most 6 sigma^2 in absolute value, as K and the
    expectation are at most sigma^2, so between two grid points h apart V exceeds the larger of
    its values there by at most 6 sigma^2 h/2; in all by 0.1 % where q <= 1024.
    """
    if rho is not None:
        return float(exact.maxout_variance(rho, q))
    grid = np.linspace(-1, 1, _CELLS + 1)
    return float(np.max(exact.maxout_variance(grid, q))) + 6 * exact.sigma2(q) / _CELLS


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


@bound(STATEMENT, "error of the kernel, one pair", falls_in=("n_features",), domains=PRODUCTS)
@derived(Product)
def one_pair(product: Product, n_features: int, *, delta: float) -> Formula:
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
    codes the larger of kappa and 1 - kappa.

    Notes
    -----
    "chernoff" integrates the joint density of (M, M') numerically and takes the minimum over a
    grid of lambda: at most 0.4 % above the true one, or 6 % where few units and a small delta put
    it next to the pole 1/(1 + abs(rho)). The rule's error is bounded, by 1e-8 of psi or so, and
    added; what is left is rounding, against which psi is 2e-9 larger. q = 1 is a closed form. The
    first call of a pool size takes 0.1 s, without `rho` about a second; at q = 10^6 ten times that.

    References
    ----------
    S. Boucheron, G. Lugosi, P. Massart, Concentration Inequalities (2013), Sections 2.2 to 2.6.

    Examples
    --------
    >>> from mehler import bounds
    >>> bound = bounds.kernel_error.one_pair(1000, delta=0.01, pool_size=8, rho=0.5)
    >>> round(bound.value, 3), bound.probability
    (0.157, 0.99)
    >>> bounds.solve(bounds.kernel_error.one_pair, at_most=0.1, n_features=None, delta=0.01,
    ...              pool_size=4)
    3309
    """
    return Formula(
        product.deviation(n_features, delta),
        probability=1 - delta,
        trivial=product.trivial,
        assumptions=product.assumptions,
    )


@bound(
    STATEMENT,
    "largest error of the kernel, all pairs of {n_rows} rows",
    falls_in=("n_features",),
    domains=PRODUCTS,
)
@derived(Product)
def all_pairs(product: Product, n_features: int, *, n_rows: int, delta: float) -> Formula:
    r"""Bound the largest error of the Gram matrix of N rows.

    .. math:: P\Big(\max_{i \le j}|\hat K_{ij} - K_{ij}| > \varepsilon\Big) \le \delta,
              \qquad \varepsilon = \varepsilon_1\Big(\frac\delta P\Big), \qquad
              P = \frac{N(N+1)}2

    with epsilon_1(delta) the bound of :func:`one_pair`, by a union bound over the P entries.

    Terms: those of :func:`one_pair`.

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
    # Half of N (N + 1), the diagonal included.
    return Formula(
        product.deviation(n_features, delta / (n_rows * (n_rows + 1) // 2), pairs="P"),
        probability=1 - delta,
        trivial=product.trivial,
        assumptions=product.assumptions,
    )


@number(
    STATEMENT,
    "normal approximation to a quantile of the kernel error",
    falls_in=("n_features",),
    domains={"variance": require_positive},
)
def normal_quantile(
    n_features: int,
    *,
    delta: float,
    pool_size: int | None = None,
    rho: float | None = None,
    variance: float | None = None,
    n_pairs: int = 1,
) -> float:
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
    >>> from mehler import bounds
    >>> setting = {"delta": 0.01, "pool_size": 8, "rho": 0.5}
    >>> round(bounds.kernel_error.normal_quantile(1000, **setting), 4)
    0.1213
    >>> bounds.solve(bounds.kernel_error.normal_quantile, at_most=0.1, n_features=None, **setting)
    1472
    """
    if (pool_size is None) == (variance is None):
        raise ValueError("give exactly one of pool_size and variance")
    if pool_size is not None:
        variance = variance_of(require_pool(pool_size, "pool_size"), rho)
    elif rho is not None:
        raise ValueError("rho goes with pool_size: the variance is known already")
    assert variance is not None
    return float(-ndtri(delta / (2 * n_pairs))) * math.sqrt(variance / n_features)
