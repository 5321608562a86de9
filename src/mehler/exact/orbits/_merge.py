"""Means over all pairs of two samples, by sorting them together."""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler._validate import reals


def mean_maximum(A: Any, B: Any) -> Any:
    r"""Compute the mean of max(a_i, b_j) over all pairs, in order r log r.

    .. math:: \frac1{rr'}\sum_{i\le r, j\le r'}\max(a_i, b_j)

    Parameters
    ----------
    A, B : array, shape (..., r), (..., r')
        Two samples for each leading index; NumPy.

    Returns
    -------
    array, shape (...)
        s minus it is the inner product of the two empirical distribution functions on
        [-s, s] without bins, for samples inside.

    See Also
    --------
    limit_variance_bound : Variance of this mean over templates.

    Examples
    --------
    >>> import numpy as np
    >>> float(mean_maximum(np.array([0.0, 2.0]), np.array([1.0])))
    1.5
    """
    a, b = reals("A", A), reals("B", B)
    if 0 in (a.ndim, b.ndim) or 0 in (a.shape[-1], b.shape[-1]):
        raise ValueError(f"A and B have shapes {a.shape} and {b.shape}: give numbers in both")
    shape = np.broadcast_shapes(a.shape[:-1], b.shape[:-1])
    r, s = a.shape[-1], b.shape[-1]
    both = np.concatenate(
        [np.broadcast_to(a, (*shape, r)), np.broadcast_to(b, (*shape, s))], axis=-1
    )
    order = np.argsort(both, axis=-1, kind="stable")
    ours = order < r
    # Each number is the maximum with all earlier numbers of the other sample.
    before = np.where(ours, np.cumsum(~ours, axis=-1), np.cumsum(ours, axis=-1))
    return (np.take_along_axis(both, order, axis=-1) * before).sum(axis=-1) / (r * s)
