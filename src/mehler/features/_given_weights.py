"""Maps with weights that are given: a module's buffers, leaves of a tree, and what they refuse."""

from __future__ import annotations

import threading
from typing import Any, Literal


def first_dtype(phi: Any) -> str:
    """Return the name of the dtype in which a map was drawn first."""
    return phi.dtype or next(iter(phi._placed))


def weights_of(phi: Any) -> tuple[Any, ...]:
    """Return the weights in that dtype."""
    weights: tuple[Any, ...] = phi._placed[first_dtype(phi)]
    return weights


def with_weights(phi: Any, weights: tuple[Any, ...], kind: Literal["stacked", "trainable"]) -> Any:
    """Return a map like `phi` with other weights, of `first_dtype` alone, and what they are."""
    bound = object.__new__(type(phi))
    own: dict[str, Any] = {"_placed": {first_dtype(phi): tuple(weights)}, "_blocks": {}}
    own |= {"_weights_are": kind, "_axes": phi._axes or axes_of(weights_of(phi))}
    bound.__dict__.update(phi.__dict__ | own | {"_lock": threading.Lock()})
    return bound


def axes_of(weights: tuple[Any, ...]) -> tuple[int, ...]:
    """Return the number of axes of each."""
    return tuple(each.ndim for each in weights)


def require_drawn(self: Any, what: str) -> None:
    """Raise unless the weights are those of the seed."""
    if self._weights_are != "drawn":
        raise ValueError(
            f"this map has weights that were given to it, and cannot be {what} by its seed "
            f"{self.seed}: use the map that was drawn"
        )


def require_law(self: Any) -> None:
    """Raise for weights whose distribution is not known."""
    if self._weights_are == "trainable":
        raise ValueError(
            "this map has trainable weights, whose distribution is not known, and so no kernel "
            "and no variance: use those of the map that was drawn, or gram(X, Y)"
        )


def require_axes(self: Any, weights: tuple[Any, ...]) -> None:
    """Raise unless the weights are those of one draw."""
    if self._axes and self._axes != axes_of(weights):
        raise ValueError(
            f"this map has {self._weights_are} weights, of other axes than one draw: to call "
            "several draws, jax.vmap(lambda phi: phi(X))(mehler.jax.stacked(maps))"
        )
