r"""Losses of the risk theorems: a convex loss of the margin t = y f(x), clipped to [0, bound].

.. math:: V(t) = \min(s(t), B)

The theorems assume a bounded, Lipschitz V; the convex surrogate `s` can be minimised. A loss
provides the three numbers of a risk bound: `lipschitz`, `at_zero`, `bound`.
"""

from __future__ import annotations

import math
import sys
from abc import ABC, abstractmethod
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np

from mehler import _arrays
from mehler._validate import require_reals
from mehler.learn._box_erm import _hinge, _logistic
from mehler.learn._box_erm._row_losses import RowLosses

__all__ = ["Hinge", "Logistic", "Loss", "Ramp"]


@dataclass(frozen=True)
class Loss(ABC):
    """A convex surrogate of the margin, clipped at `bound`; see the subclasses.

    Parameters
    ----------
    bound : float, optional
        Value at which the loss is clipped; infinity does not clip.

    See Also
    --------
    Hinge : The hinge loss.
    Ramp : Half the hinge loss, clipped at 1.
    """

    bound: float = 1.0
    name: ClassVar[str]
    # Lipschitz constant of the surrogate.
    surrogate_lipschitz: ClassVar[float]

    def __post_init__(self) -> None:
        good = isinstance(self.bound, Real) and not isinstance(self.bound, bool)
        if not good or not (0 < self.bound <= sys.float_info.max or self.bound == math.inf):
            raise ValueError(
                f"bound={self.bound!r} is not a number above 0; use math.inf to leave the loss "
                "unclipped"
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
    def surrogate(self, margins: Any) -> Any:
        """Evaluate the convex surrogate s at an array of margins."""

    @abstractmethod
    def envelope(self, limits: Any, bound: float, tolerance: float) -> RowLosses:
        """Return, for rows of margins within +-limits, the convex envelope of min(s, bound).

        An infinite bound gives the surrogate itself. A limit within the relative `tolerance` of a
        case boundary counts as on it, since limits are sums with rounding.
        """

    def __call__(self, margins: Any) -> Any:
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
    r"""The hinge loss, clipped.

    .. math:: V(t) = \min(\max(0, 1 - t), B), \quad L = 1, \quad V(0) = \min(1, B)

    Parameters
    ----------
    bound : float, optional
        B; default 1.

    See Also
    --------
    Ramp : Half of it, clipped at 1.
    Logistic : A smooth loss.

    Examples
    --------
    >>> import numpy as np
    >>> from mehler.learn import losses
    >>> losses.Hinge()(np.asarray([-3.0, 0.25, 2.0]))
    array([1.  , 0.75, 0.  ])
    """

    name = "hinge"
    surrogate_lipschitz = 1.0

    def surrogate(self, margins: Any) -> Any:
        """Evaluate the hinge at an array of margins."""
        xp = _arrays.array_namespace(margins, names=("margins",))
        rest = 1.0 - margins
        return self.surrogate_lipschitz * xp.where(rest > 0, rest, xp.zeros_like(rest))

    def envelope(self, limits: Any, bound: float, tolerance: float) -> RowLosses:
        """Return the convex envelopes; see :meth:`Loss.envelope`."""
        return _hinge.envelope(limits, bound, tolerance, self.surrogate_lipschitz)


class Ramp(Hinge):
    r"""The ramp loss, half the hinge clipped to [0, 1]: linear for margins in [-1, 1].

    .. math:: V(t) = \min(\max(0, \tfrac{1 - t}2), 1), \quad L = \tfrac12, \quad V(0) = \tfrac12

    If all functions of the box stay in [-1, 1] on the sample, the empirical minimiser has a
    closed form, the sign of the mean of y_i z_i.

    See Also
    --------
    Hinge : The hinge loss.

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
    r"""The logistic loss in nats, clipped.

    .. math:: V(t) = \min(\log(1 + e^{-t}), B), \quad L = 1 - e^{-B}, \quad V(0) = \min(\log 2, B)

    The slope is largest where the loss reaches B, at :math:`e^{-t} = e^B - 1`.

    Parameters
    ----------
    bound : float, optional
        B; default 1.

    See Also
    --------
    Hinge : A piecewise linear loss.

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

    def surrogate(self, margins: Any) -> Any:
        """Evaluate log(1 + exp(-t)) at an array of margins, without overflow."""
        xp = _arrays.array_namespace(margins, names=("margins",))
        return _logistic.softplus(xp, -margins)

    def envelope(self, limits: Any, bound: float, tolerance: float) -> RowLosses:
        """Return the convex envelopes; see :meth:`Loss.envelope`."""
        return _logistic.envelope(limits, bound, tolerance)
