"""Assumptions on one feature product, and the deviation of a mean of m of them."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from mehler import exact
from mehler._validate import (
    require_choice,
    require_not_negative,
    require_positive,
    require_probability,
)
from mehler.bounds._bound import Assumption
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
DOMAINS = {
    "variance": require_positive,
    "sub_gamma": require_sub_gamma,
    "width": require_positive,
    "collision": require_probability,
}


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
            require_pool(self.pool_size)

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
        made = [_INDEPENDENT]
        if self.pool_size is not None:
            made.append(Assumption("rows have norm 1 (for norms a and b multiply by a b)"))
        if self.rho is not None:
            text = "the rows have this correlation"
            if self.any_correlation and "chernoff" in self.methods:
                text += f"; below {_exponent.LOWEST:g} chernoff takes the bound for any"
            made.append(Assumption(text, None, f"{self.rho:g}"))
        if self.width is not None:
            text = "each product lies in an interval of this length"
            made.append(Assumption(text, None, f"{self.width:g}"))
        if self.collision is not None:
            text = "codes agree with this probability"
            made.append(Assumption(text, None, f"{self.collision:g}"))
        return tuple(made)

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
