"""Maps with weights that are given: a module's buffers, leaves of a tree."""

from __future__ import annotations

import threading
from typing import Any, Literal

from mehler.features._base import FeatureMap


def first_dtype(phi: FeatureMap) -> str:
    """Return the name of the dtype in which a map was drawn first."""
    return phi.dtype or next(iter(phi._placed))


def weights_of(phi: FeatureMap) -> tuple[Any, ...]:
    """Return the weights in that dtype."""
    return phi._weights(first_dtype(phi))


def with_weights(
    phi: FeatureMap, weights: tuple[Any, ...], kind: Literal["stacked", "trainable"]
) -> FeatureMap:
    """Return a map like `phi` with other weights, of `first_dtype` alone, and what they are."""
    bound: FeatureMap = object.__new__(type(phi))
    own = {"_placed": {first_dtype(phi): tuple(weights)}, "_blocks": {}, "_weights_are": kind}
    bound.__dict__.update(phi.__dict__ | own | {"_lock": threading.Lock()})
    return bound
