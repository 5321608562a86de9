"""What is known of one feature product, and the deviation that follows for a mean of m of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any

from mehler import exact
from mehler.bounds._bound import Assumption, Term, require_positive, require_probability
from mehler.bounds.kernel_error import _exponent
from mehler.bounds.kernel_error._variance import largest_variance
from mehler.exact._validate import check_pool, check_rho

ROUTES = ("chernoff", "sub-gamma", "chebyshev", "hoeffding", "binomial")


@dataclass(frozen=True)
class Knowledge:
    """A route, and what it knows.

    Parameters
    ----------
    route : str
        One of `ROUTES`.
    terms : callable
        ``terms(m, delta)``: named terms whose sum a mean of m products exceeds, in absolute
        deviation, with probability at most delta.
    assumptions : tuple of Assumption
    trivial : float
        What the deviation can never exceed.
    """

    route: str
    terms: Callable[[int, float], tuple[Term, ...]]
    assumptions: tuple[Assumption, ...]
    trivial: float = math.inf


def know(
    *,
    route: str | None,
    pool_size: Any,
    rho: Any,
    variance: Any,
    sub_gamma: Any,
    width: Any,
    collision: Any,
) -> Knowledge:
    """Choose the route that what is given allows, after looking at what is given."""
    given = {
        "pool_size": pool_size,
        "variance": variance,
        "sub_gamma": sub_gamma,
        "width": width,
        "collision": collision,
    }
    named = [name for name, value in given.items() if value is not None]
    if len(named) != 1:
        raise ValueError(
            f"give exactly one of {', '.join(given)} (what is known of one feature product), "
            f"not {', '.join(named) or 'none'}"
        )
    allowed = {
        "pool_size": ("chernoff", "sub-gamma", "chebyshev"),
        "variance": ("chebyshev",),
        "sub_gamma": ("sub-gamma",),
        "width": ("hoeffding",),
        "collision": ("binomial", "hoeffding"),
    }[named[0]]
    chosen = allowed[0] if route is None else route
    if chosen not in allowed:
        raise ValueError(f"route={route!r} is not one of {', '.join(allowed)} from {named[0]}")
    if rho is not None and pool_size is None:
        raise ValueError("rho goes with pool_size; without it give nothing but what is known")
    if pool_size is not None:
        at = None if rho is None else float(check_rho(rho))
        return _of_maxout(chosen, check_pool(pool_size), at)
    if variance is not None:
        require_positive(variance=variance)
        return _by_variance(float(variance), ())
    if sub_gamma is not None:
        return _by_sub_gamma(*_pair(sub_gamma), ())
    if width is not None:
        require_positive(width=width)
        return _by_width(float(width))
    require_probability(collision=collision)
    return _by_count(float(collision)) if chosen == "binomial" else _by_width(1.0)


def _of_maxout(route: str, q: int, rho: float | None) -> Knowledge:
    rows = (
        Assumption("rows have norm 1 (for norms a and b multiply by a b)"),
        *(() if rho is None else (Assumption("the rows have this correlation", None, f"{rho:g}"),)),
    )
    if route == "chernoff":
        exponents = (
            _exponent.any_correlation(q) if rho is None else _exponent.at_correlation(q, rho)
        )

        def terms(m: int, delta: float) -> tuple[Term, ...]:
            value = float(exponents.deviation(math.log(2 / delta) / m))
            return (Term("deviation", value, r"\min_\lambda (\log(2/\delta)/m + \psi)/\lambda"),)

        return Knowledge(route, terms, (_INDEPENDENT, *rows))
    if route == "chebyshev":
        variance = largest_variance(q) if rho is None else float(exact.maxout_variance(rho, q))
        return _by_variance(variance, rows)
    spread = 2.0 if rho is None else 1 + abs(rho)
    v = 4 * spread * (1 + exact.max_moment(1, q) ** 2)
    return _by_sub_gamma(v, 2 * math.sqrt(spread), rows)


_INDEPENDENT = Assumption("units are independent")


def _by_variance(variance: float, rows: tuple[Assumption, ...]) -> Knowledge:
    def terms(m: int, delta: float) -> tuple[Term, ...]:
        value = math.sqrt(variance / m / delta)
        return (Term("deviation", value, r"\sqrt{v/(m\delta)}"),)

    return Knowledge("chebyshev", terms, (_INDEPENDENT, *rows))


def _by_sub_gamma(v: float, c: float, rows: tuple[Assumption, ...]) -> Knowledge:
    def terms(m: int, delta: float) -> tuple[Term, ...]:
        cost = math.log(2 / delta) / m
        return (
            Term("variance", math.sqrt(2 * v * cost), r"\sqrt{2v\log(2/\delta)/m}"),
            Term("tail", c * cost, r"c\log(2/\delta)/m"),
        )

    return Knowledge("sub-gamma", terms, (_INDEPENDENT, *rows))


def _by_width(width: float) -> Knowledge:
    def terms(m: int, delta: float) -> tuple[Term, ...]:
        value = width * math.sqrt(math.log(2 / delta) / (2 * m))
        return (Term("deviation", value, r"b\sqrt{\log(2/\delta)/(2m)}"),)

    known = Assumption("each product lies in an interval of this length", None, f"{width:g}")
    return Knowledge("hoeffding", terms, (_INDEPENDENT, known), trivial=width)


def _by_count(share: float) -> Knowledge:
    def terms(m: int, delta: float) -> tuple[Term, ...]:
        cost = math.log(2 / delta) / m
        value = max(_farthest(share, cost), _farthest(1 - share, cost))
        return (Term("deviation", value, r"\max\{t : \mathrm{kl}(\kappa \pm t, \kappa) \le u\}"),)

    known = Assumption("codes agree with this probability", None, f"{share:g}")
    return Knowledge("binomial", terms, (_INDEPENDENT, known), trivial=max(share, 1 - share))


def _farthest(share: float, cost: float) -> float:
    """The t at which the divergence of share + t from share is `cost`; 1 - share if it never is.

    The end that is returned is the one at which the divergence is at least `cost`.
    """
    if -math.log(share) <= cost:
        return 1 - share
    low, high = 0.0, 1 - share
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if _divergence(share, middle) < cost else (low, middle)
    return high


def _divergence(share: float, above: float) -> float:
    """kl(share + above, share) of two Bernoulli laws."""
    rest = 1 - share
    return (share + above) * math.log1p(above / share) + (rest - above) * math.log1p(-above / rest)


def _pair(sub_gamma: Any) -> tuple[float, float]:
    try:
        v, c = sub_gamma
    except (TypeError, ValueError):
        raise ValueError(f"sub_gamma={sub_gamma!r} is not a pair (v, c) of numbers") from None
    require_positive(v=v)
    if isinstance(c, bool) or not isinstance(c, Real) or not 0 <= float(c) < math.inf:
        raise ValueError(f"c={c!r} of sub_gamma is not a number that is 0 or more")
    return float(v), float(c)
