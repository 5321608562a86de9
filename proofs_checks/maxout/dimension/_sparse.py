"""Doubling dimension of sparse unit vectors: between two bounds of the order s log d.

Below: the words of a Reed and Solomon code, s symbols of a field of b elements and t = ceil(s/2)
coefficients, as unit vectors with one entry 1/sqrt(s) in each of s groups of b columns. Two agree
in fewer than s/2 places, so that no ball of radius 1/2 holds two of them.
Above: a ball's share of the union of C(d, s) subspaces is covered by 5^s balls in each.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np

from mehler.statements import Context, Evidence, check

# s, and a prime b that is at least s: d = s b columns.
_CODES = ((2, 11), (3, 31), (4, 31), (5, 7), (6, 7))
# Where only the count of words is needed: b is a prime still.
_LARGE = ((2, 1009), (8, 1009), (50, 10007), (200, 1000003))


def words(s: int, b: int) -> np.ndarray:
    """Return unit vectors of the code, shape (b^t, s b)."""
    coefficients = np.asarray(list(itertools.product(range(b), repeat=math.ceil(s / 2))))
    powers = np.asarray([[x**k % b for x in range(s)] for k in range(coefficients.shape[1])])
    symbols = coefficients @ powers % b
    rows = np.zeros((len(symbols), s * b))
    rows[np.arange(len(symbols))[:, None], symbols + b * np.arange(s)] = 1 / math.sqrt(s)
    return rows


@check("maxout.definition-2", form="proved", name="a packing of sparse vectors")
def separated(context: Context, *, code: Callable[[int, int], np.ndarray] = words) -> Evidence:
    """Check that the least distance between words exceeds the radius of their ball."""
    nearest = math.inf
    for s, b in _CODES:
        rows = code(s, b)
        gram = rows @ rows.T
        np.fill_diagonal(gram, -1.0)
        nearest = min(nearest, math.sqrt(2 - 2 * float(gram.max())))
    return Evidence.bound_comparison(
        form="proved",
        claim=(
            r"$b^{\lceil s/2\rceil}$ unit vectors with $s$ entries in $sb$ columns are farther "
            "than 1 apart: smallest distance"
        ),
        observed=nearest,
        interval=(nearest - 1e-9, nearest + 1e-9),
        lower=1.0 + 1e-6,
        method="all pairs of words, computed",
    )


def order(s: int, d: int) -> float:
    """Return the printed order of the dimension."""
    return s * math.log2(d)


@check("maxout.definition-2", form="proved", name="sparse vectors")
def sparse(context: Context, *, rate: Callable[[int, int], float] = order) -> Evidence:
    """Hold both bounds of the dimension against s log d, for d of at least s^2."""
    places = []
    for s, b in (*_CODES, *_LARGE):
        d = s * b
        low = math.ceil(s / 2) * math.log2(b)
        choices = (math.lgamma(d + 1) - math.lgamma(s + 1) - math.lgamma(d - s + 1)) / math.log(2)
        places += [(low / rate(s, d), s, d), ((choices + s * math.log2(5)) / rate(s, d), s, d)]
    place, s, d = max(places, key=lambda one: abs(math.log(one[0] / math.sqrt(0.5))))
    return Evidence.bound_comparison(
        form="proved",
        claim=(
            r"the dimension of $s$-sparse unit vectors over $s\log_2d$ lies between 1/4 and 2: "
            f"bounds (farthest: $s = {s}$, $d = {d}$)"
        ),
        observed=place,
        interval=(place - 1e-9, place + 1e-9),
        lower=0.25,
        upper=2.0,
        method="a packing and a covering, counted",
    )
