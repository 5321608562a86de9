"""The numbers of a kitchen sink."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mehler.exact.activations import Activation


def positive(value: Any, name: str) -> float:
    """A finite number above 0."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.floating, np.integer)):
        raise TypeError(f"{name} must be a number above 0, not {value!r}")
    if not 0 < value < math.inf:
        raise ValueError(f"{name}={value!r} must be a finite number above 0")
    return float(value)


def bias(value: Any, activation: Activation) -> float | str:
    """A finite number of at least 0, or a uniform phase where there are periods."""
    if value == "uniform":
        if not activation.waves:
            raise ValueError(
                f"bias='uniform' is a phase, for activations that carry waves, such as cos and "
                f"sin, not for {activation.title}"
            )
        return "uniform"
    if isinstance(value, bool) or not isinstance(value, (int, float, np.floating, np.integer)):
        raise TypeError(f"bias must be a number of at least 0 or 'uniform', not {value!r}")
    if not 0 <= value < math.inf:
        raise ValueError(f"bias={value!r} must be a finite number of at least 0")
    return float(value)
