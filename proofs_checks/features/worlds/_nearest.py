"""Worlds where the distance of the nearest combination of features is computed."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from mehler.bounds import Bound

from ..._worlds import World

Bounding = Callable[..., Bound]


def one_row(bound: Bounding) -> Iterator[World]:
    """One row of kernel 1, and a feature that is 1/sqrt(p) with chance p, else 0.

    Without any feature that is not 0 the distance is the norm, else it is 0. The kurtosis is 1/p.
    """
    p, ridge = 1e-3, 1e-9
    for m in (200, 2000):
        happens = float(np.exp(m * np.log1p(-p))) * 4.0
        known = {"norm": 2.0, "eigenvalues": np.ones(1)}
        value = bound(m, leverage=1 / (p * (1 + ridge)), ridge=ridge, **known)
        yield World(f"one row, leverage, {m} features", (happens, happens), value.total)
        value = bound(m, kurtosis=1 / p, **known)
        yield World(f"one row, kurtosis, {m} features", (happens, happens), value.total)
