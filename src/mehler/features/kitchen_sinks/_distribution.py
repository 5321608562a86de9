"""Distribution of one kitchen-sink feature, from that of its projection."""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler import _arrays
from mehler.exact.activations import Activation
from mehler.exact.activations._projected import Projected
from mehler.features import _correlation


def feature_cdf(
    activation: Activation,
    projected: Projected,
    weight_scale: float,
    bias: float | str,
    X: _arrays.Array,
    t: _arrays.Array,
) -> _arrays.Array:
    """Compute P(a(p) <= t[i, j]) for the projection p of row i, if the activation defines it."""
    xp = _arrays.array_namespace(X, t, names=("X", "t"))
    if t.ndim != 2 or t.shape[0] != X.shape[0]:
        raise ValueError(
            f"t has shape {tuple(t.shape)} but must have one row of values for each of the "
            f"{X.shape[0]} rows of X"
        )
    _arrays.require_no_gradient(X, t, what="the distribution of a feature")
    values = np.asarray(_arrays.to_host(t), dtype=np.float64)
    if bias == "uniform":
        at: Any = activation.phase_cdf(values)
    else:
        rows = np.asarray(_arrays.to_host(X), dtype=np.float64)
        scale = np.hypot(weight_scale * _correlation.lengths(np, rows), bias)
        at = activation.cdf(values, scale, projected)
    place = _arrays.place_of(X)
    return xp.astype(_arrays.from_host(at, place), _arrays.real_dtype(X), copy=False)
