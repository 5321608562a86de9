r"""Power series of the collision probability: a_i(q) in float64.

With psi_n = phi h_(n-1) / sqrt(n), the bivariate normal distribution function is

    Phi_2(x, y; rho) = Phi(x) Phi(y) + sum_(n >= 1) rho^n psi_n(x) psi_n(y),

and Hoeffding's formula K_q - h_1^2 = double integral of Phi_2^q - Phi^q Phi^q gives
a_i = (i+1) [rho^(i+1)] of the double integral of Phi_2^q. The power of the series is taken at
each grid point, the integral by the trapezoid rule.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mehler._validate import require_integer
from mehler.exact._digits import in_digits
from mehler.exact._validate import require_pool

LARGEST_ORDER = 128
# Below this pool size powers are products; above, Miller's recurrence, which divides by
# Phi(x) Phi(y) and is unstable for small pools at high order.
_PRODUCTS_UP_TO = 6


@np.errstate(under="ignore")
def collision_coefficients(q: int, n: int, dps: int | None = None) -> Any:
    r"""Compute the first n coefficients a_0(q) ... a_{n-1}(q) of the collision probability.

    .. math:: \kappa_q(\rho) = \sum_{i\ge0} a_i(q)\rho^i, \quad a_i \ge 0, \quad \sum_i a_i = 1

    Parameters
    ----------
    q : int
        Pool size, 1 to 10^6 in float64.
    n : int
        How many, 1 to 128 in float64.
    dps : int, optional
        Decimal digits; the result is then a list of mpmath numbers, for any n.

    Returns
    -------
    numpy.ndarray, shape (n,), or list of mpmath.mpf
        The coefficients.

    Raises
    ------
    TypeError, ValueError
        If `q` or `n` is not an integer in range.

    See Also
    --------
    collision_probability : The function with these power series coefficients.
    hermite_moment : Hermite coefficients of the maximum.

    Notes
    -----
    Absolute error at most 1e-13; from milliseconds for a few coefficients to seconds for 128.

    References
    ----------
    Mroueh, Rennie, Goel (2015), Theorem 1 and Lemma 1, give a_0, a_1 and a_2; all others are
    derived in :doc:`/theorems/theorem-1-series`.

    Examples
    --------
    >>> from mehler import exact
    >>> [round(float(a), 6) for a in exact.collision_coefficients(4, 3)]
    [0.25, 0.353205, 0.101321]
    """
    if dps is not None:
        return in_digits("collision_coefficients", q, n, dps)
    q = require_pool(q)
    n = require_integer("number of coefficients n", n, most=LARGEST_ORDER)
    if q == 1:
        return np.eye(1, n)[0]
    t, step = _grid(q, n)
    series = _tetrachoric(t, n)
    upper, lower = np.triu_indices(t.size)
    # The integrand is symmetric: off-diagonal points count twice.
    weight = np.where(upper == lower, 1.0, 2.0) * step**2
    total = np.zeros(n + 1)
    power = _power_by_products if q <= _PRODUCTS_UP_TO else _power_by_recurrence
    for start in range(0, upper.size, _POINTS):
        piece = slice(start, start + _POINTS)
        total += power(series[:, upper[piece]] * series[:, lower[piece]], q) @ weight[piece]
    # All are >= 0; rounding leaves -1e-17 for those that vanish (q = 2, even i).
    return np.maximum(total[1:], 0.0) * np.arange(1, n + 1)


_POINTS = 2048  # grid points at a time: 129 coefficients of them are 2 MB


def _grid(q: int, n: int) -> tuple[Any, float]:
    """Return the grid where [rho^k] Phi_2^q matters.

    It is at most sqrt(D(x) D(y)), D = Phi^q - Phi^(2q): on the diagonal all coefficients are
    non-negative and sum to D; off it by Cauchy-Schwarz.
    """
    from scipy.special import log_ndtr

    # Features as narrow as 1/sqrt(2 log q), oscillations of psi_n as fast as sqrt(n).
    step = 1 / max(8.0, 2.5 * math.sqrt(n), 5 * math.sqrt(2 * math.log(q)) + 6)
    ends = 9 + math.sqrt(2 * math.log(q))
    t = np.arange(-math.ceil(ends / step), math.ceil(ends / step) + 1) * step
    log_power = q * log_ndtr(t)
    size = np.exp(log_power) * -np.expm1(log_power)
    return t[size > 1e-34], step


def _tetrachoric(t: Any, n: int) -> Any:
    """Evaluate Phi, psi_1, ..., psi_n at t: shape (n + 1, t)."""
    from scipy.special import ndtr

    rows = [ndtr(t)]
    before, current = np.zeros_like(t), np.exp(-t * t / 2) / math.sqrt(2 * math.pi)
    for k in range(1, n + 1):
        rows.append(current / math.sqrt(k))
        before, current = current, (t * current - math.sqrt(k - 1) * before) / math.sqrt(k)
    return np.stack(rows)


def _power_by_products(series: Any, q: int) -> Any:
    result = series
    for _ in range(q - 1):
        result = _multiply(result, series)
    return result


def _multiply(left: Any, right: Any) -> Any:
    product = np.empty_like(left)
    for k in range(left.shape[0]):
        product[k] = np.einsum("ig,ig->g", left[: k + 1], right[k::-1])
    return product


def _power_by_recurrence(series: Any, q: int) -> Any:
    """Raise a power series to the q-th power by J. C. P. Miller's recurrence."""
    ratio = series / series[0]
    power = np.empty_like(series)
    power[0] = series[0] ** q
    for n in range(1, series.shape[0]):
        k = np.arange(1, n + 1)[:, None]
        power[n] = np.einsum("kg,kg->g", (k * (q + 1) - n) * ratio[1 : n + 1], power[n - 1 :: -1])
        power[n] /= n
    return power
