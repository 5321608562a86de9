r"""Expected kernels, second moments and variances of maxout units, for unit vectors."""

from __future__ import annotations

from typing import Any

from mehler import _arrays
from mehler._validate import require_real
from mehler.exact import _moments, _table
from mehler.exact._correlations import at_rho, in_digits


def collision_probability(rho: Any, q: int, dps: int | None = None) -> Any:
    r"""Compute the collision probability kappa_q(rho): two correlated Gaussians share the argmax.

    .. math:: \kappa_q(\rho) = P(\arg\max_j g_j = \arg\max_j g'_j)
              = \sum_{i\ge0} a_i(q) \rho^i

    Parameters
    ----------
    rho : float or array
        Correlations in [-1, 1].
    q : int
        Pool size, 1 to 10^6 in float64.
    dps : int, optional
        Decimal digits; then `rho` is one number and the result an mpmath number.

    Returns
    -------
    float or array
        Same shape, namespace and device as `rho`.

    Raises
    ------
    TypeError, ValueError
        If `q` is not an integer in range, or `rho` leaves [-1, 1] by more than rounding.

    See Also
    --------
    collision_coefficients : Its power series.
    maxout_kernel : Its integral, the expected kernel of maxout features.

    Notes
    -----
    Absolute error at most 1e-13 in float64, 1e-6 in float32: next to rho = -1, where it vanishes
    like (1 + rho)^((q - 1)/2), digits are those of `dps`. The first table takes about 0.3 s,
    a further pool size about 50 ms, a value then about 25 ns.

    References
    ----------
    Mroueh, Rennie, Goel (2015), Theorem 1 and Remark 1.

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


def maxout_kernel(rho: Any, q: int, dps: int | None = None) -> Any:
    r"""Compute the expected kernel K_q(rho) of a maxout unit on unit vectors, as proved.

    .. math:: K_q(\rho) = E \max_j g_j \max_j g'_j = h_1(q)^2 + \int_0^\rho \kappa_q(t)\,dt

    For vectors of any length, K(x, z) = |x| |z| K_q(rho). The paper prints sigma^2 rho kappa_q
    instead: that is :func:`locally_linear_kernel`.

    Parameters
    ----------
    rho, q, dps
        As for :func:`collision_probability`, with its errors.

    Returns
    -------
    float or array
        Same shape, namespace and device as `rho`.

    See Also
    --------
    centred_kernel : The kernel less its value at rho = 0.
    locally_linear_kernel : The kernel as printed in the paper.

    Notes
    -----
    Relative error at most 1e-13 in float64, 1e-5 in float32. Cost as
    :func:`collision_probability`, whose table it shares.

    References
    ----------
    Mroueh, Rennie, Goel (2015), Theorem 1, repaired in :doc:`/theorems/theorem-1-kernel`.

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

    It is not the expected kernel of maxout features, but it is exactly that of
    :class:`mehler.DecoupledMaxoutFeatures`.

    .. math:: \sigma^2(q)\, \rho\, \kappa_q(\rho)

    Parameters
    ----------
    rho, q, dps
        As for :func:`collision_probability`, with its errors.

    Returns
    -------
    float or array
        Same shape, namespace and device as `rho`; absolute error at most 1e-13 sigma^2(q).

    See Also
    --------
    maxout_kernel : The expected kernel of maxout features.
    decoupled_variance : Variance of one product of decoupled units.

    References
    ----------
    Mroueh, Rennie, Goel (2015), Theorem 1 and equation (4).

    Examples
    --------
    >>> from mehler import exact
    >>> exact.locally_linear_kernel(0.0, 4)
    0.0
    """
    if dps is not None:
        return in_digits("locally_linear_kernel", rho, q, dps)
    return at_rho(lambda r, q: _moments.sigma2(q) * r * _table.collision_at(r, q), rho, q)


def centred_kernel(rho: Any, q: int) -> Any:
    r"""Compute the expected kernel of the centred unit max_j <w_j, x> - h_1(q)|x|.

    For unit vectors x and z of correlation rho,

    .. math:: K_q(\rho) - h_1(q)^2 = \int_0^\rho \kappa_q(t)\,dt

    Parameters
    ----------
    rho, q
        As for :func:`collision_probability`, with its errors.

    Returns
    -------
    float or array
        Same shape, namespace and device as `rho`; absolute error at most 1e-13 sigma^2(q).

    See Also
    --------
    maxout_kernel : The kernel without centring.
    centred_variance : Variance of one product of centred units.

    Examples
    --------
    >>> from mehler import exact
    >>> abs(exact.centred_kernel(0.0, 8)) < 1e-14
    True
    """
    return at_rho(_table.centred_at, rho, q)


def product_second_moment(rho: Any, q: int, dps: int | None = None) -> Any:
    r"""Compute the second moment S_q(rho) of one feature product, for unit vectors.

    .. math:: S_q(\rho) = E (\max_j g_j)^2 (\max_j g'_j)^2
              = \sigma^4(q) + 4\int_0^\rho E[M M'; D = D']\,dt

    Parameters
    ----------
    rho, q, dps
        As for :func:`collision_probability`, with its errors.

    Returns
    -------
    float or array
        Same shape, namespace and device as `rho`; relative error at most 1e-13 in float64
        (for q = 2 next to rho = -1, where S_2 tends to 1, too).

    See Also
    --------
    maxout_variance : The variance that follows from it.
    maxout_kernel : The mean of the product.

    Examples
    --------
    >>> from mehler import exact
    >>> round(exact.product_second_moment(0.0, 4) - exact.sigma2(4) ** 2, 12)
    0.0
    """
    if dps is not None:
        return in_digits("product_second_moment", rho, q, dps)
    return at_rho(_table.second_moment_at, rho, q)


def maxout_variance(rho: Any, q: int) -> Any:
    """Compute the variance S_q(rho) - K_q(rho)^2 of one product of maxout units, for unit vectors.

    The variance of an average over m independent units is 1/m of it.

    Parameters
    ----------
    rho, q
        As for :func:`collision_probability`, with its errors.

    Returns
    -------
    float or array
        Same shape, namespace and device as `rho`; relative error at most 1e-12 in float64.

    See Also
    --------
    product_second_moment : S_q(rho).
    maxout_kernel : K_q(rho).

    Examples
    --------
    >>> from mehler import exact
    >>> round(exact.maxout_variance(0.5, 4), 4)
    1.7989
    """
    return at_rho(lambda r, q: _table.second_moment_at(r, q) - _table.kernel_at(r, q) ** 2, rho, q)


def centred_variance(rho: Any, q: int) -> Any:
    r"""Compute the variance of one product of centred maxout units, for unit vectors.

    .. math:: E (M-h_1)^2 (M'-h_1)^2 - \Big(\int_0^\rho \kappa_q\Big)^2

    Parameters
    ----------
    rho, q
        As for :func:`collision_probability`, with its errors.

    Returns
    -------
    float or array
        Same shape, namespace and device as `rho`; relative error at most 1e-10 in float64.

    See Also
    --------
    centred_kernel : The mean of the product.
    maxout_variance : The same without centring.

    Examples
    --------
    >>> from mehler import exact
    >>> v = exact.sigma2(4) - exact.max_moment(1, 4) ** 2
    >>> abs(exact.centred_variance(0.0, 4) / v**2 - 1) < 1e-10
    True
    """
    return at_rho(_table.centred_variance_at, rho, q)


def decoupled_variance(rho: Any, q: int, *, next_fraction: float = 0.0) -> Any:
    r"""Compute the variance of one product of decoupled maxout units, divided by sigma^4(q).

    .. math:: 1 + \rho^2\kappa_q(2-\kappa_q)
              + 2 f \frac{\rho(1-\rho^2)\kappa_q'(\rho)(q\kappa_q - 1)}{q(q-1)}

    For unit vectors. The second term is the covariance of neighbouring units when each takes its
    directions from the next unit's weights; m such units in a chain have f = 1 - 1/m neighbour
    pairs per unit.

    Parameters
    ----------
    rho, q
        As for :func:`collision_probability`, with its errors.
    next_fraction : float, optional
        f: 0 for fresh directions.

    Returns
    -------
    float or array
        Same shape, namespace and device as `rho`; absolute error at most 1e-12.

    See Also
    --------
    locally_linear_kernel : The mean of the product.
    mehler.DecoupledMaxoutFeatures : The map with these units.

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
