r"""Uniformly over a set of unit vectors of doubling dimension k and diameter D, for maxout units.

A tree of cells: level j has at most 2^(k j) cells of diameter at most D min(1, 2^(1-j)), each with
a representative in the set. A union bound covers the pairs of representatives of one level J by
the exact exponent; what is left between a row and its representative is either summed over the
levels below J (chaining: no dimension of the space enters) or bounded by the norms of the
weights (net). All levels J are tried, which is legitimate as each gives a bound.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import numpy as np

from mehler._validate import require_choice, require_not_negative, require_positive
from mehler.bounds._bound import Assumption
from mehler.bounds._function import Formula, bound
from mehler.bounds.kernel_error import _exponent
from mehler.bounds.kernel_error._pairs import STATEMENT
from mehler.exact import require_pool

Cover = Literal["chaining", "net"]
COVERS = ("chaining", "net")
_LOG2 = math.log(2)
# No set has a larger dimension; logarithms of numbers of pairs stay floats.
_LARGEST_DIMENSION = 1e300
# Number of levels tried as J, and of levels below it that are summed one by one.
_TRIED, _SUMMED = 64, 40
# Where the remaining levels are summed in closed form.
_REST_AT = 0.25


def require_dimension(name: str, value: Any) -> float:
    """Return a doubling dimension."""
    if require_not_negative(name, value) > _LARGEST_DIMENSION:
        raise ValueError(f"{name}={value!r} is the doubling dimension of no set: at most 1e300")
    return float(value)


def require_diameter(name: str, value: Any) -> float:
    """Return the diameter of a set on the unit sphere."""
    if require_positive(name, value) > 2:
        raise ValueError(
            f"{name}={value!r} exceeds 2, that of the unit sphere: divide rows by their norms"
        )
    return float(value)


# Validators that both bounds of a set share.
DOMAINS: dict[str, Callable[[str, Any], Any]] = {
    "dimension": require_dimension,
    "method": partial(require_choice, allowed=COVERS),
}
QUANTITY = "largest error of the kernel, all pairs of the set"


def of_set(dimension: float, diameter: float) -> tuple[Assumption, ...]:
    """Return the assumptions on a set."""
    return (
        Assumption("its doubling dimension is at most this", None, f"{dimension:g}"),
        Assumption("its diameter is at most this", None, f"{diameter:g}"),
    )


def log_pairs(k: float, level: Any) -> Any:
    """Compute log T (T + 1), with T (T + 1) twice the number of pairs at a level: both tails."""
    # T + 1 = T (1 + 1/T), so that 2^(k j) need not be a float.
    return 2 * k * _LOG2 * level + np.log1p(np.exp2(-k * level))


@bound(
    STATEMENT,
    QUANTITY,
    falls_in=("n_features",),
    assumes=("units are independent", "all vectors of the set have norm 1"),
    domains={**DOMAINS, "diameter": require_diameter},
)
def uniform(
    n_features: int,
    *,
    pool_size: int,
    dimension: float,
    diameter: float,
    delta: float,
    n_inputs: int | None = None,
    method: Cover | None = None,
) -> Formula:
    r"""Bound the kernel error of maxout units at all pairs of a set of unit vectors.

    .. math:: \sup_{x, z \in \mathcal M}|\hat K(x, z) - K(x, z)| \le
              \min_J\Big[\Delta\Big(\tfrac1m\log\tfrac{2T_J(T_J+1)}\delta\Big)
              + \sum_{j \ge J} 2 r_j \Delta_1\Big(\tfrac1m
              \log\tfrac{2^{j-J+2}T_{j+1}(T_{j+1}+1)}{\delta}\Big)\Big]

    with T_j = 2^(kj), r_j = D min(1, 2^(1-j)) and Delta_1(u) = min over s of (u + E[exp(s N^2) - 1
    - s N^2])/s, N the largest of q absolute standard normals. The "net" replaces the sum by
    2 r_J (L + 1), L = (((sqrt d + sqrt(2 log q))^2 + 1)^(1/2) + (2 log(2/delta)/m)^(1/2))^2.

    Parameters
    ----------
    n_features, pool_size, dimension, diameter, delta
        As :mod:`mehler.bounds.kernel_error` says; the diameter is at most 2.
    n_inputs : int or array, optional
        Columns d of the rows, for "net".
    method : {"chaining", "net"}, optional
        By default the smaller one; without `n_inputs` the first.

    Returns
    -------
    Bound
        Terms "net" (pairs of representatives) and "between" (rows and their representatives).

    Notes
    -----
    The first call of a pool size takes about 0.5 s, a further one about 3 ms. The quadrature of
    E[exp(s N^2)] has an enclosed error, which is added, and a margin of 2e-9 for rounding.

    References
    ----------
    Proof: :doc:`/theorems/kernel-error`, part (c). Mroueh, Rennie, Goel (2015), Definition 2.

    Examples
    --------
    >>> from mehler.bounds import kernel_error
    >>> bound = kernel_error.uniform(10_000, pool_size=4, dimension=3, diameter=2, delta=0.01)
    >>> {term.name: round(term.value, 3) for term in bound.terms}
    {'net': 0.165, 'between': 0.01}
    """
    m, q = n_features, require_pool(pool_size)
    if method == "net" and n_inputs is None:
        raise ValueError("method='net' needs n_inputs, the number of columns of the rows")
    levels = np.arange(_TRIED)
    cost = (log_pairs(dimension, levels) + math.log(2 / delta)) / m
    net = _exponent.any_correlation(q).deviation(cost)
    between = np.full((2, _TRIED), math.inf)
    if method != "net":
        between[0] = by_chaining(m, q, dimension, levels, diameter, delta)
    if method != "chaining" and n_inputs is not None:
        between[1] = _by_norms(m, q, levels, diameter, delta, n_inputs)
    total = net + between.min(axis=0)
    J = int(np.argmin(total))
    by = int(np.argmin(between[:, J]))
    formula = (rf"\sum_{{j\ge {J}}}2r_j\Delta_1(u_j)", rf"2r_{{{J}}}(L + 1)")[by]
    return Formula(
        {
            "net": (float(net[J]), rf"\Delta(\log(2T_{{{J}}}(T_{{{J}}} + 1)/\delta)/m)"),
            "between": (float(between[by, J]), formula),
        },
        probability=1 - delta,
        assumptions=of_set(dimension, diameter),
    )


def by_chaining(m: int, q: int, k: float, levels: Any, diameter: float, delta: float) -> Any:
    """Bound what is left between rows and their representatives at each level, by increments."""
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
