r"""Expected kernels, moments and variances of maxout units, maxima of q products, at unit rows.

Below, (g_j, g'_j) are q independent pairs of standard normals of correlation rho, the products of q
weights with two rows. M, M' are the maxima over j, and D, D' the j that have them; h_1 = E M, and
sigma^2(q) = E M^2. A decoupled unit chooses D as well, but its value is sigma(q) times the product
with the D-th of q directions: normal vectors that are independent of its weights. The a_i(q) are
`collision_coefficients`; `dps` asks for so many decimal digits.
"""

from __future__ import annotations

from typing import Any

from mehler import _arrays
from mehler._validate import require_real
from mehler.exact import _moments, _table
from mehler.exact._correlations import at_rho, in_digits


def collision_probability(rho: _arrays.Array, q: int, dps: int | None = None) -> Any:
    r"""Compute the collision probability kappa_q(rho), the chance of the same argmax.

    .. math:: \kappa_q(\rho) = P(\arg\max_j g_j = \arg\max_j g'_j)
              = \sum_{i\ge0} a_i(q) \rho^i

    Parameters
    ----------
    rho, q, dps
        As of all functions of :mod:`mehler.exact`, with their errors.

    Returns
    -------
    float or array, or mpmath.mpf
        Of the shape of `rho`; absolute error at most 1e-13 in float64, 1e-6 in float32. The first
        table takes about 0.3 s, a further pool size 50 ms, a value then 25 ns.

    Examples
    --------
    >>> from mehler import exact
    >>> exact.collision_probability(1.0, 4), exact.collision_probability(-1.0, 4)
    (1.0, 0.0)
    >>> round(exact.collision_probability(0.0, 4), 12)
    0.25
    """
    if dps is not None:
        return in_digits("collision_probability", rho, q, dps)
    return at_rho(_table.collision_at, rho, q)


def maxout_kernel(rho: _arrays.Array, q: int, dps: int | None = None) -> Any:
    r"""Compute the expected kernel K_q(rho) of a maxout unit on unit vectors, as proved.

    .. math:: K_q(\rho) = E \max_j g_j \max_j g'_j = h_1(q)^2 + \int_0^\rho \kappa_q(t)\,dt

    For vectors of any length, times |x| |z|. Mroueh, Rennie, Goel (2015), Theorem 1, print sigma^2
    rho kappa_q instead: :func:`locally_linear_kernel`. Proof: :doc:`/theorems/theorem-1-kernel`.

    Arguments, result and cost are those of :func:`collision_probability`, whose table it shares;
    relative error at most 1e-13 in float64, 1e-5 in float32.

    Examples
    --------
    >>> from mehler import exact
    >>> round(exact.maxout_kernel(0.5, 4), 12)
    1.233897997333
    """
    if dps is not None:
        return in_digits("maxout_kernel", rho, q, dps)
    return at_rho(_table.kernel_at, rho, q)


def locally_linear_kernel(rho: Any, q: int, dps: int | None = None) -> Any:
    r"""Compute the kernel sigma^2(q) rho kappa_q(rho), as printed in Theorem 1.

    .. math:: \sigma^2(q)\, \rho\, \kappa_q(\rho)

    Mroueh, Rennie, Goel (2015) state it for maxout features. It is not theirs, but exactly that of
    :class:`mehler.DecoupledMaxoutFeatures`.

    Arguments and result are as of :func:`collision_probability`; error at most 1e-13 sigma^2(q).

    Examples
    --------
    >>> from mehler import exact
    >>> exact.locally_linear_kernel(0.0, 4)
    0.0
    """
    if dps is not None:
        return in_digits("locally_linear_kernel", rho, q, dps)
    return at_rho(lambda r, q: _moments.sigma2(q) * r * _table.collision_at(r, q), rho, q)


def centred_kernel(rho: _arrays.Array, q: int) -> Any:
    r"""Compute the expected kernel of the centred unit max_j <w_j, x> - h_1(q)|x|.

    .. math:: K_q(\rho) - h_1(q)^2 = \int_0^\rho \kappa_q(t)\,dt

    Arguments and result are those of :func:`collision_probability`; absolute error at most 1e-13
    abs(rho) in float64, and 1e-6 abs(rho) in float32.

    Examples
    --------
    >>> from mehler import exact
    >>> exact.centred_kernel(0.0, 8), round(exact.centred_kernel(-0.5, 8), 12)
    (0.0, -0.033620970867)
    """
    return at_rho(_table.centred_at, rho, q)


def product_second_moment(rho: Any, q: int) -> Any:
    r"""Compute the second moment S_q(rho) of one feature product.

    .. math:: S_q(\rho) = E (\max_j g_j)^2 (\max_j g'_j)^2
              = \sigma^4(q) + 4\int_0^\rho E[M M'; D = D']\,dt

    Arguments and result are those of :func:`collision_probability`; relative error at most 1e-13 in
    float64, also next to rho = -1.

    Examples
    --------
    >>> from mehler import exact
    >>> round(exact.product_second_moment(0.0, 4) - exact.sigma2(4) ** 2, 12)
    0.0
    """
    return at_rho(_table.second_moment_at, rho, q)


def maxout_variance(rho: _arrays.Array, q: int) -> Any:
    r"""Compute the variance of one product of maxout units; an average over m has 1/m of it.

    .. math:: S_q(\rho) - K_q(\rho)^2

    Arguments and result as of :func:`collision_probability`; relative error below 1e-12 in float64.

    Examples
    --------
    >>> from mehler import exact
    >>> round(exact.maxout_variance(0.5, 4), 4)
    1.7989
    """
    return at_rho(lambda r, q: _table.second_moment_at(r, q) - _table.kernel_at(r, q) ** 2, rho, q)


def centred_variance(rho: _arrays.Array, q: int) -> Any:
    r"""Compute the variance of one product of centred maxout units.

    .. math:: E (M-h_1)^2 (M'-h_1)^2 - \Big(\int_0^\rho \kappa_q\Big)^2

    Arguments and result as of :func:`collision_probability`; relative error below 1e-10 in float64.

    Examples
    --------
    >>> from mehler import exact
    >>> round(exact.centred_variance(1.0, 4), 4)
    0.5228
    """
    return at_rho(_table.centred_variance_at, rho, q)


def decoupled_variance(rho: _arrays.Array, q: int, *, next_fraction: float = 0.0) -> Any:
    r"""Compute the variance of one product of decoupled maxout units, divided by sigma^4(q).

    .. math:: 1 + \rho^2\kappa_q(2-\kappa_q)
              + 2 f \frac{\rho(1-\rho^2)\kappa_q'(\rho)(q\kappa_q - 1)}{q(q-1)}

    The second term is the covariance of neighbouring units when each takes its directions from the
    next unit's weights; m such units in a chain have f = 1 - 1/m neighbour pairs per unit.

    `next_fraction` is f, in [0, 1]: 0 for fresh directions. Else arguments and result are those of
    :func:`collision_probability`; absolute error at most 1e-12.

    Examples
    --------
    >>> from mehler import exact
    >>> round(exact.decoupled_variance(0.5, 4), 4)
    1.1771
    >>> round(exact.decoupled_variance(0.5, 4, next_fraction=1.0), 4)
    1.2041
    """
    if not 0.0 <= require_real("next_fraction", next_fraction) <= 1.0:
        raise ValueError(f"next_fraction={next_fraction!r} must lie in [0, 1]")

    def on_array(r: _arrays.Array, q: int) -> _arrays.Array:
        kappa = _table.collision_at(r, q)
        variance = 1 + r * r * kappa * (2 - kappa)
        if q == 1 or not next_fraction:
            return variance  # q = 1: the argmax is constant and neighbours are independent
        slope = _table.evaluate(_table.pool_table(q).slope, r)
        covariance = r * slope * (q * kappa - 1) / (q * (q - 1))
        return variance + 2 * next_fraction * covariance

    return at_rho(on_array, rho, q)
