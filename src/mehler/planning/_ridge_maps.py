"""Maps that plan_ridge knows: how each is drawn, and how large its features are on the rows."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from mehler import FourierFeatures, KitchenSinks, MaxoutFeatures

MAPS = ("maxout", "centred-maxout", "fourier", "relu")
Draw = Callable[..., Any]


def ridge_map(
    name: str, d: int, q: int, gamma: float, stretch: float
) -> tuple[str, Draw, dict[str, Any]]:
    """Return words for a map, how to draw it, and how large its features are on the rows.

    Maxima and ReLU are 1-Lipschitz in each projection; what is subtracted is not random.
    """
    if name == "fourier":
        steep = math.sqrt(2) * math.sqrt(gamma) * stretch
        return (
            f"cosines and sines, gamma = {gamma:g}",
            lambda m, s: FourierFeatures.draw(d, m, gamma=gamma, seed=s),
            {"sup": 1.0, "block": 2, "lipschitz": steep},
        )
    if name == "relu":
        return (
            "ReLU features",
            lambda m, s: KitchenSinks.draw(d, m, activation="relu", seed=s),
            {"lipschitz": stretch},
        )
    centred = name == "centred-maxout"
    return (
        f"{'centred ' if centred else ''}maxout features of {q}",
        lambda m, s: MaxoutFeatures.draw(d, m, q, centred=centred, seed=s),
        {"lipschitz": stretch},
    )
