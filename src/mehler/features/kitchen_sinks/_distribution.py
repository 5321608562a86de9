"""Distribution of one kitchen-sink feature, from that of its projection."""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler import _arrays
from mehler.exact.activations import Activation
from mehler.exact.activations._projected import Projected
from mehler.features import _correlation, _distributions


def feature_cdf(
    activation: Activation,
    projected: Projected,
    weight_scale: float,
    bias: float | str,
    X: _arrays.Array,
    t: _arrays.Array,
) -> _arrays.Array:
    """Compute P(a(p) <= t[i, j]) for the projection p of row i, if the activation defines it."""
    rows, values = _distributions.rows_and_values(X, t)
    if bias == "uniform":
        at: Any = activation.phase_cdf(values)
    else:
        scale = np.hypot(weight_scale * _correlation.lengths(np, rows), bias)
        at = activation.cdf(values, scale, projected)
    return _distributions.there(at, X)
