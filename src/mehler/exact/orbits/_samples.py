"""Means over all pairs of a random sample of group elements: weights and variances."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mehler._validate import require_integer, require_real


def coincidence_weight(size: int, order: int, *, replacement: bool) -> float:
    r"""Compute the weight w of equal elements in a mean over all pairs of r out of N elements.

    .. math:: E \frac1{r^2}\sum_{i,j \le r} f(g_i, g_j) = (1-w)\,\overline f + w\,\overline{f_=},
              \qquad w = \frac1r \;\text{or}\; \frac{N-r}{r(N-1)}

    with the mean of f over all pairs, and over equal ones; 1/r for independent draws.
    """
    r = require_integer("size", size)
    n = require_integer("order", order)
    if replacement:
        return 1 / r
    if r > n:
        raise ValueError(f"size={r} distinct elements out of order={n} do not exist")
    return 0.0 if r == n else (n - r) / (r * (n - 1))


def sample_variance(matrix: ArrayLike, size: int, *, replacement: bool) -> Any:
    r"""Compute the variance of the mean over all pairs of r elements, drawn from all N.

    .. math:: \operatorname{Var} \frac1{r^2}\sum_{i,j\le r} F_{g_i g_j}

    `matrix` (..., N, N) is F at all pairs; by sums over equal and different indices, cancellation
    leaves about 1e-14 of the squared mean.
    """
    F = np.asarray(matrix, dtype=np.float64)
    N = F.shape[-1]
    coincidence_weight(size, N, replacement=replacement)
    mean = F.mean(axis=(-2, -1), keepdims=True)
    F = 0.5 * (F + np.swapaxes(F, -1, -2)) - mean  # centred: less cancellation
    diagonal = np.diagonal(F, axis1=-2, axis2=-1)
    r = require_real("size", size)
    if replacement:
        rows = F.mean(axis=-1)
        pairs = r * (r - 1.0)
        square = (
            r * (diagonal**2).mean(axis=-1)
            + pairs * diagonal.mean(axis=-1) ** 2
            + 4.0 * pairs * (diagonal * rows).mean(axis=-1)
            + 2.0 * pairs * (F * F).mean(axis=(-2, -1))
            + 4.0 * pairs * (r - 2.0) * (rows * rows).mean(axis=-1)
        )
        expected = r * diagonal.mean(axis=-1)
        return np.maximum(square - expected**2, 0.0) / r**4
    p = [1.0]
    for k in range(4):  # probability that k + 1 given elements are all in the sample
        p.append(p[-1] * max(r - k, 0.0) / (N - k) if k < N else 0.0)
    off = F - diagonal[..., None] * np.eye(N)
    rows, ends = off.sum(axis=-1), diagonal.sum(axis=-1)
    total = rows.sum(axis=-1)
    squares, row_squares = (off * off).sum(axis=(-2, -1)), (rows * rows).sum(axis=-1)
    cross = (diagonal * rows).sum(axis=-1)
    own = (diagonal**2).sum(axis=-1)
    square = (
        p[1] * own
        + p[2] * (ends**2 - own)
        + 2.0 * (2.0 * p[2] * cross + p[3] * (ends * total - 2.0 * cross))
        + 2.0 * p[2] * squares
        + 4.0 * p[3] * (row_squares - squares)
        + p[4] * (total**2 - 2.0 * squares - 4.0 * (row_squares - squares))
    )
    expected = p[1] * ends + p[2] * total
    return np.maximum(square - expected**2, 0.0) / r**4


def orbit_sample_variance(values: ArrayLike, size: int, *, replacement: bool) -> Any:
    """Bound :func:`sample_variance` on a group from N values instead of N^2.

    There F(g_i, g_j) = f(g_i^{-1} g_j), `values` (..., N) with that of the identity first. Exact
    where f(g) = f(1/g), else an upper bound.
    """
    f = np.asarray(values, dtype=np.float64)
    N = f.shape[-1]
    coincidence_weight(size, N, replacement=replacement)
    r = require_real("size", size)
    if replacement:
        return 2.0 * r * (r - 1.0) * f.var(axis=-1) / r**4
    if N < 3:
        return np.zeros(f.shape[:-1])  # one value off the identity: all samples agree
    # Two different elements of the sample give f off the identity, of variance `spread`.
    spread = f[..., 1:].var(axis=-1)
    p2 = r * (r - 1.0) / (N * (N - 1.0))
    share = (N - r) * (N - r - 1.0) / ((N - 2.0) * (N - 3.0)) if N > 3 else float(r < 3)
    return 2.0 * p2 * share * N * (N - 1.0) * spread / r**4
