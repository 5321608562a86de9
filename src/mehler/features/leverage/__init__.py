"""Leverage scores, and selectors that keep some features of a pool.

A selector takes a pool (any map with real features) and the number of features to keep;
``fit(X, y=None)`` returns a map, `mehler.features.SelectedFeatures`. `PlainSampling` and
`LeverageSampling` preserve the pool's kernel; `TopLeverage`, `TopVariance`, `EERF`, `LKRF`,
`NotSoRandom` and `Greedy` change it.
"""

from mehler.features.leverage._labelled import (
    EERF,
    LKRF,
    Greedy,
    NotSoRandom,
    TopLeverage,
    TopVariance,
)

# Shared with other packages of mehler, and no public names.
from mehler.features.leverage._sampling import Draws as Draws
from mehler.features.leverage._sampling import LeverageSampling, PlainSampling
from mehler.features.leverage._sampling import inclusion as inclusion
from mehler.features.leverage._sampling import points_in as points_in
from mehler.features.leverage._scores import LeverageScores, ridge_leverage_scores
from mehler.features.leverage._selector import Selector

__all__ = [
    "EERF",
    "LKRF",
    "Greedy",
    "LeverageSampling",
    "LeverageScores",
    "NotSoRandom",
    "PlainSampling",
    "Selector",
    "TopLeverage",
    "TopVariance",
    "ridge_leverage_scores",
]
