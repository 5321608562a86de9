"""Worlds in which a bound is nearly tight: what happens there is computed, not drawn.

A bound that is far above all that was drawn stays green when a term of it is deleted. Here each
term has a world in which it is the one that counts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from scipy import special

from mehler.statements import Evidence
from mehler.statements._evidence import Form

# Berry and Esseen for equal laws, with the constant of Shevtsova (2011).
_BERRY_ESSEEN = 0.4748
# An infinite ratio, of a promise of 0, is no number for a report; nor is an interval of length 0.
_LARGEST, _ROUNDING = 1e300, 1e-14


@dataclass(frozen=True)
class World:
    """What happens in one world over what is promised of it: a chance, or a mean.

    Parameters
    ----------
    name : str
        Which world, such as ``"one input, wrong sign"``.
    happens : (float, float)
        Ends of an interval that contains it for certain.
    promised : float
        At most this.
    """

    name: str
    happens: tuple[float, float]
    promised: float

    @property
    def ratio(self) -> tuple[float, float]:
        """Ends of what happens over what is promised."""
        low, high = (one / self.promised if self.promised > 0 else math.inf for one in self.happens)
        return low, high


def hold_worlds(
    worlds: Sequence[World], *, form: Form, claim: str, check: str = "worlds where it is tight"
) -> Evidence:
    """Compare what happens with what is promised, at the world that comes nearest.

    Parameters
    ----------
    worlds : sequence of World
    form, claim, check
        For `Evidence`.
    """
    worst = max(worlds, key=lambda one: one.ratio[0])
    low, high = worst.ratio
    return Evidence.bound_comparison(
        form=form,
        check=check,
        claim=(
            f"{claim}: what happens over what is promised, at most 1 (largest of {len(worlds)} "
            f"worlds: {worst.name})"
        ),
        observed=min(low, _LARGEST),
        interval=(min(low, _LARGEST) * (1 - _ROUNDING), min(high, _LARGEST) + _ROUNDING),
        upper=1.0,
        method="computed: binomial and normal distributions, with bounds of their errors",
    )


def mean_exceeds(t: float, n: int, *, third: float = 2.0) -> tuple[float, float]:
    """Ends of the chance that a mean of n variables is t/sqrt(n) above its own.

    Parameters
    ----------
    t : float
        In standard deviations of one variable.
    n : int
        So large, 10^40, that the error is below any chance that is asked for.
    third : float
        At least the absolute third moment of one standardised variable.
    """
    chance, error = float(special.ndtr(-t)), _BERRY_ESSEEN * third / math.sqrt(n)
    return max(0.0, chance - error), chance + error


def at_least(one: tuple[float, float], lost: float) -> tuple[float, float]:
    """An interval for a chance on an event that fails with probability at most `lost`."""
    return max(0.0, one[0] - lost), min(1.0, one[1] + lost)
