r"""Expected kernels of maxout units at given correlations, for unit vectors."""

from __future__ import annotations

from typing import Any

from mehler.exact import _at_rho, _moments
from mehler.exact._digits import in_digits


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
    return _at_rho.apply(_at_rho.collision, rho, q)


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
    return _at_rho.apply(_at_rho.kernel, rho, q)


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
    return _at_rho.apply(lambda r, q: _moments.sigma2(q) * r * _at_rho.collision(r, q), rho, q)


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
    return _at_rho.apply(_at_rho.centred, rho, q)
