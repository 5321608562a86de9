"""Bounds of ridge regression."""

from __future__ import annotations

from typing import Any

from mehler import bounds
from mehler.bounds.ridge import best_ridge, excess_risk, excess_risk_clipped

__all__ = ["excess_risk"]

clipped_risk = excess_risk_clipped
ridge_choice = best_ridge


def excess_risk_features(eps: float, **others: Any) -> int:
    return bounds.solve(excess_risk, at_most=eps, n_features=None, **others)
