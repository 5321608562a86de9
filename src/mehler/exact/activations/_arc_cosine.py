"""Powers of the positive part: the arc-cosine kernels."""

from __future__ import annotations

import math
from typing import Any

from mehler import _arrays

LARGEST_ORDER = 4
# A_n = ((pi - theta) P_n(c) + s Q_n(c)) / (2 pi), c = cos theta, s = sin theta: coefficients of
# P_n and Q_n from the constant one up. From dA_n/dc = n^2 A_(n-1), which is Mehler's formula for
# the derivative of E f(g) f(g_c), and A_n = 0 at c = -1.
_POLYNOMIALS = {
    0: ((1,), (0,)),
    1: ((0, 1), (1,)),
    2: ((1, 0, 2), (0, 3)),
    3: ((0, 9, 0, 6), (4, 0, 11)),
    4: ((9, 0, 72, 0, 24), (0, 55, 0, 50)),
}


def arc_cosine(rho: _arrays.Array, order: int) -> _arrays.Array:
    r"""E g_+^n g'_+^n for standard normals of correlation rho; n = 0 counts g > 0.

    Accuracy 4e-15 times the value at rho = 1.
    """
    xp = _arrays.array_namespace(rho)
    angle = xp.acos(rho)
    # sin from the cosine: exact where the angle rounds.
    sine = xp.sqrt(xp.clip((1.0 - rho) * (1.0 + rho), 0.0, 1.0))
    p, q = _POLYNOMIALS[order]
    above = (math.pi - angle) * _horner(rho, p) + sine * _horner(rho, q)
    return xp.maximum(above / (2.0 * math.pi), xp.zeros_like(rho))


def _horner(x: _arrays.Array, coefficients: tuple[int, ...]) -> Any:
    total: Any = x * 0.0
    for value in reversed(coefficients):
        total = total * x + float(value)
    return total
