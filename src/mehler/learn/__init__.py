"""Learning on random features: the estimators that the theorems are about."""

from mehler.learn import losses
from mehler.learn._box_erm import box_erm, units
from mehler.learn._result import BoxERM

__all__ = ["BoxERM", "box_erm", "losses", "units"]
