"""The group-invariant features that every place draws: each layout, law and rule once."""

from __future__ import annotations

import functools

import numpy as np

import mehler
from mehler.features import groups

# Rows of length 2 to 4 in 7 dimensions: projections are within 3 but for a few.
_OPTIONS = {
    "moved": {"group": groups.CyclicShifts(7), "rule": "midpoint"},
    "signed": {"group": groups.SignFlips(7, 3), "templates": "gaussian"},
    "sampled": {"group": groups.Dihedral(7), "n_elements": 5, "templates": "redraw"},
    "own": {
        "group": groups.BlockPermutations(7, 7).drawn(8, seed=1),
        "n_elements": 3,
        "replacement": True,
        "own_elements": True,
        "templates": "zero",
    },
    "orbit": {"group": groups.LinearMaps(np.random.default_rng(5).standard_normal((3, 7, 7)) / 3)},
    "dither": {"group": groups.Trivial(7), "rule": "dither"},
}


def invariant_draws(n_inputs, n_features):
    """Name to draw function, which takes like= and dtype=."""
    return {
        f"invariant-{name}": functools.partial(
            mehler.GroupInvariantFeatures.draw,
            n_inputs,
            n_features,
            seed=3,
            n_bins=5,
            window=3.0,
            **options,
        )
        for name, options in _OPTIONS.items()
    }
