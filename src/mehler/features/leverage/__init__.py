"""Leverage scores, and maps that keep a chosen part of a pool of features."""

from mehler.features.leverage._report import LeverageScores
from mehler.features.leverage._scores import ridge_leverage_scores

__all__ = ["LeverageScores", "ridge_leverage_scores"]
