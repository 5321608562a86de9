"""The kitchen sinks that every place draws: each activation, and each way to draw once."""

from __future__ import annotations

import functools

import mehler

# Rows have length 2 to 4: scales that keep every activation's slope times the projection's
# rounding, and its values, below those of a projection.
_OPTIONS = {
    "relu": {"activation": "relu"},
    "relu2": {"activation": "relu2", "weight_scale": 0.2},
    "erf": {"activation": "erf", "weight_scale": 0.4},
    "tanh-bias": {"activation": "tanh", "weight_scale": 0.4, "bias": 0.5},
    "sin": {"activation": "sin", "weight_scale": 0.4},
    "cos-phase": {"activation": "cos", "weight_scale": 0.4, "bias": "uniform"},
    "relu-sphere": {"activation": "relu", "law": "sphere"},
    "orthogonal": {"activation": "tanh", "projections": "orthogonal", "weight_scale": 0.4},
    "step": {"activation": "step"},
}


def sink_draws(n_inputs, n_features):
    """Name to draw function, which takes like= and dtype=."""
    return {
        f"sinks-{name}": functools.partial(
            mehler.KitchenSinks.draw, n_inputs, n_features, seed=3, **options
        )
        for name, options in _OPTIONS.items()
    }
