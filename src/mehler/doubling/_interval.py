"""An interval that contains a number."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral

from mehler._validate import real


@dataclass(frozen=True)
class Interval:
    """A number known to lie between two ends, both included.

    Parameters
    ----------
    low, high : float or int
        The ends.

    See Also
    --------
    DoublingDimension : An interval with its proof.

    Examples
    --------
    >>> width = Interval(1.0, 1.5)
    >>> width.exact, float(width)
    (False, 1.5)
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        for name in ("low", "high"):
            value = getattr(self, name)
            number = real(name, value)
            # Counts stay whole; fractions and the like become floats.
            object.__setattr__(self, name, int(value) if isinstance(value, Integral) else number)

    @property
    def exact(self) -> bool:
        """Whether the ends agree."""
        return self.low == self.high

    def __float__(self) -> float:
        """Return the upper end: bounds increase in their arguments, so it is the safe one."""
        return float(self.high)

    def __contains__(self, value: float) -> bool:
        """Return whether a value lies between the ends."""
        return self.low <= value <= self.high
