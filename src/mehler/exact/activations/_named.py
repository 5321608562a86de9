"""Named activations."""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler import _arrays
from mehler.exact.activations import _erf
from mehler.exact.activations._activation import Activation


def _step(xp: Any, t: _arrays.Array) -> _arrays.Array:
    return xp.astype(t > 0.0, t.dtype)


def _relu(xp: Any, t: _arrays.Array) -> _arrays.Array:
    return _arrays.maximum(xp, t, xp.zeros_like(t))


def _relu2(xp: Any, t: _arrays.Array) -> _arrays.Array:
    return _relu(xp, t) ** 2


def _inverse_tanh(t: Any) -> Any:
    with np.errstate(divide="ignore"):
        return np.arctanh(np.clip(t, -1.0, 1.0))


ACTIVATIONS = {
    one.name: one
    for one in (
        Activation("step", _step, degree=0),
        Activation("relu", _relu, degree=1),
        Activation("relu2", _relu2, degree=2),
        Activation(
            "erf",
            _arrays.erf,
            kernel=_erf.kernel,
            inverse=_erf.inverse,
            derivative=Activation("erf'", _erf.derivative, kernel=_erf.slope_kernel),
        ),
        Activation(
            "tanh",
            lambda xp, t: xp.tanh(t),
            inverse=_inverse_tanh,
            derivative=lambda xp, t: 1.0 - xp.tanh(t) ** 2,
        ),
        Activation("cos", lambda xp, t: xp.cos(t), waves=((1, 0.5), (-1, 0.5))),
        Activation("sin", lambda xp, t: xp.sin(t), waves=((1, -0.5j), (-1, 0.5j))),
    )
}


def activation_of(activation: Any) -> Activation:
    """Return the activation of a name or a callable; TypeError or ValueError if it is neither."""
    if isinstance(activation, Activation):
        return activation
    if isinstance(activation, str):
        if activation not in ACTIVATIONS:
            raise ValueError(
                f"activation={activation!r} is not one of {', '.join(ACTIVATIONS)}; any other "
                "function t -> a(t) can be passed itself"
            )
        return ACTIVATIONS[activation]
    if not callable(activation):
        raise TypeError(
            f"activation={activation!r} is neither a name nor a function t -> a(t); the names are "
            f"{', '.join(ACTIVATIONS)}"
        )
    return Activation("", lambda xp, t: activation(t))
