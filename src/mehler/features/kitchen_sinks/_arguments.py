"""Validate the numeric arguments of a kitchen sink."""

from __future__ import annotations

from typing import Any

from mehler._validate import not_negative
from mehler.exact.activations import Activation


def bias(value: Any, activation: Activation) -> float | str:
    """Return a finite number of at least 0, or 'uniform' for periodic activations."""
    if isinstance(value, str) and value == "uniform":
        if not activation.waves:
            raise ValueError(
                f"bias='uniform' is a phase, for activations that carry waves, such as cos and "
                f"sin, not for {activation.title}"
            )
        return "uniform"
    if isinstance(value, str):
        raise TypeError(f"bias={value!r} must be a number of at least 0 or 'uniform'")
    return not_negative("bias", value)
