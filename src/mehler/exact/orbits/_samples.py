"""Means over group elements: of distances in closed form, and over random samples."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from mehler._validate import require_flag, require_integer, require_integers, require_reals


def coincidence_weight(size: int, order: int, *, replacement: bool) -> float:
    r"""Compute the weight w of equal elements in a mean over all pairs of a sample.

    .. math:: E \frac1{r^2}\sum_{i,j \le r} f(g_i, g_j) = (1-w)\,\overline f + w\,\overline{f_=},
              \qquad w = \frac1r \;\text{or}\; \frac{N-r}{r(N-1)}

    with the mean of f over all pairs of elements, and over equal pairs.

    Parameters
    ----------
    size, order : int
        r elements drawn out of N.
    replacement : bool
        Independent draws (1/r), or distinct ones.

    Returns
    -------
    float

    Raises
    ------
    TypeError, ValueError
        If r or N is not an integer of at least 1, or r > N without replacement.

    See Also
    --------
    sample_variance : Variance of that mean.

    Examples
    --------
    >>> coincidence_weight(2, 5, replacement=True), coincidence_weight(5, 5, replacement=False)
    (0.5, 0.0)
    """
    r = require_integer("size", size)
    n = require_integer("order", order)
    require_flag("replacement", replacement)
    if replacement:
        return 1.0 / r
    if r > n:
        raise ValueError(f"size={r} distinct elements out of order={n} do not exist")
    return 0.0 if r == n else (n - r) / (r * (n - 1))


def sample_variance(matrix: Any, size: int, *, replacement: bool) -> Any:
    r"""Compute the variance of a mean over all pairs of a random sample of elements, exactly.

    .. math:: \operatorname{Var} \frac1{r^2}\sum_{i,j\le r} F_{g_i g_j}

    Parameters
    ----------
    matrix : array, shape (..., N, N)
        F at all pairs of elements.
    size : int
        r.
    replacement : bool
        Independent uniform draws, or distinct ones.

    Returns
    -------
    array, shape (...)

    See Also
    --------
    orbit_sample_variance : An upper bound from N values.
    coincidence_weight : The mean.

    Notes
    -----
    By sums over equal and different indices; cancellation leaves about 1e-14 of the squared mean.

    Examples
    --------
    >>> import numpy as np
    >>> float(sample_variance(np.diag([1.0, 3.0]), 1, replacement=False))  # 1 or 3
    1.0
    """
    F = require_reals("matrix", matrix)
    if F.ndim < 2 or F.shape[-1] != F.shape[-2]:
        raise ValueError(f"matrix has shape {F.shape}, but must be square")
    N = F.shape[-1]
    coincidence_weight(size, N, replacement=replacement)
    mean = F.mean(axis=(-2, -1), keepdims=True)
    F = 0.5 * (F + np.swapaxes(F, -1, -2)) - mean  # centred: less cancellation
    diagonal = np.diagonal(F, axis1=-2, axis2=-1)
    r = float(size)
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


def orbit_sample_variance(values: Any, size: int, *, replacement: bool) -> Any:
    """Bound :func:`sample_variance` on a group from N values instead of N^2.

    There F depends on g_i^{-1} g_j only: F(g_i, g_j) = f(g_i^{-1} g_j), f(identity) first.

    Parameters
    ----------
    values : array, shape (..., N)
        f at the elements.
    size, replacement
        As for :func:`sample_variance`.

    Returns
    -------
    array, shape (...)
        Exact where f(g) = f(1/g), else an upper bound.

    See Also
    --------
    sample_variance : The exact variance.

    Examples
    --------
    >>> import numpy as np
    >>> float(orbit_sample_variance(np.array([1.0, 2.0, 4.0]), 3, replacement=False))
    0.0
    """
    f = require_reals("values", values)
    if f.ndim == 0 or f.shape[-1] == 0:
        raise ValueError(f"values have shape {f.shape}, but the last axis is over elements")
    N = f.shape[-1]
    coincidence_weight(size, N, replacement=replacement)
    r = float(size)
    if replacement:
        return 2.0 * r * (r - 1.0) * f.var(axis=-1) / r**4
    if N < 3:
        return np.zeros(f.shape[:-1])  # one value off the identity: all samples agree
    # Two different elements of the sample give f off the identity, of variance `spread`.
    spread = f[..., 1:].var(axis=-1)
    p2 = r * (r - 1.0) / (N * (N - 1.0))
    share = (N - r) * (N - r - 1.0) / ((N - 2.0) * (N - 3.0)) if N > 3 else float(r < 3)
    return 2.0 * p2 * share * N * (N - 1.0) * spread / r**4


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
    a, b = require_reals("A", A), require_reals("B", B)
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


# Tokens of a sequence: the counts are exact integers of as many digits as its factorial.
_LONGEST = 2000


def cyclic_distance(X: Any, Z: Any) -> Any:
    r"""Compute the mean distance of two rows over all cyclic shifts of one of them.

    .. math:: D(x, z) = \frac1d\sum_{k<d}\|x - S^k z\|, \qquad
              \|x - S^k z\|^2 = \|x\|^2 + \|z\|^2 - 2\,\mathrm{corr}_k(x, z)

    Parameters
    ----------
    X, Z : array, shape (n, d), (k, d)
        Rows; NumPy.

    Returns
    -------
    array, shape (n, k)

    Raises
    ------
    ValueError
        If they are not two matrices of one width.

    See Also
    --------
    token_distance : The same for permutations of tokens.
    mehler.GroupInvariantFeatures : Features whose kernel is a function of this distance.

    Notes
    -----
    One FFT a row. Rounding leaves 1e-16 in a squared distance, 1e-8 in one that is 0.

    References
    ----------
    E9 in :doc:`/theorems/group-invariant-expectation`.

    Examples
    --------
    >>> import numpy as np
    >>> round(float(cyclic_distance(np.eye(3)[:1], np.eye(3)[:1])[0, 0]), 12)  # 2 sqrt(2) / 3
    0.942809041582
    """
    x, z = require_reals("X", X), require_reals("Z", Z)
    if x.ndim != 2 or z.ndim != 2 or x.shape[1] != z.shape[1]:
        raise ValueError(
            f"X and Z have shapes {x.shape} and {z.shape}: give two matrices of one width"
        )
    d = x.shape[1]
    left, right = np.fft.rfft(x, axis=1), np.fft.rfft(z, axis=1)
    correlation = np.fft.irfft(left[:, None, :] * np.conj(right)[None, :, :], n=d, axis=2)
    squares = (x * x).sum(axis=1)[:, None, None] + (z * z).sum(axis=1)[None, :, None]
    return np.sqrt(np.maximum(squares - 2.0 * correlation, 0.0)).mean(axis=2)


def hit_numbers(counts: Any, others: Any) -> list[int]:
    r"""Count the permutations of L places that match k tokens of two sequences, k = 0 ... L.

    .. math:: N_k = \sum_{j\ge k}(-1)^{j-k}\binom jk r_j\,(L-j)!, \qquad
              \sum_j r_j t^j = \prod_a \sum_j \binom{c_a}j\binom{c'_a}j j!\,t^j

    Parameters
    ----------
    counts, others : sequence of int, length A
        How often each token occurs in the one and in the other sequence, both of length L.

    Returns
    -------
    list of int, length L + 1
        Exact; they sum to L!.

    Raises
    ------
    ValueError
        If the counts are not of two sequences of one length.

    See Also
    --------
    token_distance : The mean distance that follows.

    References
    ----------
    Rook numbers: Kaplansky and Riordan (1946). E9 in :doc:`/theorems/group-invariant-expectation`.

    Examples
    --------
    >>> hit_numbers([1, 1, 1], [1, 1, 1])  # fixed points of the 6 permutations of 3
    [2, 3, 0, 1]
    """
    ours, theirs = require_integers("counts", counts), require_integers("others", others)
    if not ours or len(ours) != len(theirs) or sum(ours) != sum(theirs):
        raise ValueError(
            f"counts={ours} and others={theirs} must count the tokens of one alphabet in two "
            "sequences of one length"
        )
    length = require_integer("sum of counts", sum(ours), least=0, most=_LONGEST)
    rook = [1]
    for c, e in zip(ours, theirs):
        factor = [
            math.comb(c, j) * math.comb(e, j) * math.factorial(j) for j in range(min(c, e) + 1)
        ]
        product = [0] * (len(rook) + len(factor) - 1)
        for i, a in enumerate(rook):
            for j, b in enumerate(factor):
                product[i + j] += a * b
        rook = product
    placed = [r * math.factorial(length - j) for j, r in enumerate(rook)]
    return [
        sum((-1) ** (j - k) * math.comb(j, k) * placed[j] for j in range(k, len(placed)))
        for k in range(length + 1)
    ]


def token_distance(counts: Any, others: Any) -> float:
    r"""Compute the mean distance of two one-hot sequences over all permutations of their places.

    .. math:: D = \frac1{L!}\sum_k N_k\sqrt{2(L-k)}

    Parameters
    ----------
    counts, others : sequence of int
        As for :func:`hit_numbers`; whichever sequences have these counts.

    Returns
    -------
    float
        To rounding, without going through the L! permutations.

    See Also
    --------
    hit_numbers : The numbers N_k.
    cyclic_distance : The same for cyclic shifts.

    Examples
    --------
    >>> token_distance([2, 0], [1, 1])  # one match, always
    1.4142135623730951
    """
    hits = hit_numbers(counts, others)
    length = len(hits) - 1
    shares = [float(Fraction(n, math.factorial(length))) for n in hits]
    return math.fsum(s * math.sqrt(2.0 * (length - k)) for k, s in enumerate(shares))
