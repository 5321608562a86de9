"""Moments of M = max of q independent standard normals, and the power series that they give.

M has density q phi(t) Phi(t)^(q-1), with the normal density phi and distribution Phi: it is entire,
so the trapezoid rule on the line converges faster than any power of its step, and the stated
accuracy is rounding. The series are of kappa_q(rho), the chance that two rows of q normals, of
correlation rho, are largest at the same place: :doc:`/theorems/certified-balls` derives them.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler._validate import require_integer
from mehler.exact._correlations import in_digits, require_pool

# The density turns over a width of about 1/sqrt(2 log q) = 0.19 at q = 10^6; this step puts the
# error of the trapezoid rule, exp(-2 pi width / step), below 1e-16.
_STEP = 1 / 32
# Largest orders within the stated accuracy (max_moment) or on the grid (hermite_moment).
LARGEST_MOMENT = 150
LARGEST_HERMITE = 1000


def max_moment(k: int, q: int, dps: int | None = None) -> Any:
    r"""Compute the k-th moment of the maximum of q independent standard normals.

    .. math:: E M^k = \int t^k \, q \varphi(t) \Phi(t)^{q-1} dt

    Parameters
    ----------
    k : int
        Order, 0 to 150 in float64.
    q, dps
        As of all functions of :mod:`mehler.exact`, with their errors.

    Returns
    -------
    float or mpmath.mpf
        The moment; relative error at most 1e-13, about 1 ms when first called. OverflowError
        if it exceeds the largest float.

    Examples
    --------
    >>> from mehler import exact
    >>> exact.max_moment(2, 2)
    1.0
    >>> round(exact.max_moment(1, 3) - 1.5 / 3.141592653589793 ** 0.5, 14)
    0.0
    """
    if dps is not None:
        return in_digits("max_moment", k, q, dps)
    return _max_moment(require_integer("order k", k, least=0, most=LARGEST_MOMENT), require_pool(q))


@functools.lru_cache(maxsize=1024)
def _max_moment(k: int, q: int) -> float:
    if q == 1 and k % 2:
        return 0.0
    t, density = _density(q, reach=math.sqrt(k))
    # Scaled by the size of t where the integrand peaks, so that only the result can overflow.
    scale = max(1.0, math.sqrt(k))
    total = math.fsum((t / scale) ** k * density) * _STEP
    return 1.0 if k == 0 else total * scale**k  # order 0 is 1 up to rounding: return 1 exactly


def sigma2(q: int, dps: int | None = None) -> Any:
    r"""Compute sigma^2(q), the second moment of the maximum of q independent standard normals.

    .. math:: \sigma^2(q) = E \max_j g_j^2 \sim 2 \log q

    (Mroueh, Rennie, Goel (2015) print log q: :doc:`/theorems/sigma2-growth`.)

    Arguments and result are those of :func:`max_moment`.

    Examples
    --------
    >>> from mehler import exact
    >>> round(exact.sigma2(4), 12)
    1.551328895422
    """
    return max_moment(2, q, dps)


def hermite_moment(i: int, q: int, dps: int | None = None) -> Any:
    r"""Compute the Hermite coefficient h_i(q) = E He_i(M)/sqrt(i!) of the maximum M.

    .. math:: h_i(q) = \int \frac{\mathrm{He}_i(t)}{\sqrt{i!}} \, q\varphi(t)\Phi(t)^{q-1} dt

    Parameters
    ----------
    i : int
        Order of the normalised probabilists' Hermite polynomial, 0 to 1000 in float64.
    q, dps
        As for :func:`max_moment`.

    Returns
    -------
    float or mpmath.mpf
        The coefficient; absolute error at most 1e-13 max(1, |h_i(q)|) in float64: relative accuracy
        is out of reach where the positive and negative parts cancel. Exactly 0 where symmetry says
        so (q = 1, i > 0; q = 2, even i > 0).

    Examples
    --------
    >>> from mehler import exact
    >>> exact.hermite_moment(2, 2)
    0.0
    >>> round(exact.hermite_moment(2, 3), 12)
    0.194924200308
    """
    if dps is not None:
        return in_digits("hermite_moment", i, q, dps)
    i = require_integer("order i", i, least=0, most=LARGEST_HERMITE)
    q = require_pool(q)
    if i == 0:
        return 1.0
    if q == 1 or (q == 2 and i % 2 == 0):
        return 0.0
    # phi(t)^(1/2) He_i(t)/sqrt(i!) stays bounded where He_i alone would overflow.
    t, root_density = _density(q, reach=0.0, root=True)
    before, current = np.zeros_like(t), np.exp(-t * t / 4)
    for n in range(i):
        before, current = current, (t * current - math.sqrt(n) * before) / math.sqrt(n + 1)
    return math.fsum(current * root_density) * _STEP


def centred_moment(k: int, q: int) -> float:
    """Compute E (M - h_1)^k, h_1 = E M, directly: powers of h_1 would cancel for large pools."""
    t, density = _density(q, reach=2.0)
    return math.fsum((t - max_moment(1, q)) ** k * density) * _STEP


# Tails that vanish are 0, whatever the caller does about underflow.
@np.errstate(under="ignore")
def _density(
    q: int, *, reach: float, root: bool = False
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return a grid t and q phi(t) Phi(t)^(q-1) on it; `root` leaves one factor exp(-t^2/4) out."""
    from scipy.special import log_ndtr

    end = 10 + reach + math.sqrt(2 * math.log(q))
    n = math.ceil(end / _STEP)
    t = np.arange(-n, n + 1, dtype=np.float64) * _STEP
    exponent = (q - 1) * log_ndtr(t) - t * t / (4 if root else 2)
    return t, q / math.sqrt(2 * math.pi) * np.exp(exponent)


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
    q, dps
        As for :func:`max_moment`.
    n : int
        How many, 1 to 128 in float64.

    Returns
    -------
    numpy.ndarray, shape (n,), or list of mpmath.mpf
        The coefficients; absolute error at most 1e-13 in float64. From milliseconds for a few
        coefficients to seconds for 128. Derived in :doc:`/theorems/theorem-1-series`.

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


def _grid(q: int, n: int) -> tuple[NDArray[np.float64], float]:
    """Return the grid, and its step, where terms rho^k of Phi_2^q, the bivariate law, matter."""
    from scipy.special import log_ndtr

    # Features as narrow as 1/sqrt(2 log q), oscillations of psi_n as fast as sqrt(n).
    step = 1 / max(8.0, 2.5 * math.sqrt(n), 5 * math.sqrt(2 * math.log(q)) + 6)
    ends = 9 + math.sqrt(2 * math.log(q))
    t = np.arange(-math.ceil(ends / step), math.ceil(ends / step) + 1) * step
    log_power = q * log_ndtr(t)
    size = np.exp(log_power) * -np.expm1(log_power)
    return t[size > 1e-34], step


def _tetrachoric(t: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    """Evaluate Phi and psi_k = He_(k-1) phi/sqrt(k!), k = 1 to n, at t: shape (n + 1, t)."""
    from scipy.special import ndtr

    rows = [ndtr(t)]
    before, current = np.zeros_like(t), np.exp(-t * t / 2) / math.sqrt(2 * math.pi)
    for k in range(1, n + 1):
        rows.append(current / math.sqrt(k))
        before, current = current, (t * current - math.sqrt(k - 1) * before) / math.sqrt(k)
    return np.stack(rows)


def _power_by_products(series: NDArray[np.float64], q: int) -> NDArray[np.float64]:
    power = series
    for _ in range(q - 1):
        terms = range(series.shape[0])
        power = np.stack([np.einsum("ig,ig->g", power[: k + 1], series[k::-1]) for k in terms])
    return power


def _power_by_recurrence(series: NDArray[np.float64], q: int) -> NDArray[np.float64]:
    """Raise a power series to the q-th power by J. C. P. Miller's recurrence."""
    ratio = series / series[0]
    power = np.empty_like(series)
    power[0] = series[0] ** q
    for n in range(1, series.shape[0]):
        k = np.arange(1, n + 1)[:, None]
        power[n] = np.einsum("kg,kg->g", (k * (q + 1) - n) * ratio[1 : n + 1], power[n - 1 :: -1])
        power[n] /= n
    return power
