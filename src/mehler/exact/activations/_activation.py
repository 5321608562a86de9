"""Activations: what a kitchen sink does to one projection, by name or by a user's function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mehler import _arrays

Function = Callable[[Any, _arrays.Array], _arrays.Array]


@dataclass(frozen=True)
class Activation:
    r"""A function of one projection t = <w, x> + b.

    Attributes
    ----------
    name : str
        The name in a recipe; ``""`` for a user's function.
    function : callable
        ``function(xp, t)``, elementwise, in the namespace ``xp`` of ``t``.
    degree : int or None
        a(c t) = c^degree a(t) for c > 0; None where that is not so.
    waves : tuple of (int, complex)
        Frequencies and coefficients of :math:`a(t) = \sum_f c_f e^{ift}`; empty where a is no
        such sum.
    """

    name: str
    function: Function
    degree: int | None = None
    waves: tuple[tuple[int, complex], ...] = ()

    def __call__(self, xp: Any, t: _arrays.Array) -> _arrays.Array:
        """Values at an array of projections."""
        return self.function(xp, t)


def _step(xp: Any, t: _arrays.Array) -> _arrays.Array:
    return xp.astype(t > 0.0, t.dtype)


def _relu(xp: Any, t: _arrays.Array) -> _arrays.Array:
    return _arrays.maximum(xp, t, xp.zeros_like(t))


def _relu2(xp: Any, t: _arrays.Array) -> _arrays.Array:
    return _relu(xp, t) ** 2


ACTIVATIONS = {
    one.name: one
    for one in (
        Activation("step", _step, degree=0),
        Activation("relu", _relu, degree=1),
        Activation("relu2", _relu2, degree=2),
        Activation("erf", _arrays.erf),
        Activation("tanh", lambda xp, t: xp.tanh(t)),
        Activation("cos", lambda xp, t: xp.cos(t), waves=((1, 0.5), (-1, 0.5))),
        Activation("sin", lambda xp, t: xp.sin(t), waves=((1, -0.5j), (-1, 0.5j))),
    )
}


def activation_of(activation: Any) -> Activation:
    """The activation that a name or a function stands for.

    Raises
    ------
    TypeError, ValueError
        Neither a known name nor a callable.
    """
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
