"""Arguments of an activation: pairs of correlated Gaussians, and the law of one projection."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler import _arrays


@dataclass(frozen=True, eq=False)
class Pairs:
    r"""Pairs :math:`u \sim N(0, s_x^2)`, :math:`v \sim N(0, s_y^2)` of correlation :math:`\rho`.

    Closed forms take from here what has its digits left: near :math:`\rho = \pm1` kernels depend
    on the angle, and so on :math:`1 \mp \rho`, which a rounded correlation does not have.

    Attributes
    ----------
    rho : array
        Correlations in [-1, 1].
    near, far : array
        :math:`1 - \rho` and :math:`1 + \rho`.
    x_scale, y_scale : array
        Standard deviations, 0 or more; shapes broadcast with that of `rho`.
    covariance : array, optional
        :math:`\rho s_x s_y`, of which derivatives at rows of zeros are taken, where correlations
        have none. Default the product of the three.
    squares : tuple of array, optional
        Variances of u - v and u + v, where correlations lack the digits for them.
    """

    rho: _arrays.Array
    near: _arrays.Array
    far: _arrays.Array
    x_scale: _arrays.Array
    y_scale: _arrays.Array
    covariance: _arrays.Array | None = None
    squares: tuple[_arrays.Array, _arrays.Array] | None = None

    @property
    def differentiable(self) -> bool:
        """Whether a derivative may be asked for."""
        return _arrays.differentiable(self.rho, self.x_scale, self.y_scale)

    @property
    def product(self) -> _arrays.Array:
        """The covariance with its derivatives; it may overflow."""
        if self.covariance is not None:
            return self.covariance
        return self.rho * self.x_scale * self.y_scale

    @property
    def xp(self) -> Any:
        """Common namespace."""
        return _arrays.array_namespace(self.rho)

    @property
    def eps(self) -> float:
        """Machine epsilon of the dtype of the correlations, in which closed forms are computed."""
        return float(self.xp.finfo(self.rho.dtype).eps)

    def square(self, f: int, g: int) -> _arrays.Array:
        """Compute the variance of f u + g v as a sum of non-negative terms."""
        if self.squares is not None and abs(f) == abs(g):
            return self.squares[0 if f * g < 0 else 1] * float(f * f)
        a, b = abs(f) * self.x_scale, abs(g) * self.y_scale
        between = self.near if f * g < 0 else self.far
        # Roots first: the product of huge scales times a gap of 0 would be NaN.
        root = (2.0 * between) ** 0.5 * a**0.5 * b**0.5
        # Clip where exp(-square) is 0 anyway, so that the square stays finite.
        most = float(self.xp.finfo(self.rho.dtype).max) ** 0.25
        parts = (self.xp.clip(part, -most, most) for part in (a - b, root))
        value = sum(part**2 for part in parts)
        if not self.differentiable:
            return value
        plain = (f * self.x_scale) ** 2 + (g * self.y_scale) ** 2 + 2 * f * g * self.product
        return _arrays.graft(value, plain)


def pairs_of(rho: _arrays.Array, x_scale: _arrays.Array, y_scale: _arrays.Array) -> Pairs:
    """Build pairs from correlations that are exact, such as a caller's own numbers."""
    return Pairs(rho, 1.0 - rho, 1.0 + rho, x_scale, y_scale)


# projected(t, scale): P(T <= t) for a projection T of symmetric law with that scale, on the host.
Projected = Callable[[Any, Any], Any]


def gaussian(t: NDArray[np.float64], scale: NDArray[np.float64]) -> Any:
    """Compute P(scale g <= t)."""
    from scipy.special import ndtr

    return np.where(scale > 0.0, ndtr(t / np.where(scale > 0.0, scale, 1.0)), t >= 0.0)


def on_sphere(d: int) -> Projected:
    """Return t -> P(scale sqrt(d) u_1 <= t), u uniform on the unit sphere.

    The square of u_1 is Beta(1/2, (d-1)/2).
    """

    def distribution(t: Any, scale: Any) -> Any:
        from scipy.special import betainc

        at = t / (np.where(scale > 0.0, scale, 1.0) * math.sqrt(d))
        if d == 1:
            tail = np.where(np.abs(at) >= 1.0, 1.0, 0.0)
        else:
            tail = betainc(0.5, (d - 1) / 2, np.minimum(at * at, 1.0))
        return np.where(scale > 0.0, 0.5 + 0.5 * np.sign(at) * tail, t >= 0.0)

    return distribution
