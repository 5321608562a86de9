"""Mean distances of orbits in closed form: shifts by FFT, permutations of tokens by counting."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from mehler._validate import require_integer, require_integers, require_reals

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
