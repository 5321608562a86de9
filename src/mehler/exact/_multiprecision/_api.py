"""Arguments checked, then the cheapest accurate route: closed form, sum, or around rho = -1."""

from __future__ import annotations

import math
from typing import Any

import mpmath

from mehler._validate import integer
from mehler.exact._mp_arguments import check_dps, exact_rho, public_mpf, to_mpf
from mehler.exact._multiprecision import _ends, _line, _partition
from mehler.exact._multiprecision._closed import Closed
from mehler.exact._multiprecision._fixed import private_context
from mehler.exact._multiprecision._wedge import Wedge
from mehler.exact._validate import check_pool


def max_moment(k: int, q: int, dps: int) -> Any:
    r"""E M^k of the maximum M of q standard normals.

    .. math:: E M^k = \int t^k \, q \varphi(t) \Phi(t)^{q-1} \, dt

    Parameters
    ----------
    k : int
        Order, at least 0.
    q : int
        Pool size, at least 1.
    dps : int
        Decimal digits, at least 1.

    Returns
    -------
    mpmath.mpf
        The moment, relative error below ``10**-dps``. About 0.2 s for q = 64, dps = 30.

    Raises
    ------
    TypeError, ValueError
        If an argument is not an integer in range.

    References
    ----------
    Mroueh, Rennie, Goel (2015), Theorem 1: sigma^2(q) is k = 2.

    Examples
    --------
    >>> from mehler.exact import _multiprecision
    >>> print(_multiprecision.max_moment(1, 2, 15))  # 1/sqrt(pi)
    0.564189583547756
    """
    digits = check_dps(dps)
    k = integer("order k", k, least=0)
    return public_mpf(_line.max_moment(k, check_pool(q, dps=digits), digits + 1), digits)


def hermite_moment(i: int, q: int, dps: int) -> Any:
    r"""h_i(q) = E He_i(M)/sqrt(i!) of the maximum M of q standard normals.

    Parameters
    ----------
    i : int
        Order, at least 0.
    q : int
        Pool size, at least 1.
    dps : int
        Decimal digits, at least 1.

    Returns
    -------
    mpmath.mpf
        The coefficient, absolute error below ``10**-dps``.

    Raises
    ------
    TypeError, ValueError
        If an argument is not an integer in range.

    References
    ----------
    Mroueh, Rennie, Goel (2015), Theorem 1.

    Examples
    --------
    >>> from mehler.exact import _multiprecision
    >>> _multiprecision.hermite_moment(2, 2, 20)
    mpf('0.0')
    """
    digits = check_dps(dps)
    i = integer("order i", i, least=0)
    return public_mpf(_line.hermite_moment(i, check_pool(q, dps=digits), digits + 1), digits)


def collision_coefficients(q: int, n: int, dps: int) -> list[Any]:
    r"""a_0(q), ..., a_(n-1)(q), the power series of the collision probability.

    .. math:: \kappa_q(\rho) = \sum_i a_i(q) \rho^i

    Parameters
    ----------
    q : int
        Pool size, at least 1.
    n : int
        How many, at least 1.
    dps : int
        Decimal digits, at least 1.

    Returns
    -------
    list of mpmath.mpf
        The coefficients, relative error below ``10**-dps``. One integral for each partition of
        1, ..., n: about 1 s for q = 64, n = 17, dps = 30.

    Raises
    ------
    TypeError, ValueError
        If an argument is not an integer in range.

    References
    ----------
    Mroueh, Rennie, Goel (2015), Theorem 1 and Lemma 1.

    Examples
    --------
    >>> from mehler.exact import _multiprecision
    >>> [float(a) for a in _multiprecision.collision_coefficients(1, 3, 20)]
    [1.0, 0.0, 0.0]
    """
    digits = check_dps(dps)
    q = check_pool(q, dps=digits)
    n = integer("number of coefficients n", n)
    if q == 1:
        context = private_context(8)
        series = [context.one] + [context.zero] * (n - 1)
    else:
        series = _partition.by_partitions(q, n, digits + 2)
        if q == 2:
            # kappa_2 - 1/2 = arcsin(rho)/pi is odd, which leaves rounding of the even ones.
            series[2::2] = [0 * a for a in series[2::2]]
    return [public_mpf(a, digits) for a in series]


def collision_probability(rho: Any, q: int, dps: int) -> Any:
    r"""kappa_q(rho), the probability that both units of a pair have the same winner.

    .. math:: \kappa_q(\cos\theta) = q \, E\, G_\theta(a, b)^{q-1}

    with G the Gaussian measure of a planar wedge of opening pi - theta whose apex is Gaussian.

    Parameters
    ----------
    rho : int, float, Fraction, str or mpmath.mpf
        One correlation in [-1, 1], taken as the exact number that it is.
    q : int
        Pool size, at least 1.
    dps : int
        Decimal digits, at least 1.

    Returns
    -------
    mpmath.mpf
        The probability, absolute error below ``10**-dps``. About 0.5 s for q <= 16 and 1.5 s for
        q = 64 at dps = 30; at once for q <= 3.

    Raises
    ------
    TypeError, ValueError
        If `rho` is not one number in [-1, 1], or an integer is out of range.

    References
    ----------
    Mroueh, Rennie, Goel (2015), Theorem 1, eq. (8).

    Examples
    --------
    >>> from mehler.exact import _multiprecision
    >>> print(_multiprecision.collision_probability("0.5", 2, 15))
    0.666666666666667
    """
    digits = check_dps(dps)
    q = check_pool(q, dps=digits)
    rho = exact_rho(rho)
    if q > 1 and abs(rho) == 1:
        return mpmath.mpf(1 if rho == 1 else 0)
    if q <= 3:
        return public_mpf(Closed(rho, q, digits).collision_probability(), digits)
    return public_mpf(Wedge(rho, q, digits + 1).same_winner()[0], digits)


def maxout_kernel(rho: Any, q: int, dps: int) -> Any:
    r"""K_q(rho) = E max_j g_j max_j g'_j for rho-correlated standard normals.

    .. math:: K_q(\rho) = h_1(q)^2 + \int_0^\rho \kappa_q(t) \, dt

    Parameters
    ----------
    rho : int, float, Fraction, str or mpmath.mpf
        One correlation in [-1, 1], taken as the exact number that it is.
    q : int
        Pool size, at least 1.
    dps : int
        Decimal digits, at least 1.

    Returns
    -------
    mpmath.mpf
        The kernel of unit vectors, relative error below ``10**-dps``, from the joint density of
        both maxima. A few seconds for q = 64, dps = 30; at once for q <= 3.

    Raises
    ------
    TypeError, ValueError
        If `rho` is not one number in [-1, 1], or an integer is out of range.

    References
    ----------
    Mroueh, Rennie, Goel (2015), Theorem 1, as corrected.

    Examples
    --------
    >>> from mehler.exact import _multiprecision
    >>> print(_multiprecision.maxout_kernel(-1, 4, 15))  # 3/pi
    0.954929658551372
    """
    digits = check_dps(dps)
    q = check_pool(q, dps=digits)
    rho = exact_rho(rho)
    if q <= 3:
        return public_mpf(Closed(rho, q, digits).maxout_kernel(), digits)
    if rho == 1:
        return public_mpf(_line.max_moment(2, q, digits + 1), digits)
    return public_mpf(_product_moments(rho, q, digits + 1)[0], digits)


def locally_linear_kernel(rho: Any, q: int, dps: int) -> Any:
    """Return sigma^2(q) rho kappa_q(rho) to `dps` digits of sigma^2(q), as an mpmath.mpf."""
    digits = check_dps(dps)
    exact = exact_rho(rho)
    factors = max_moment(2, q, digits + 2), collision_probability(rho, q, digits + 2)
    context = private_context(math.ceil((digits + 10) * math.log2(10)))
    sigma2, kappa = (context.make_mpf(factor._mpf_) for factor in factors)
    return public_mpf(sigma2 * to_mpf(context, exact) * kappa, digits)


def product_second_moment(rho: Any, q: int, dps: int) -> Any:
    r"""S_q(rho) = E M^2 M'^2, which gives the variance S - K^2 of one feature product.

    .. math:: S_q(\rho) = \sigma^4 + 4 \int_0^\rho E[M M'; D = D'] \, dt

    Parameters
    ----------
    rho : int, float, Fraction, str or mpmath.mpf
        One correlation in [-1, 1], taken as the exact number that it is.
    q : int
        Pool size, at least 1.
    dps : int
        Decimal digits, at least 1.

    Returns
    -------
    mpmath.mpf
        The moment, relative error below ``10**-dps``. Cost as :func:`maxout_kernel`.

    Raises
    ------
    TypeError, ValueError
        If `rho` is not one number in [-1, 1], or an integer is out of range.

    References
    ----------
    Mroueh, Rennie, Goel (2015), Section 2: the variance behind Lemma 3.

    Examples
    --------
    >>> from mehler.exact import _multiprecision
    >>> print(_multiprecision.product_second_moment("0.5", 1, 15))
    1.5
    """
    digits = check_dps(dps)
    q = check_pool(q, dps=digits)
    rho = exact_rho(rho)
    if q <= 2:
        return public_mpf(Closed(rho, q, digits).product_second_moment(), digits)
    if rho == 1:
        return public_mpf(_line.max_moment(4, q, digits + 1), digits)
    return public_mpf(_product_moments(rho, q, digits + 1)[1], digits)


def _product_moments(rho: Any, q: int, digits: int) -> tuple[Any, Any]:
    """(K, S) for q >= 3 and rho < 1 by the cheaper way."""
    if rho == -1:
        return _ends.product_moments_at_minus_one(q, digits)
    if (1 + rho) / 2 < _ends.NEAR**2:
        return _ends.product_moments_near(rho, q, digits)
    _, kernel, second = Wedge(rho, q, digits).product_moments()
    return kernel, second
