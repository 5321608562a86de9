r"""Expected kernels and variances of maxout units at given correlations, for unit vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mehler import _arrays
from mehler.exact import _moments, _table, closed_form
from mehler.exact._validate import check_pool, check_rho


def collision_probability(rho: Any, q: int, dps: int | None = None) -> Any:
    r"""Collision probability kappa_q(rho): two correlated Gaussian vectors share their argmax.

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

    Notes
    -----
    Absolute error at most 1e-13 in float64, 1e-6 in float32. The first table takes about 0.3 s,
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
        from mehler.exact import _multiprecision

        return _multiprecision.collision_probability(rho, q, dps)
    return _apply(_collision, rho, q)


def maxout_kernel(rho: Any, q: int, dps: int | None = None) -> Any:
    r"""Expected kernel K_q(rho) of a maxout unit on unit vectors, as proved.

    .. math:: K_q(\rho) = E \max_j g_j \max_j g'_j = h_1(q)^2 + \int_0^\rho \kappa_q(t)\,dt

    For vectors of any length, K(x, z) = |x| |z| K_q(rho). The paper prints sigma^2 rho kappa_q
    instead: that is :func:`locally_linear_kernel`.

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
        from mehler.exact import _multiprecision

        return _multiprecision.maxout_kernel(rho, q, dps)
    return _apply(_kernel, rho, q)


def locally_linear_kernel(rho: Any, q: int, dps: int | None = None) -> Any:
    r"""The kernel sigma^2(q) rho kappa_q(rho), as printed in Theorem 1.

    It is not the expected kernel of maxout features, but it is exactly that of
    :class:`mehler.DecoupledMaxoutFeatures`.

    .. math:: \sigma^2(q)\, \rho\, \kappa_q(\rho)

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
        Same shape, namespace and device as `rho`; absolute error at most 1e-13 sigma^2(q).

    Raises
    ------
    TypeError, ValueError
        If `q` is not an integer in range, or `rho` leaves [-1, 1] by more than rounding.

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
        import mpmath

        with mpmath.workdps(dps + 10):
            product = (
                _moments.sigma2(q, dps + 10)
                * mpmath.mpf(rho)
                * collision_probability(rho, q, dps + 10)
            )
        with mpmath.workdps(dps):
            return +product
    return _apply(lambda r, q: _moments.sigma2(q) * r * _collision(r, q), rho, q)


def product_second_moment(rho: Any, q: int, dps: int | None = None) -> Any:
    r"""Second moment S_q(rho) of one feature product, for unit vectors.

    .. math:: S_q(\rho) = E (\max_j g_j)^2 (\max_j g'_j)^2
              = \sigma^4(q) + 4\int_0^\rho E[M M'; D = D']\,dt

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
        Same shape, namespace and device as `rho`; relative error at most 1e-13 in float64
        (for q = 2 next to rho = -1, where S_2 tends to 1, too).

    Raises
    ------
    TypeError, ValueError
        If `q` is not an integer in range, or `rho` leaves [-1, 1] by more than rounding.

    Examples
    --------
    >>> from mehler import exact
    >>> round(exact.product_second_moment(0.0, 4) - exact.sigma2(4) ** 2, 12)
    0.0
    """
    if dps is not None:
        from mehler.exact import _multiprecision

        return _multiprecision.product_second_moment(rho, q, dps)
    return _apply(_second, rho, q)


def maxout_variance(rho: Any, q: int) -> Any:
    r"""Variance S_q(rho) - K_q(rho)^2 of one product of maxout units, for unit vectors.

    The variance of an average over m independent units is 1/m of it.

    Parameters
    ----------
    rho : float or array
        Correlations in [-1, 1].
    q : int
        Pool size, 1 to 10^6.

    Returns
    -------
    float or array
        Same shape, namespace and device as `rho`; relative error at most 1e-12 in float64.

    Examples
    --------
    >>> from mehler import exact
    >>> round(exact.maxout_variance(0.5, 4), 4)
    1.7989
    """
    return _apply(lambda r, q: _second(r, q) - _kernel(r, q) ** 2, rho, q)


def centred_kernel(rho: Any, q: int) -> Any:
    r"""Expected kernel of the centred unit max_j <w_j, x> - h_1(q)|x|, for unit vectors.

    .. math:: K_q(\rho) - h_1(q)^2 = \int_0^\rho \kappa_q(t)\,dt

    Parameters
    ----------
    rho : float or array
        Correlations in [-1, 1].
    q : int
        Pool size, 1 to 10^6.

    Returns
    -------
    float or array
        Same shape, namespace and device as `rho`; absolute error at most 1e-13 sigma^2(q).

    Examples
    --------
    >>> from mehler import exact
    >>> abs(exact.centred_kernel(0.0, 8)) < 1e-14
    True
    """
    return _apply(_centred, rho, q)


def centred_variance(rho: Any, q: int) -> Any:
    r"""Variance of one product of centred maxout units, for unit vectors.

    .. math:: E (M-h_1)^2 (M'-h_1)^2 - \Big(\int_0^\rho \kappa_q\Big)^2

    Parameters
    ----------
    rho : float or array
        Correlations in [-1, 1].
    q : int
        Pool size, 1 to 10^6.

    Returns
    -------
    float or array
        Same shape, namespace and device as `rho`; relative error at most 1e-10 in float64.

    Examples
    --------
    >>> from mehler import exact
    >>> v = exact.sigma2(4) - exact.max_moment(1, 4) ** 2
    >>> abs(exact.centred_variance(0.0, 4) / v**2 - 1) < 1e-10
    True
    """
    return _apply(_centred_variance, rho, q)


def decoupled_variance(rho: Any, q: int, *, next_fraction: float = 0.0) -> Any:
    r"""Variance of one product of decoupled maxout units, in units of sigma^4(q), unit vectors.

    .. math:: 1 + \rho^2\kappa_q(2-\kappa_q)
              + 2 f \frac{\rho(1-\rho^2)\kappa_q'(\rho)(q\kappa_q - 1)}{q(q-1)}

    The second term is the covariance of neighbouring units when each takes its directions from
    the next unit's weights; of m such units in a chain, f = 1 - 1/m neighbour pairs a unit.

    Parameters
    ----------
    rho : float or array
        Correlations in [-1, 1].
    q : int
        Pool size, 1 to 10^6.
    next_fraction : float, optional
        f: 0 for fresh directions.

    Returns
    -------
    float or array
        Same shape, namespace and device as `rho`; absolute error at most 1e-12.

    Examples
    --------
    >>> from mehler import exact
    >>> round(exact.decoupled_variance(0.5, 4), 4)
    1.1771
    >>> round(exact.decoupled_variance(0.5, 4, next_fraction=1.0), 4)
    1.2041
    """

    def on_array(r: _arrays.Array, q: int) -> _arrays.Array:
        kappa = _collision(r, q)
        variance = 1 + r * r * kappa * (2 - kappa)
        if q == 1 or not next_fraction:
            return variance  # one piece: the "argmax" is constant and neighbours independent
        slope = _table.evaluate(_table.pool_table(q).slope, r)
        covariance = r * slope * (q * kappa - 1) / (q * (q - 1))
        return variance + 2 * next_fraction * covariance

    return _apply(on_array, rho, q)


def _apply(function: Callable[[Any, int], Any], rho: Any, q: int) -> Any:
    q = check_pool(q)
    values = function(check_rho(rho), q)
    return values if _arrays.is_array(rho) else closed_form.scalar_if_scalar(values)


def _collision(rho: _arrays.Array, q: int) -> _arrays.Array:
    if q <= 2:
        return closed_form.collision_on_array(rho, q)
    xp = _arrays.array_namespace(rho)
    # The table rounds; a probability does not leave [0, 1].
    return xp.clip(_table.evaluate(_table.pool_table(q).kappa, rho), 0.0, 1.0)


def _kernel(rho: _arrays.Array, q: int) -> _arrays.Array:
    if q <= 2:
        return closed_form.kernel_on_array(rho, q)
    return _table.evaluate(_table.pool_table(q).kernel, rho)


def _second(rho: _arrays.Array, q: int) -> _arrays.Array:
    return 1 + 2 * rho * rho if q == 1 else _table.evaluate(_table.pool_table(q).second, rho)


def _centred(rho: _arrays.Array, q: int) -> _arrays.Array:
    return _kernel(rho, q) - _moments.max_moment(1, q) ** 2


def _centred_variance(rho: _arrays.Array, q: int) -> _arrays.Array:
    if q == 1:
        return 1 + rho * rho
    return _table.evaluate(_table.pool_table(q).centred_second, rho) - _centred(rho, q) ** 2
