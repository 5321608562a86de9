"""The exact functions to any number of decimal digits, in mpmath and integer arithmetic.

Nothing global is read or set: precision is an argument, and each call uses a private context. Each
takes the cheapest accurate route: a closed form, a sum, or via rho = -1. Arguments and errors as of
the public functions of the same name with ``dps=``; `rho` is one number, taken as an exact
rational. Results are mpmath.mpf.
"""

from __future__ import annotations

import math
from fractions import Fraction
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
    """Compute E M^k to relative error ``10**-dps``: about 0.2 s for q = 64, dps = 30."""
    digits = check_dps(dps)
    k = integer("order k", k, least=0)
    return public_mpf(_line.max_moment(k, check_pool(q, dps=digits), digits + 1), digits)


def hermite_moment(i: int, q: int, dps: int) -> Any:
    """Compute h_i(q) = E He_i(M)/sqrt(i!) to absolute error ``10**-dps``."""
    digits = check_dps(dps)
    i = integer("order i", i, least=0)
    return public_mpf(_line.hermite_moment(i, check_pool(q, dps=digits), digits + 1), digits)


def collision_coefficients(q: int, n: int, dps: int) -> list[Any]:
    """Compute a_0(q), ..., a_(n-1)(q) to relative error ``10**-dps``, as a list.

    One integral for each partition of 1, ..., n: about 1 s for q = 64, n = 17, dps = 30.
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
            # kappa_2 - 1/2 = arcsin(rho)/pi is odd: the even ones are 0 but for rounding.
            series[2::2] = [0 * a for a in series[2::2]]
    return [public_mpf(a, digits) for a in series]


def collision_probability(rho: Any, q: int, dps: int) -> Any:
    r"""Compute kappa_q(rho) to absolute error ``10**-dps``.

    .. math:: \kappa_q(\cos\theta) = q \, E\, G_\theta(a, b)^{q-1}

    with G the Gaussian measure of a planar wedge of opening pi - theta whose apex is Gaussian.
    About 0.5 s for q <= 16 and 1.5 s for q = 64 at dps = 30; closed forms for q <= 3.
    """
    rho, q, digits = _checked(rho, q, dps)
    if q > 1 and abs(rho) == 1:
        return mpmath.mpf(1 if rho == 1 else 0)
    if q <= 3:
        return public_mpf(Closed(rho, q, digits).collision_probability(), digits)
    return public_mpf(Wedge(rho, q, digits + 1).same_winner()[0], digits)


def maxout_kernel(rho: Any, q: int, dps: int) -> Any:
    """Compute K_q(rho) to relative error ``10**-dps``, from the joint density of both maxima.

    A few seconds for q = 64, dps = 30; closed forms for q <= 3.
    """
    rho, q, digits = _checked(rho, q, dps)
    if q <= 3:
        return public_mpf(Closed(rho, q, digits).maxout_kernel(), digits)
    if rho == 1:
        return public_mpf(_line.max_moment(2, q, digits + 1), digits)
    return public_mpf(_product_moments(rho, q, digits + 1)[0], digits)


def locally_linear_kernel(rho: Any, q: int, dps: int) -> Any:
    """Compute sigma^2(q) rho kappa_q(rho) to `dps` digits of sigma^2(q)."""
    digits = check_dps(dps)
    exact = exact_rho(rho)
    factors = max_moment(2, q, digits + 2), collision_probability(rho, q, digits + 2)
    context = private_context(math.ceil((digits + 10) * math.log2(10)))
    sigma2, kappa = (context.make_mpf(factor._mpf_) for factor in factors)
    return public_mpf(sigma2 * to_mpf(context, exact) * kappa, digits)


def product_second_moment(rho: Any, q: int, dps: int) -> Any:
    """Compute S_q(rho) = E M^2 M'^2 to relative error ``10**-dps``; cost as `maxout_kernel`."""
    rho, q, digits = _checked(rho, q, dps)
    if q <= 2:
        return public_mpf(Closed(rho, q, digits).product_second_moment(), digits)
    if rho == 1:
        return public_mpf(_line.max_moment(4, q, digits + 1), digits)
    return public_mpf(_product_moments(rho, q, digits + 1)[1], digits)


def _checked(rho: Any, q: int, dps: int) -> tuple[Fraction, int, int]:
    digits = check_dps(dps)
    q = check_pool(q, dps=digits)
    return exact_rho(rho), q, digits


def _product_moments(rho: Any, q: int, digits: int) -> tuple[Any, Any]:
    """Compute (K, S) for q >= 3 and rho < 1 by the cheaper route."""
    if rho == -1:
        return _ends.product_moments_at_minus_one(q, digits)
    if (1 + rho) / 2 < _ends.NEAR**2:
        return _ends.product_moments_near(rho, q, digits)
    _, kernel, second = Wedge(rho, q, digits).product_moments()
    return kernel, second
