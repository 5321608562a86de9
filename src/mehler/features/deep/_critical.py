"""The weight variance at which a deep maxout network keeps the length of its signals."""

from __future__ import annotations

from typing import Any

from mehler._validate import require_integer
from mehler.exact import LARGEST_POOL, sigma2


def critical_weight_variance(pool_size: int, *, dps: int | None = None) -> Any:
    r"""Compute the weight variance that keeps the mean square of signals in a maxout network.

    .. math:: \sigma_w^2 = 1/\sigma^2(q), \qquad \sigma^2(q) = E\,(\max_{j\le q}g_j)^2

    With weights :math:`N(0, \sigma_w^2/\text{fan-in})` and no biases the mean square of a layer's
    units is the same in every layer, on average over weights exactly and at any width. It is a
    property of maxout alone: ReLU's is 2.

    Parameters
    ----------
    pool_size : int
        Pool size q, 1 to 10^6 in float64.
    dps : int, optional
        Decimal digits; then the result is an mpmath number.

    Returns
    -------
    float or mpmath.mpf
        Relative error at most 1e-13 in float64.

    Raises
    ------
    TypeError, ValueError
        If `pool_size` is not an integer in range.

    See Also
    --------
    mehler.exact.sigma2 : Its inverse.
    mehler.DeepKernel : The kernels of such networks.

    Notes
    -----
    Gradients shrink by :math:`\sigma_w^2` a layer in mean square, so that for q > 2 no variance
    keeps both: :doc:`/depth`, with the proofs and a table up to q = 64.

    References
    ----------
    He and others (2015) for ReLU; Tseran, Montufar (2023) for maxout.

    Examples
    --------
    >>> from mehler.features.deep import critical_weight_variance
    >>> round(critical_weight_variance(4), 10)
    0.6446086339
    """
    most = LARGEST_POOL if dps is None else None
    return 1 / sigma2(require_integer("pool_size", pool_size, most=most), dps=dps)
