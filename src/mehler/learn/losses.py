"""Losses V = min(s, B) of Rahimi and Recht's risk theorem, s convex in the margin t = y f(x).

A loss has the numbers of its bound: `lipschitz`, the constant L, `at_zero`, V(0), and `bound`, B.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from mehler import _arrays
from mehler._arrays import Array
from mehler._validate import require_real, shown

__all__ = ["Hinge", "Ramp"]


@dataclass(frozen=True)
class Hinge:
    r"""The hinge loss, clipped at B = `bound`.

    .. math:: V(t) = \min(\max(0, 1 - t), B), \quad L = 1, \quad V(0) = \min(1, B)

    Parameters
    ----------
    bound : float, optional
        Value at which the loss is clipped; infinity does not clip.

    Examples
    --------
    >>> import numpy as np
    >>> from mehler.learn import losses
    >>> losses.Hinge()(np.asarray([-3.0, 0.25, 2.0]))
    array([1.  , 0.75, 0.  ])
    """

    bound: float = 1.0
    name: ClassVar[str] = "hinge"
    # Lipschitz constant of the surrogate, and of V.
    lipschitz: ClassVar[float] = 1.0

    def __post_init__(self) -> None:
        bound = require_real("bound", self.bound)
        if not bound > 0:
            raise ValueError(
                f"bound={shown(self.bound)} is not a number above 0; use math.inf to leave the "
                "loss unclipped"
            )
        object.__setattr__(self, "bound", bound)

    @property
    def at_zero(self) -> float:
        """Loss of the function 0, V(0)."""
        return min(self.lipschitz, self.bound)

    def surrogate(self, margins: Array) -> Any:
        """Evaluate the hinge, times its Lipschitz constant, at an array of margins."""
        xp = _arrays.array_namespace(margins, names=("margins",))
        _arrays.real_dtype(margins, name="margins")
        rest = 1.0 - margins
        return self.lipschitz * xp.where(rest > 0, rest, xp.zeros_like(rest))

    def __call__(self, margins: Array) -> Any:
        """Evaluate the clipped loss V at an array of margins."""
        xp, values = _arrays.array_namespace(margins, names=("margins",)), self.surrogate(margins)
        return xp.where(values < self.bound, values, xp.full_like(values, self.bound))

    def __str__(self) -> str:
        return self.name if self.bound == math.inf else f"{self.name} in [0, {self.bound:g}]"


class Ramp(Hinge):
    r"""The ramp loss, half the hinge clipped to [0, 1]: linear for margins in [-1, 1].

    .. math:: V(t) = \min(\max(0, \tfrac{1 - t}2), 1), \quad L = \tfrac12, \quad V(0) = \tfrac12

    Examples
    --------
    >>> import numpy as np
    >>> from mehler.learn import losses
    >>> losses.Ramp()(np.asarray([-3.0, 0.5, 2.0]))
    array([1.  , 0.25, 0.  ])
    """

    name = "ramp"
    lipschitz = 0.5
