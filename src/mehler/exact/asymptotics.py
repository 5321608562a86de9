"""Asymptotics of kappa_q and its coefficients: at rho = 1, at rho = -1, and for high order."""

from __future__ import annotations

import math
from typing import Any

from mehler import _arrays
from mehler._validate import require_integer
from mehler.exact import _moments
from mehler.exact._correlations import require_pool, require_rho, scalar_if_scalar


def collision_near_one(rho: Any, q: int) -> Any:
    r"""Compute the first-order expansion of kappa_q at rho = 1.

    .. math:: \kappa_q(\rho) = 1 - \sqrt{2/\pi}\,h_1(q)\sqrt{1-\rho} + O(1-\rho)

    Parameters
    ----------
    rho : float or array
        Correlations in [-1, 1].
    q : int
        Pool size, 1 to 10^6.

    Returns
    -------
    float or array
        Same shape and namespace as `rho`. The error is at most a multiple of 1 - rho.

    Examples
    --------
    >>> from mehler.exact import asymptotics, collision_probability
    >>> rho = 1 - 1e-10
    >>> abs(asymptotics.collision_near_one(rho, 8) - collision_probability(rho, 8)) < 1e-9
    True
    """
    values = require_rho(rho)
    xp = _arrays.array_namespace(values)
    slope = math.sqrt(2 / math.pi) * _moments.max_moment(1, q)
    result = 1 - slope * xp.sqrt(1 - values)
    return result if _arrays.is_array(rho) else scalar_if_scalar(result)


def log_antipodal_constant(q: int) -> float:
    r"""Compute log B_q, the constant of kappa_q at rho = -1.

    .. math:: \kappa_q(\cos\theta) \sim B_q (\pi-\theta)^{q-1}, \quad
       B_q = \sqrt q\,(2\pi)^{-(q-1)/2}\int\varphi(t)\,(t\Phi(t)+\varphi(t))^{q-1}\,dt

    Parameters
    ----------
    q : int
        Pool size, 1 to 10^6.

    Returns
    -------
    float
        The logarithm; absolute error at most 1e-12 max(1, |log B_q|).

    Examples
    --------
    >>> import math
    >>> from mehler.exact import asymptotics
    >>> abs(asymptotics.log_antipodal_constant(2) + math.log(math.pi)) < 1e-12
    True
    """
    import numpy as np
    from scipy.special import logsumexp, ndtr

    q = require_pool(q)
    # The integrand peaks near t = sqrt(q - 1), with width below 1: phi(t) t^(q-1).
    step = 1 / 32
    t = np.arange(-12.0, math.sqrt(q - 1) + 14.0, step)
    inside = t * ndtr(t) + np.exp(-t * t / 2) / math.sqrt(2 * math.pi)
    # Below t = -8 the two terms cancel; there the exact value is below phi(t)/t^2 and its
    # contribution, times phi(t), below 1e-28.
    log_inside = np.log(np.maximum(inside, 1e-300))
    log_terms = (q - 1) * log_inside - t * t / 2
    log_integral = logsumexp(log_terms) + math.log(step) - math.log(2 * math.pi) / 2
    return float(math.log(q) / 2 - (q - 1) / 2 * math.log(2 * math.pi) + log_integral)


def collision_coefficient(i: int, q: int) -> float:
    r"""Compute the leading order of a_i(q) for large i.

    .. math:: a_i(q) \sim \frac{h_1(q)}{\sqrt2\,\pi}\, i^{-3/2} \quad (q \ge 3)

    For q = 2 twice that for odd i, and 0 for even i.

    Parameters
    ----------
    i : int
        Order, at least 1.
    q : int
        Pool size, 2 to 10^6.

    Returns
    -------
    float
        The leading term; at i = 256 within 0.4 % for q = 3 and 0.1 % for q >= 4.

    Examples
    --------
    >>> from mehler.exact import asymptotics
    >>> asymptotics.collision_coefficient(64, 2)
    0.0
    """
    i = require_integer("order i", i)
    q = require_integer("pool size q", q, least=2)
    leading = _moments.max_moment(1, q) / (math.sqrt(2) * math.pi) * i**-1.5
    if q == 2:
        return 2 * leading if i % 2 else 0.0
    return leading
