"""Leverage scores, and selectors that keep some features of a pool.

A selector takes a pool (any map with real features) and the number of features to keep; ``fit(X)``
returns a map, `mehler.features.SelectedFeatures`. `PlainSampling` and `LeverageSampling` preserve
the pool's kernel; `TopLeverage` changes it.
"""

# Shared with other packages of mehler, and no public names.
from mehler.features.leverage._sampling import Draws as Draws
from mehler.features.leverage._sampling import LeverageSampling, PlainSampling, TopLeverage
from mehler.features.leverage._sampling import inclusion as inclusion
from mehler.features.leverage._sampling import points_in as points_in
from mehler.features.leverage._scores import LeverageScores, ridge_leverage_scores
from mehler.features.leverage._selector import Choice as Choice
from mehler.features.leverage._selector import Selector

__all__ = [
    "LeverageSampling",
    "LeverageScores",
    "PlainSampling",
    "Selector",
    "TopLeverage",
    "ridge_leverage_scores",
]
