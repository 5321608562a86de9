"""Powers of the positive part: the arc-cosine kernels."""

from __future__ import annotations

import functools
import math
from fractions import Fraction
from typing import Any

from mehler import _arrays

# Largest degree of one product: beyond it moments exceed 10^17, and a series serves as well.
LARGEST_ORDER = 16


def arc_cosine(
    rho: _arrays.Array, near: _arrays.Array, far: _arrays.Array, order: int
) -> _arrays.Array:
    r"""Compute E g_+^n g'_+^n for standard normals of correlation rho; n = 0 counts g > 0.

    .. math:: A_n = \frac{(\pi-\theta)P_n(\cos\theta) + \sin\theta\,Q_n(\cos\theta)}{2\pi}

    `near` and `far` are 1 - rho and 1 + rho. Accuracy 1e-14 times the value at rho = 1.
    """
    return _arrays.with_derivative(
        functools.partial(_value, order), functools.partial(_derivative, order), rho, near, far
    )


def _derivative(
    order: int, rho: _arrays.Array, near: _arrays.Array, far: _arrays.Array
) -> _arrays.Array:
    """Compute dA_n/dc = n^2 A_(n-1); that of A_0 is infinite at the ends, and given as 0 there."""
    if order > 0:
        return float(order**2) * arc_cosine(rho, near, far, order - 1)
    xp = _arrays.array_namespace(rho)
    square = near * far
    inside = square > 0.0
    root = xp.where(inside, square, xp.ones_like(square)) ** 0.5
    return xp.where(inside, 0.5 / (math.pi * root), xp.zeros_like(root))


def _value(
    order: int, rho: _arrays.Array, near: _arrays.Array, far: _arrays.Array
) -> _arrays.Array:
    xp = _arrays.array_namespace(rho)
    # pi - theta and sin theta from both gaps: exact where the angle itself rounds.
    near, far = near**0.5, far**0.5
    p, q = polynomials(order)
    above = 2.0 * xp.atan2(far, near) * _horner(rho, p)
    if order > 0:
        above = above + near * far * _horner(rho, q)
    return xp.maximum(above / (2.0 * math.pi), xp.zeros_like(rho))


@functools.cache
def polynomials(order: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the coefficients of P_n and Q_n, constant first.

    From :math:`dA_n/dc = n^2A_{n-1}`, which is Mehler's formula for the derivative of
    E f(g) f(g_c), and A_n = 0 at c = -1: so :math:`P_n' = n^2P_{n-1}` and
    :math:`P_n + (1 - c^2)Q_n' - cQ_n = n^2(1 - c^2)Q_{n-1}`, solved from the highest power down.
    """
    if order == 0:
        return (1,), (0,)
    n = order
    before, r = polynomials(n - 1)
    p = [Fraction(0)] + [Fraction(n * n * value, k) for k, value in enumerate(before, start=1)]
    r_at = dict(enumerate(r))
    q: dict[int, Fraction] = {}
    for k in range(n, 0, -2):
        right = n * n * (r_at.get(k, 0) - r_at.get(k - 2, 0)) - p[k]
        q[k - 1] = ((k + 1) * q.get(k + 1, Fraction(0)) - right) / k
    if n % 2 == 0:
        p[0] = n * n * r_at[0] - q[1]
    top = max(q) + 1
    return tuple(map(int, p)), tuple(int(q.get(k, 0)) for k in range(top))


def half_moment(order: int) -> float:
    """Compute E g_+^n for one standard normal."""
    return 2.0 ** (order / 2 - 1) * math.gamma((order + 1) / 2) / math.sqrt(math.pi)


def _horner(x: _arrays.Array, coefficients: tuple[int, ...]) -> Any:
    total: Any = x * 0.0
    for value in reversed(coefficients):
        total = total * x + float(value)
    return total
