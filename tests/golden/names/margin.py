"""Bounds by margins."""

from __future__ import annotations

from typing import Any

from mehler import bounds
from mehler.bounds.margin import error_rate, error_rate_separated

risk = error_rate
separated = error_rate_separated


def samples(eps: float, **others: Any) -> int:
    return bounds.solve(error_rate_separated, at_most=eps, n_samples=None, **others)
