r"""Second moments and variances of products of units at given correlations, for unit vectors."""

from __future__ import annotations

from typing import Any

from mehler import _arrays
from mehler._validate import require_real
from mehler.exact import _at_rho, _table
from mehler.exact._digits import in_digits


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
    return _at_rho.apply(_at_rho.second_moment, rho, q)


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
    return _at_rho.apply(
        lambda r, q: _at_rho.second_moment(r, q) - _at_rho.kernel(r, q) ** 2, rho, q
    )


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
    return _at_rho.apply(_at_rho.centred_variance, rho, q)


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
        kappa = _at_rho.collision(r, q)
        variance = 1 + r * r * kappa * (2 - kappa)
        if q == 1 or not next_fraction:
            return variance  # q = 1: the argmax is constant and neighbours are independent
        slope = _table.evaluate(_table.pool_table(q).slope, r)
        covariance = r * slope * (q * kappa - 1) / (q * (q - 1))
        return variance + 2 * next_fraction * covariance

    return _at_rho.apply(on_array, rho, q)
