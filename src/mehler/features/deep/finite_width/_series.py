r"""One layer of any activation, by Hermite coefficients of a, a^2 and a^3.

.. math:: E\,a^{(i)}(u)\,a^{(j)}(v) = s_x^{-i}s_z^{-j}\sum_k \rho^k
          \sqrt{\tfrac{(k+i)!\,(k+j)!}{k!^2}}\; c_{k+i}(s_x)\,c_{k+j}(s_z)

with :math:`c_k(s) = E\,a(sg)h_k(g)`: derivatives of expectations in the covariance are expectations
of derivatives (Price), so that no derivative of the activation is needed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler.exact.activations import Activation, coefficients
from mehler.features.deep.finite_width._expansion import C, Local, P, R, State, symmetric

# What the last terms may be of the largest, before the sum is called unfinished.
_LEFT = 1e-9
_LAST = 16
_EQUAL = 1e-12


def of_series(
    activation: Activation, weight: float, bias: float, state: State, *, first: int = 0
) -> Local:
    """Return F and its like at the limit; ValueError where the series has not converged.

    `first` is the row of X where the pairs of `state` begin, for that error.
    """
    sums = _Sums(activation, state)
    p, r, w = state.p, state.r, weight
    squares = sums.squares
    product = sums.of(1, 0, 1, 0)
    jacobian = np.zeros((*product.shape, 3, 3))
    jacobian[..., P, P], jacobian[..., R, R] = (w * squares[one][1] for one in (P, R))
    gradient = {
        P: 0.5 * sums.of(1, 2, 1, 0),
        C: sums.of(1, 1, 1, 1),
        R: 0.5 * sums.of(1, 0, 1, 2),
    }
    for i, value in gradient.items():
        jacobian[..., C, i] = w * value
    both = sums.of(1, 2, 1, 2)
    second = {
        (P, P): 0.25 * sums.of(1, 4, 1, 0),
        (R, R): 0.25 * sums.of(1, 0, 1, 4),
        (P, R): 0.25 * both,
        (C, C): both,
        (P, C): 0.5 * sums.of(1, 3, 1, 1),
        (C, R): 0.5 * sums.of(1, 1, 1, 3),
    }
    mean = {P: squares[P][0], R: squares[R][0]}
    together = sums.of(2, 0, 2, 0)
    units = {
        (P, P): squares[P][3] - mean[P] ** 2,
        (R, R): squares[R][3] - mean[R] ** 2,
        (P, R): together - mean[P] * mean[R],
        (C, C): together - product**2,
        (P, C): sums.of(3, 0, 1, 0) - mean[P] * product,
        (C, R): sums.of(1, 0, 3, 0) - mean[R] * product,
    }
    after = State(w * mean[P] + bias, w * product + bias, w * mean[R] + bias)
    hessians = {
        one: w * symmetric(product, 3, {(one, one): squares[one][2] + 0.0 * product})
        for one in (P, R)
    }
    hessians[C] = w * symmetric(product, 3, second)
    equal = (np.abs(state.c - p) <= _EQUAL * p) & (np.abs(r - p) <= _EQUAL * p)
    sums.require_converged(~equal, first)
    return _with_squares(
        Local(after, jacobian, hessians, w**2 * symmetric(product, 3, units)), equal
    )


def _with_squares(found: Local, equal: Any) -> Local:
    """Give the product of equal rows what their square has, which is one integral."""
    found.jacobian[equal, C, :] = found.jacobian[equal, P, :]
    found.hessians[C][equal, ...] = found.hessians[P][equal, ...]
    found.units[equal, ...] = found.units[equal, P, P][:, None, None]
    after = found.after
    product = np.where(equal, after.p, after.c)
    return Local(State(after.p, product, after.r), found.jacobian, found.hessians, found.units)


class _Sums:
    """Expectations of derivatives of powers of the activation, at the pairs of a state."""

    def __init__(self, activation: Activation, state: State) -> None:
        x, z = np.sqrt(state.p), np.sqrt(state.r)
        self._name = activation.title
        self._scales, where = np.unique(np.concatenate([x.ravel(), z.ravel()]), return_inverse=True)
        self._sides = where[: x.size].reshape(x.shape), where[x.size :].reshape(z.shape)
        self._rho = np.clip(state.c / (x * z), -1.0, 1.0)
        self._left = np.zeros(x.shape)

        def power_of(power: int) -> Any:
            return coefficients(lambda t: activation.on_host(t) ** power, self._scales)

        found = {power: power_of(power) for power in (1, 2, 3)}
        self._c = {power: one.c * one.size[:, None] for power, one in found.items()}
        squares = {power: one.second * one.size**2 for power, one in found.items()}
        self._root = {power: one**0.5 for power, one in squares.items()}
        slopes = 0.5 * self._derived(2, 2)[:, 0]
        bends = 0.25 * self._derived(2, 4)[:, 0]
        # Of each side: the mean square, two derivatives of it in the variance, and E a^4.
        self.squares = {
            one: tuple(values[which] for values in (squares[1], slopes, bends, squares[2]))
            for one, which in zip((P, R), self._sides, strict=True)
        }

    def _derived(self, power: int, order: int) -> Any:
        """Return coefficients of a derivative of a power."""
        c = self._c[power]
        k = np.arange(c.shape[1] - order, dtype=np.float64)
        factor = np.prod([k + i for i in range(1, order + 1)], axis=0) ** 0.5
        return c[:, order:] * factor / self._scales[:, None] ** order

    def of(self, power: int, order: int, other_power: int, other_order: int) -> Any:
        """Compute the mean product of two derivatives of powers."""
        left, right = self._derived(power, order), self._derived(other_power, other_order)
        x, z = self._sides
        terms = min(left.shape[1], right.shape[1])
        total, last = np.zeros(self._rho.shape), np.zeros(self._rho.shape)
        # What the product is like, in case that all terms are rounding.
        largest = (self._root[power] / self._scales**order)[x]
        largest = largest * (self._root[other_power] / self._scales**other_order)[z]
        factor = np.ones(self._rho.shape)
        for k in range(terms):
            term = factor * left[x, k] * right[z, k]
            total += term
            size = np.abs(term)
            np.maximum(largest, size, out=largest)
            if k >= terms - _LAST:
                np.maximum(last, size, out=last)
            factor *= self._rho
        self._left = np.maximum(self._left, last / np.where(largest > 0.0, largest, 1.0))
        return total

    def require_converged(self, which: Any, first: int) -> None:
        """Raise if the sums of these pairs, of rows from `first` on, are unfinished."""
        bad = which & (self._left > _LEFT)
        if np.any(bad):
            i, j = (int(one[0]) for one in np.nonzero(bad))
            raise ValueError(
                f"rows {first + i} of X and {j} of Y, of correlation {self._rho[i, j]:.6g} in "
                f"some layer, are too nearly parallel for the series of {self._name}: leave one of "
                "them out"
            )
