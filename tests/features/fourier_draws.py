"""The Fourier features that every place draws: each spectrum, form and projection once."""

from __future__ import annotations

import functools

import mehler

# Narrow enough for angles of a few radians: the rounding of an angle is that of a projection.
_OPTIONS = {
    "pairs": {"gamma": 0.3},
    "offset": {"gamma": 0.3, "form": "offset"},
    "laplacian": {"gamma": 0.1, "kernel": "laplacian"},
    "matern": {"kernel": "matern", "nu": 2.5, "length_scale": 2.0},
    # Not half an integer: Bessel functions, on the host.
    "matern-rough": {"kernel": "matern", "nu": 0.8, "length_scale": 2.0, "form": "offset"},
    "orthogonal": {"gamma": 0.3, "projections": "orthogonal"},
    "orthogonal-matern": {"kernel": "matern", "length_scale": 2.0, "projections": "orthogonal"},
    "hadamard": {"gamma": 0.3, "projections": "hadamard"},
    "sobol": {"gamma": 0.3, "projections": "sobol", "form": "offset"},
}


def fourier_draws(n_inputs, n_features):
    """Name to draw function, which takes like= and dtype=."""
    return {
        f"fourier-{name}": functools.partial(
            mehler.FourierFeatures.draw, n_inputs, n_features, seed=3, **options
        )
        for name, options in _OPTIONS.items()
    }
