r"""Losses of the risk theorems: a convex loss of the margin t = y f(x), clipped to [0, bound].

.. math:: V(t) = \min(s(t), B)

The theorems assume a bounded, Lipschitz V; the convex surrogate `s` can be minimised. A loss
provides the three numbers of a risk bound: `lipschitz`, `at_zero`, `bound`.

The estimator takes one convex loss a row, the surrogate or the envelope of the clipped loss, as

.. math:: e_i(t) = \max_{l_i \le \theta \le h_i} \psi_i(\theta) - \theta t

with psi_i concave: that of the hinge or of the logistic loss, or, where the loss is linear on the
whole range that row i can attain, a constant at the one point l_i = h_i. So every theta within
its ends is feasible for the dual, and the envelope of a clipped loss differs from the surrogate in
h_i alone.
"""

from __future__ import annotations

import math
import sys
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from numbers import Real
from types import ModuleType
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from mehler import _arrays
from mehler._arrays import Array, Place
from mehler._validate import require_reals, shown

__all__ = ["Hinge", "Logistic", "Loss", "Ramp"]


@dataclass(frozen=True)
class RowLosses(ABC):
    """Losses of n rows.

    `low`, `high`: ends of theta, equal for a linear loss of slope -high. `constant`: the loss at
    margin 0 of linear rows, else 0. `curved`: 1.0, or 0.0 for a linear row.
    """

    low: Array
    high: Array
    constant: Array
    curved: Array

    @classmethod
    def with_lines(cls, linear: NDArray[np.bool_], high: Array, at_zero: Array) -> Self:
        """Return losses, on the host, of which some rows are lines of slope -high."""
        return cls(
            low=np.where(linear, high, 0.0),
            high=high,
            constant=np.where(linear, at_zero, 0.0),
            curved=np.where(linear, 0.0, 1.0),
        )

    @property
    def all_linear(self) -> bool:
        """Whether the whole problem is linear, and its solution a sign."""
        return not bool((self.curved > 0).any())

    def on(self, place: Place) -> RowLosses:
        """Return the same losses as float64 arrays of a place."""
        moved = {
            name: _arrays.from_host(getattr(self, name), place)
            for name in ("low", "high", "constant", "curved")
        }
        return replace(self, **moved)

    def dual(self, xp: ModuleType, theta: Array) -> Array:
        """Compute psi_i."""
        return self.constant + self.curved * self._curve(xp, theta)

    def values(self, xp: ModuleType, margins: Array) -> Array:
        """Compute the losses at one margin per row."""
        theta = self.maximiser(xp, margins)
        return self.dual(xp, theta) - theta * margins

    def clip(self, xp: ModuleType, theta: Array) -> Array:
        """Return the nearest feasible theta."""
        return xp.minimum(xp.maximum(theta, self.low), self.high)

    @abstractmethod
    def _curve(self, xp: ModuleType, theta: Array) -> Array:
        """Compute psi of rows that are not linear."""

    @abstractmethod
    def maximiser(self, xp: ModuleType, margins: Array) -> Array:
        """Return the theta that attains the loss: minus its slope."""


@dataclass(frozen=True)
class HingeRows(RowLosses):
    """Curved rows are high * max(0, 1 - t): psi(theta) = theta."""

    def _curve(self, xp: ModuleType, theta: Array) -> Array:
        return theta

    def maximiser(self, xp: ModuleType, margins: Array) -> Array:
        """Return the whole slope below margin 1, 0 above."""
        return xp.where(margins < 1.0, self.high, self.low)

    def proximal(self, xp: ModuleType, at: Array, rho: Array) -> Array:
        """Return minus the slope at the proximal point, argmin_t e_i(t) + rho_i (t - at)^2 / 2.

        That point is at + result / rho: the slope that moves the margin to 1, within the ends.
        """
        return self.clip(xp, rho * (1.0 - at))


def hinge_envelope(
    limits: NDArray[np.float64], bound: float, tolerance: float, slope: float
) -> HingeRows:
    """Return convex envelopes of min(slope max(0, 1 - t), bound) on [-limit, limit], by row.

    With b the bound, s the slope and l the limit, four cases:

    - s (1 + l) <= b: nothing is clipped; linear if l <= 1, else the hinge itself;
    - s (1 - l) >= b: all is clipped, the constant b;
    - l >= 1: the line from (-l, b) to (1, 0), then 0, which is a hinge of slope b / (1 + l);
    - else the chord from (-l, b) to (l, s (1 - l)).
    """
    inside = limits <= 1.0 + tolerance
    at_limit = slope * (1.0 - limits)
    whole = slope * (1.0 + limits) <= bound * (1.0 + tolerance)
    flat = ~whole & (at_limit >= bound)
    chord = ~whole & ~flat & inside
    linear = (whole & inside) | flat | chord
    # Chords have limits above 0: at 0 one of the first two cases applies.
    chord_slope = (bound - at_limit) / np.where(chord, 2.0 * limits, 1.0)
    cases = [whole, flat, chord]
    zeros = np.zeros_like(limits)
    high = np.select(cases, [zeros + slope, zeros, chord_slope], bound / (1.0 + limits))
    at_zero = np.select(cases, [zeros + slope, zeros + bound, 0.5 * (bound + at_limit)])
    return HingeRows.with_lines(linear, high, at_zero)


def softplus(xp: ModuleType, x: Array) -> Array:
    """Compute log(1 + exp(x)) without overflow."""
    return xp.where(x > 0, x, xp.zeros_like(x)) + xp.log1p(xp.exp(-xp.abs(x)))


def sigmoid(xp: ModuleType, x: Array) -> Array:
    """Compute 1 / (1 + exp(-x)) without overflow."""
    small = xp.exp(-xp.abs(x))
    return xp.where(x >= 0, xp.ones_like(x), small) / (1.0 + small)


def entropy(xp: ModuleType, theta: Array) -> Array:
    """Compute the binary entropy in nats; 0 at both ends."""
    least = float(xp.finfo(theta.dtype).smallest_normal)

    def part(p: Array) -> Array:
        return -p * xp.log(xp.where(p > least, p, xp.full_like(p, least)))

    return part(theta) + part(1.0 - theta)


@dataclass(frozen=True)
class LogisticRows(RowLosses):
    """Curved rows are log(1 + exp(-t)), and its tangent where the slope would pass -high."""

    def _curve(self, xp: ModuleType, theta: Array) -> Array:
        return entropy(xp, theta)

    def maximiser(self, xp: ModuleType, margins: Array) -> Array:
        """Return minus the slope of the loss, within the ends."""
        return self.clip(xp, sigmoid(xp, -margins))


def logistic_envelope(limits: NDArray[np.float64], bound: float, tolerance: float) -> LogisticRows:
    """Return convex envelopes of min(log(1 + exp(-t)), bound) on [-limit, limit], by row.

    With b the bound and l the limit:

    - log(1 + e^l) <= b: nothing is clipped, the loss itself;
    - log(1 + e^-l) >= b: all is clipped, the constant b;
    - else the tangent through (-l, b) up to where it touches, then the loss; or the chord to the
      right end where it would touch beyond that.

    The line of slope -h touches where the loss has that slope, and is H(h) + h l at -l, H the
    binary entropy: increasing in h up to sigmoid(l). Bisection keeps the side below b, where the
    line is nowhere above the clipped loss.
    """
    at_limit = softplus(np, -limits)
    whole = softplus(np, limits) <= bound * (1.0 + tolerance)
    flat = ~whole & (at_limit >= bound)
    ends = sigmoid(np, -limits)
    chord = ~whole & ~flat & (entropy(np, ends) + ends * limits >= bound)
    linear = flat | chord
    zeros = np.zeros_like(limits)
    chord_slope = (bound - at_limit) / np.where(chord, 2.0 * limits, 1.0)
    tangent = _tangent_slope(np.where(whole | linear, 0.0, limits), bound)
    high = np.select([whole, flat, chord], [sigmoid(np, limits), zeros, chord_slope], tangent)
    at_zero = np.select([flat, chord], [zeros + bound, 0.5 * (bound + at_limit)])
    return LogisticRows.with_lines(linear, high, at_zero)


def _tangent_slope(limits: NDArray[np.float64], bound: float) -> Any:
    low, high = np.zeros_like(limits), sigmoid(np, limits)
    for _ in range(60):  # bisect an interval of length at most 1 down to rounding
        middle = 0.5 * (low + high)
        below = entropy(np, middle) + middle * limits <= bound
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return low


@dataclass(frozen=True)
class Loss(ABC):
    """A convex surrogate of the margin, clipped at `bound`; see the subclasses.

    Parameters
    ----------
    bound : float, optional
        Value at which the loss is clipped; infinity does not clip.
    """

    bound: float = 1.0
    name: ClassVar[str]
    # Lipschitz constant of the surrogate.
    surrogate_lipschitz: ClassVar[float]

    def __post_init__(self) -> None:
        real = isinstance(self.bound, Real) and not isinstance(self.bound, bool)
        # NumPy's floats are narrow; an integer or a fraction of 400 digits is no float.
        number: Any = float(self.bound) if isinstance(self.bound, np.floating) else self.bound
        if not real or not (0 < number <= sys.float_info.max or number == math.inf):
            raise ValueError(
                f"bound={shown(self.bound)} is not a number above 0; use math.inf to leave the "
                "loss unclipped"
            )
        object.__setattr__(self, "bound", float(self.bound))

    @property
    def lipschitz(self) -> float:
        """Lipschitz constant L of the clipped loss: by default that of the surrogate."""
        return self.surrogate_lipschitz

    @property
    def at_zero(self) -> float:
        """Loss of the function 0, V(0)."""
        return float(self(np.zeros(1))[0])

    @abstractmethod
    def surrogate(self, margins: Array) -> Any:
        """Evaluate the convex surrogate s at an array of margins."""

    @abstractmethod
    def envelope(self, limits: Array, bound: float, tolerance: float) -> RowLosses:
        """Return, for rows of margins within +-limits, the convex envelope of min(s, bound).

        An infinite bound gives the surrogate itself. A limit within the relative `tolerance` of a
        case boundary counts as on it, since limits are sums with rounding.
        """

    def __call__(self, margins: NDArray[np.float64]) -> Any:
        """Evaluate the clipped loss V at an array of margins."""
        if _arrays.is_array(margins):
            _arrays.array_namespace(margins, names=("margins",))
            _arrays.real_dtype(margins, name="margins")
        else:
            margins = require_reals("margins", margins, finite=False)
        values = self.surrogate(margins)
        if self.bound == math.inf:
            return values
        xp = _arrays.array_namespace(values)
        return xp.where(values < self.bound, values, xp.full_like(values, self.bound))

    def __str__(self) -> str:
        """Print the name and the range."""
        return self.name if self.bound == math.inf else f"{self.name} in [0, {self.bound:g}]"


class Hinge(Loss):
    r"""The hinge loss, clipped at B = `bound`.

    .. math:: V(t) = \min(\max(0, 1 - t), B), \quad L = 1, \quad V(0) = \min(1, B)

    Examples
    --------
    >>> import numpy as np
    >>> from mehler.learn import losses
    >>> losses.Hinge()(np.asarray([-3.0, 0.25, 2.0]))
    array([1.  , 0.75, 0.  ])
    """

    name = "hinge"
    surrogate_lipschitz = 1.0

    def surrogate(self, margins: Array) -> Any:
        """Evaluate the hinge, times its Lipschitz constant, at an array of margins."""
        xp = _arrays.array_namespace(margins, names=("margins",))
        rest = 1.0 - margins
        return self.surrogate_lipschitz * xp.where(rest > 0, rest, xp.zeros_like(rest))

    def envelope(self, limits: Array, bound: float, tolerance: float) -> RowLosses:
        return hinge_envelope(limits, bound, tolerance, self.surrogate_lipschitz)


class Ramp(Hinge):
    r"""The ramp loss, half the hinge clipped to [0, 1]: linear for margins in [-1, 1].

    .. math:: V(t) = \min(\max(0, \tfrac{1 - t}2), 1), \quad L = \tfrac12, \quad V(0) = \tfrac12

    If all functions of the box stay in [-1, 1] on the sample, the empirical minimiser has a
    closed form, the sign of the mean of y_i z_i.

    Examples
    --------
    >>> import numpy as np
    >>> from mehler.learn import losses
    >>> losses.Ramp()(np.asarray([-3.0, 0.5, 2.0]))
    array([1.  , 0.25, 0.  ])
    """

    name = "ramp"
    surrogate_lipschitz = 0.5


class Logistic(Loss):
    r"""The logistic loss in nats, clipped at B = `bound`.

    .. math:: V(t) = \min(\log(1 + e^{-t}), B), \quad L = 1 - e^{-B}, \quad V(0) = \min(\log 2, B)

    The slope is largest where the loss reaches B, at :math:`e^{-t} = e^B - 1`.

    Examples
    --------
    >>> import numpy as np
    >>> from mehler.learn import losses
    >>> loss = losses.Logistic()
    >>> loss(np.asarray([-3.0, 0.0])).round(4), round(loss.lipschitz, 4)
    (array([1.    , 0.6931]), 0.6321)
    """

    name = "logistic"
    surrogate_lipschitz = 1.0

    @property
    def lipschitz(self) -> float:
        """1 - exp(-bound)."""
        return -math.expm1(-self.bound)

    def surrogate(self, margins: Array) -> Any:
        """Evaluate log(1 + exp(-t)) at an array of margins, without overflow."""
        xp = _arrays.array_namespace(margins, names=("margins",))
        return softplus(xp, -margins)

    def envelope(self, limits: Array, bound: float, tolerance: float) -> RowLosses:
        return logistic_envelope(limits, bound, tolerance)
