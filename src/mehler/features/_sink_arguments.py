"""Which arguments of a kitchen sink go together."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mehler.exact.activations import Activation
from mehler.features.projections import Projection

_LAWS = ("gaussian", "sphere")


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
            raise ValueError("bias='uniform' is a phase, for the activations cos and sin")
        return "uniform"
    if isinstance(value, bool) or not isinstance(value, (int, float, np.floating, np.integer)):
        raise TypeError(f"bias must be a number of at least 0 or 'uniform', not {value!r}")
    if not 0 <= value < math.inf:
        raise ValueError(f"bias={value!r} must be a finite number of at least 0")
    return float(value)


def check_together(
    law: Any,
    activation: Activation,
    bias: float | str,
    projection: Projection,
    given: tuple[Any, Any],
) -> None:
    """Raise ValueError for a law that is unknown, or has no exact kernel with the rest."""
    if callable(law):
        if not projection.independent or bias != 0.0:
            raise ValueError(
                "a law of your own brings its weights whole: leave projections and bias out"
            )
        if not all(callable(one) for one in given):
            raise ValueError(
                "what a law of your own converges to is not known here: give its exact kernel and "
                "variance, functions (X, Y) -> (n, k)"
            )
        return
    if law not in _LAWS:
        raise ValueError(f"law={law!r} is not one of {', '.join(_LAWS)}, nor a function")
    if given != (None, None):
        raise ValueError(
            f"kernel and variance are known for law={law!r}: leave them out, or pass the law as a "
            "function"
        )
    if law == "sphere" and (activation.degree is None or bias != 0.0):
        raise ValueError(
            "law='sphere' has an exact kernel for step, relu and relu2 without bias; use "
            "law='gaussian'"
        )
    if law == "sphere" and not projection.dense:
        raise ValueError(
            f"law='sphere' needs the weights themselves, which projections={projection.name!r} "
            "does not keep; use 'gaussian' or 'orthogonal'"
        )
