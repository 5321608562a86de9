"""Spectral bounds under the names that they had."""

from __future__ import annotations

from typing import Any

from mehler.bounds import solve, spectral
from mehler.bounds.spectral import approximation as nearest
from mehler.bounds.spectral import gram_error

__all__ = ["gram_error", "nearest", "operator_error"]


operator_error = gram_error


def gram_error_features(eps: Any, **arguments: Any) -> Any:
    return solve(spectral.gram_error, at_most=eps, n_features=None, **arguments)
