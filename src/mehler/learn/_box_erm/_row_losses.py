r"""One convex loss a row, in the form that primal and dual share.

.. math:: e_i(t) = \max_{l_i \le \theta \le h_i} \psi_i(\theta) - \theta t

with psi_i concave: that of the hinge or of the logistic loss, or, where the loss is linear on the
whole range that row i can attain, a constant at the one point l_i = h_i. So every theta within
its ends is feasible for the dual, and the envelope of a clipped loss differs from the surrogate in
h_i alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from mehler._arrays import Array, Place, from_host


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
    def with_lines(cls, linear: Any, high: Any, at_zero: Any) -> Self:
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
            name: from_host(getattr(self, name), place)
            for name in ("low", "high", "constant", "curved")
        }
        return replace(self, **moved)

    def dual(self, xp: Any, theta: Array) -> Array:
        """Compute psi_i."""
        return self.constant + self.curved * self._curve(xp, theta)

    def values(self, xp: Any, margins: Array) -> Array:
        """Compute the losses at one margin per row."""
        theta = self.maximiser(xp, margins)
        return self.dual(xp, theta) - theta * margins

    def clip(self, xp: Any, theta: Array) -> Array:
        """Return the nearest feasible theta."""
        return xp.minimum(xp.maximum(theta, self.low), self.high)

    @abstractmethod
    def _curve(self, xp: Any, theta: Array) -> Array:
        """Compute psi of rows that are not linear."""

    @abstractmethod
    def maximiser(self, xp: Any, margins: Array) -> Array:
        """Return the theta that attains the loss: minus its slope."""

    @abstractmethod
    def proximal(self, xp: Any, at: Array, rho: Array, theta: Array) -> Array:
        """Return minus the slope at the proximal point, argmin_t e_i(t) + rho_i (t - at)^2 / 2.

        That point is at + result / rho. `theta` is a starting guess.
        """
