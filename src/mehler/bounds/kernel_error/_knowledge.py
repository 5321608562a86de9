"""Assumptions on one feature product, and the resulting deviation of a mean of m of them."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from numbers import Real
from typing import Any

from mehler import exact
from mehler.bounds._bound import Assumption, Term, require_positive, require_probability
from mehler.bounds.kernel_error import _exponent
from mehler.bounds.kernel_error._variance import largest_variance
from mehler.exact import require_pool, require_rho

ROUTES = ("chernoff", "sub-gamma", "chebyshev", "hoeffding", "binomial")


@dataclass(frozen=True)
class Knowledge:
    """A route, one of `ROUTES`, with its deviation bound and assumptions.

    ``terms(m, delta)`` returns named terms whose sum a mean of m products exceeds, in absolute
    deviation, with probability at most delta. The deviation never exceeds `trivial`.
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
    """Validate the arguments, and return the chosen route or the best of those they allow."""
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
        "width": ("hoeffding", "chebyshev"),
        "collision": ("binomial", "hoeffding", "chebyshev"),
    }[named[0]]
    if route is not None and route not in allowed:
        raise ValueError(f"route={route!r} is not one of {', '.join(allowed)} from {named[0]}")
    if rho is not None and pool_size is None:
        raise ValueError("rho goes with pool_size; without it give nothing but what is known")
    by: Callable[[str], Knowledge]
    if pool_size is not None:
        at = None if rho is None else float(require_rho(rho))
        by = partial(_of_maxout, q=require_pool(pool_size), rho=at)
    elif variance is not None:
        require_positive(variance=variance)
        by = partial(_by_variance, variance=float(variance))
    elif sub_gamma is not None:
        v, c = _pair(sub_gamma)
        by = partial(_by_sub_gamma, v=v, c=c)
    elif width is not None:
        require_positive(width=width)
        by = partial(_by_width, width=float(width))
    else:
        require_probability(collision=collision)
        by = partial(_by_count, share=float(collision))
    return by(route) if route is not None else _least([by(each) for each in allowed])


def _least(routes: list[Knowledge]) -> Knowledge:
    """Return the smallest of several bounds; the choice depends on no draw, so it is valid."""

    def terms(m: int, delta: float) -> tuple[Term, ...]:
        found = [each.terms(m, delta) for each in routes]
        return min(found, key=lambda terms: math.fsum(term.value for term in terms))

    return dataclasses.replace(routes[0], terms=terms)


def _of_maxout(route: str, q: int, rho: float | None) -> Knowledge:
    rows = (
        Assumption("rows have norm 1 (for norms a and b multiply by a b)"),
        *(() if rho is None else (Assumption("the rows have this correlation", None, f"{rho:g}"),)),
    )
    if route == "chernoff":
        # Deferred: the integrals take half a second, and this route may not be chosen.
        def terms(m: int, delta: float) -> tuple[Term, ...]:
            exponents = (
                _exponent.any_correlation(q) if rho is None else _exponent.at_correlation(q, rho)
            )
            value = float(exponents.deviation(math.log(2 / delta) / m))
            formula = r"\min_\lambda (\log(2/\delta)/m + \psi)/\lambda"
            return (Term("deviation", value, formula),)

        return Knowledge(route, terms, (_INDEPENDENT, *rows))
    if route == "chebyshev":
        variance = largest_variance(q) if rho is None else float(exact.maxout_variance(rho, q))
        return _by_variance(route, variance, rows)
    spread = 2.0 if rho is None else 1 + abs(rho)
    v = 4 * spread * (1 + exact.max_moment(1, q) ** 2)
    return _by_sub_gamma(route, v, 2 * math.sqrt(spread), rows)


_INDEPENDENT = Assumption("units are independent")


def _by_variance(
    route: str, variance: float, rows: tuple[Assumption, ...] = (), trivial: float = math.inf
) -> Knowledge:
    def terms(m: int, delta: float) -> tuple[Term, ...]:
        value = math.sqrt(variance / m / delta)
        return (Term("deviation", value, r"\sqrt{v/(m\delta)}"),)

    return Knowledge(route, terms, (_INDEPENDENT, *rows), trivial)


def _by_sub_gamma(route: str, v: float, c: float, rows: tuple[Assumption, ...] = ()) -> Knowledge:
    def terms(m: int, delta: float) -> tuple[Term, ...]:
        cost = math.log(2 / delta) / m
        return (
            Term("variance", math.sqrt(2 * v * cost), r"\sqrt{2v\log(2/\delta)/m}"),
            Term("tail", c * cost, r"c\log(2/\delta)/m"),
        )

    return Knowledge(route, terms, (_INDEPENDENT, *rows))


def _by_width(route: str, width: float) -> Knowledge:
    known = (Assumption("each product lies in an interval of this length", None, f"{width:g}"),)
    if route == "chebyshev":
        # Popoviciu: the variance on an interval is largest for mass at both ends.
        return _by_variance(route, width**2 / 4, known, width)

    def terms(m: int, delta: float) -> tuple[Term, ...]:
        value = width * math.sqrt(math.log(2 / delta) / (2 * m))
        return (Term("deviation", value, r"b\sqrt{\log(2/\delta)/(2m)}"),)

    return Knowledge(route, terms, (_INDEPENDENT, *known), trivial=width)


def _by_count(route: str, share: float) -> Knowledge:
    known = (Assumption("codes agree with this probability", None, f"{share:g}"),)
    trivial = max(share, 1 - share)
    if route == "chebyshev":
        return _by_variance(route, share * (1 - share), known, trivial)
    if route == "hoeffding":
        return dataclasses.replace(
            _by_width(route, 1.0), assumptions=(_INDEPENDENT, *known), trivial=trivial
        )

    def terms(m: int, delta: float) -> tuple[Term, ...]:
        cost = math.log(2 / delta) / m
        value = max(_farthest(share, cost), _farthest(1 - share, cost))
        formula = r"\max\{t : \mathrm{kl}(\kappa \pm t, \kappa) \le u\}"
        return (Term("deviation", value, formula),)

    return Knowledge(route, terms, (_INDEPENDENT, *known), trivial=trivial)


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


def _pair(sub_gamma: Any) -> tuple[float, float]:
    try:
        v, c = sub_gamma
    except (TypeError, ValueError):
        raise ValueError(f"sub_gamma={sub_gamma!r} is not a pair (v, c) of numbers") from None
    require_positive(v=v)
    if isinstance(c, bool) or not isinstance(c, Real) or not 0 <= float(c) < math.inf:
        raise ValueError(f"c={c!r} of sub_gamma is not a number that is 0 or more")
    return float(v), float(c)
