r"""Uniformly over a set of unit vectors of doubling dimension k and diameter D.

A tree of cells: level j has at most 2^(k j) cells of diameter at most D min(1, 2^(1-j)), each with
a representative in the set. A union bound covers the pairs of representatives of one level J by
the exact exponent; what is left between a row and its representative is either summed over the
levels below J (chaining: no dimension of the space enters) or bounded by the norms of the
weights (net). All levels J are tried, which is legitimate as each gives a bound.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mehler.bounds._bound import (
    Assumption,
    Bound,
    Term,
    require_count,
    require_positive,
    require_probability,
)
from mehler.bounds._elementwise import elementwise
from mehler.bounds._inverse import least_features
from mehler.bounds.kernel_error import _exponent
from mehler.bounds.kernel_error._pairs import STATEMENT
from mehler.bounds.kernel_error._slopes import log_pairs, uniform_by_slope
from mehler.exact import require_pool

_LOG2 = math.log(2)
# Number of levels tried as J, and of levels below it that are summed one by one.
_TRIED, _SUMMED = 64, 40
# Where the remaining levels are summed in closed form.
_REST_AT = 0.25


@elementwise
def uniform(
    n_features: int,
    *,
    pool_size: int | None = None,
    dimension: float,
    diameter: float,
    delta: float,
    n_inputs: int | None = None,
    route: str | None = None,
    slope: tuple[float, float] | None = None,
    increments: tuple[float, float] | None = None,
    variance: float | None = None,
    sub_gamma: tuple[float, float] | None = None,
    width: float | None = None,
) -> Bound:
    r"""Bound the kernel error at all pairs of a set: of unit vectors for maxout, of any otherwise.

    .. math:: \sup_{x, z \in \mathcal M}|\hat K(x, z) - K(x, z)| \le
              \min_J\Big[\Delta_0\Big(\tfrac1m\log\tfrac{2T_J(T_J+1)}\delta\Big)
              + \sum_{j \ge J} 2 r_j \Delta_1\Big(\tfrac1m
              \log\tfrac{2^{j-J+2}T_{j+1}(T_{j+1}+1)}{\delta}\Big)\Big]

    with T_j = 2^(kj), r_j = D min(1, 2^(1-j)), Delta_0(u) = min over lambda of (u + sup_rho
    psi_rho(+-lambda))/lambda and Delta_1(u) = min over s of (u + E[exp(s N^2) - 1 - s N^2])/s,
    N the largest of q absolute standard normals. For any other map, by the moments of a `slope`,

    .. math:: \min_{J, a, n}\Big[\varepsilon_1\Big(\frac{\delta}{T_J(T_J+1)}\Big)
              + \sum_{i < n}\big(2r_{J+ai}\sqrt{2vu_i} + c_iu_i\big) + 4r_L\,\mathbb{E}G
              + 2r_L\sqrt{\tfrac{1-\delta_L}{m\delta_L}\mathrm{Var}\,G}\Big]

    with L = J + an, delta_L = 2^(-n-1) delta, u_i = log(2^(i+2) T (T + 1)/delta)/m at the level
    J + a(i+1), and v = E G^2, c_i = b/3 for products in an interval of length b.

    Parameters
    ----------
    n_features : int or array
        Number m of independent units; of frequencies, for pairs of cosine and sine.
    pool_size : int or array, optional
        Pool size q of maxout units; any other map has a `slope`.
    dimension : float
        k: every ball's share of the set is covered by 2^k balls of half its radius (Definition 2,
        centres anywhere). An upper bound of it will do.
    diameter : float
        D; at most 2 for maxout.
    delta : float or array
        The bound holds with probability at least 1 - delta.
    n_inputs : int, optional
        Columns d of the rows, for "net".
    route : {"chaining", "net"}, optional
        For maxout "net" replaces the sum by 2 r_J (L + 1), L = (((sqrt d + sqrt(2 log q))^2 +
        1)^(1/2) + (2 log(2/delta)/m)^(1/2))^2; "chaining" knows no d. With `slope` "net" has no
        increments, n = 0. By default the smaller one of those that the arguments allow.
    slope : (float, float), optional
        For any other map, E G and E G^2 of one G with |F(x,z) - F(x',z')| <= G (|x - x'| + |z -
        z'|) for its products: the length of a frequency for pairs of cosine and sine, twice that
        for a cosine with an offset. :func:`fourier_slope`, :func:`sinks_slope` and
        :func:`centred_maxout_slope` compute them. Moments of one G themselves: with an upper
        bound in the place of E G its variance would come out too small.
    increments : (float, float), optional
        With `slope`, for products without a bound: v and c with log E exp(t (I - E I)) <= (2rt)^2
        v/(2 (1 - 2rc abs(t))) for increments I of pairs whose rows move by r at most.
    variance, sub_gamma, width : optional
        With `slope`: what is known of one product, as in :func:`one_pair`, at all pairs.

    Returns
    -------
    Bound
        Terms "net" (pairs of representatives) and "between" (rows and their representatives). With
        `slope`: those of :func:`one_pair`; "increments" and "range", the links of the chain;
        "between" and "spread", for mean and deviation of the slopes.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of range, or what a route needs is missing.

    See Also
    --------
    uniform_features : The least m for a target error.
    fourier_slope, sinks_slope, centred_maxout_slope : What is known of these maps.

    Notes
    -----
    The first call of a pool size takes about 0.5 s, a further one about 3 ms.

    References
    ----------
    Proofs: :doc:`/theorems/kernel-error`, :doc:`/theorems/features-uniform`. Mroueh, Rennie, Goel
    (2015), Definition 2.

    Examples
    --------
    >>> from mehler.bounds import kernel_error
    >>> bound = kernel_error.uniform(10_000, pool_size=4, dimension=3, diameter=2, delta=0.01)
    >>> {term.name: round(term.value, 3) for term in bound.terms}
    {'net': 0.165, 'between': 0.01}

    Frequencies of the law N(0, I_2), rows on a circle:

    >>> known = {"width": 2.0, "slope": (1.2533, 2.0)}
    >>> bound = kernel_error.uniform(5000, dimension=3, diameter=2, delta=0.01, **known)
    >>> {term.name: round(term.value, 3) for term in bound.terms}
    {'deviation': 0.124, 'increments': 0.007, 'range': 0.009, 'between': 0.001, 'spread': 0.0}
    """
    if slope is not None or pool_size is None:
        told = {"variance": variance, "sub_gamma": sub_gamma, "width": width}
        if pool_size is not None or n_inputs is not None:
            raise ValueError("slope goes without pool_size and n_inputs")
        rest: dict[str, Any] = {"increments": increments, "route": route}
        return uniform_by_slope(n_features, dimension, diameter, delta, slope, told, **rest)
    if any(one is not None for one in (increments, variance, sub_gamma, width)):
        raise ValueError(
            "increments, variance, sub_gamma and width go with slope, not with pool_size"
        )
    q, chosen = _checked(pool_size, dimension, diameter, delta, n_inputs, route)
    (n_features,) = require_count(n_features=n_features)
    net, between = _best(n_features, q, dimension, diameter, delta, n_inputs, chosen)
    return Bound(
        statement=STATEMENT,
        form="proved",
        quantity="largest error of the kernel, all pairs of the set",
        terms=(
            Term("net", net, r"\Delta_0"),
            Term("between", between, r"\sum_j 2r_j\Delta_1 \text{ or } 2 r_J (L + 1)"),
        ),
        probability=1 - delta,
        assumptions=(
            Assumption("units are independent"),
            Assumption("all vectors of the set have norm 1"),
            Assumption("its doubling dimension is at most this", None, f"{dimension:g}"),
            Assumption("its diameter is at most this", None, f"{diameter:g}"),
        ),
    )


@elementwise
def uniform_features(
    eps: float,
    *,
    pool_size: int | None = None,
    dimension: float,
    diameter: float,
    delta: float,
    n_inputs: int | None = None,
    route: str | None = None,
    **known: Any,
) -> int:
    """Return the least number of features at which :func:`uniform` is at most `eps`.

    Parameters
    ----------
    eps : float or array
        Target error.
    pool_size, dimension, diameter, delta, n_inputs, route
        As in :func:`uniform`.
    **known
        `slope`, and what is known of one product, as there.

    Returns
    -------
    int
        The least m: with one feature fewer the bound exceeds `eps`.

    Raises
    ------
    TypeError, ValueError
        As :func:`uniform`; or if 10^18 features are not enough.

    See Also
    --------
    uniform : The bound at a given m.
    all_pairs_features : The same for finitely many rows.

    Examples
    --------
    >>> from mehler.bounds import kernel_error
    >>> kernel_error.uniform_features(0.1, pool_size=4, dimension=3, diameter=2, delta=0.01)
    30024
    """
    if known or pool_size is None:
        shape: dict[str, Any] = {"pool_size": pool_size, "n_inputs": n_inputs, "route": route}
        shape |= {"dimension": dimension, "diameter": diameter, "delta": delta, **known}
        require_positive(eps=eps)
        return least_features(lambda m: uniform(m, **shape).value, eps)
    q, chosen = _checked(pool_size, dimension, diameter, delta, n_inputs, route)
    require_positive(eps=eps)

    def value(m: int) -> float:
        return math.fsum(_best(m, q, dimension, diameter, delta, n_inputs, chosen))

    return least_features(value, eps)


def _checked(
    pool_size: Any, dimension: Any, diameter: Any, delta: Any, n_inputs: Any, route: str | None
) -> tuple[int, str | None]:
    q = require_pool(pool_size)
    if dimension != 0:
        require_positive(dimension=dimension)
    require_positive(diameter=diameter)
    if diameter > 2:
        raise ValueError(
            f"diameter={diameter!r} exceeds 2, that of the unit sphere: divide rows by their norms"
        )
    require_probability(delta=delta)
    if route not in (None, "chaining", "net"):
        raise ValueError(f"route={route!r} is not one of chaining, net")
    if n_inputs is not None:
        (n_inputs,) = require_count(n_inputs=n_inputs)
    elif route == "net":
        raise ValueError("route='net' needs n_inputs, the number of columns of the rows")
    return q, route


def _best(
    m: int, q: int, k: float, diameter: float, delta: float, n_inputs: int | None, route: str | None
) -> tuple[float, float]:
    """Return both terms at the level J, and by the route, with the smallest sum."""
    levels = np.arange(_TRIED)
    cost = (log_pairs(k, levels) + math.log(2 / delta)) / m
    net = _exponent.any_correlation(q).deviation(cost)
    routes = []
    if route != "net":
        routes.append(_by_chaining(m, q, k, levels, diameter, delta))
    if route != "chaining" and n_inputs is not None:
        routes.append(_by_norms(m, q, levels, diameter, delta, n_inputs))
    between = np.min(routes, axis=0)
    best = int(np.argmin(net + between))
    return float(net[best]), float(between[best])


def _by_chaining(m: int, q: int, k: float, levels: Any, diameter: float, delta: float) -> Any:
    exponents = _exponent.increments(q)
    j = levels[:, None] + np.arange(_SUMMED)
    steps = np.arange(1, _SUMMED + 1)
    # The step from level j takes delta 2^(-(j - J) - 2) of the probability.
    cost = (log_pairs(k, j + 1) + math.log(2 / delta) + steps * _LOG2) / m
    length = diameter * np.minimum(1.0, np.exp2(1.0 - j))
    summed = (2 * length * exponents.deviation(cost)).sum(axis=1)
    # The rest, from level `first` on, at one s: sum of 2^(-j) (a + b j) = 2^(1-first) (a + b
    # (first + 1)); there T (T + 1) <= 2 T^2.
    first = levels + _SUMMED
    at = int(np.argmin(np.abs(exponents.at - _REST_AT)))
    s, excess = exponents.at[at], exponents.upper[at]
    constant = excess + (2 * k * _LOG2 + math.log(4 / delta) + (1 - levels) * _LOG2) / m
    slope = (2 * k + 1) * _LOG2 / m
    rest = 4 * diameter / s * np.exp2(1.0 - first) * (constant + slope * (first + 1))
    return summed + rest


def _by_norms(m: int, q: int, levels: Any, diameter: float, delta: float, n_inputs: int) -> Any:
    longest = math.sqrt(n_inputs) + math.sqrt(2 * math.log(q))
    root = math.sqrt(longest**2 + 1) + math.sqrt(2 * math.log(2 / delta) / m)
    length = diameter * np.minimum(1.0, np.exp2(1.0 - levels))
    return 2 * length * (root**2 + 1)
