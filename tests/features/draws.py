"""The maps that every place draws, each way to draw once: name -> function of like= and dtype=."""

import functools

import numpy as np

import mehler
from mehler.features import groups

N_INPUTS, N_FEATURES, POOL = 7, 70, 4

# Narrow enough for angles of a few radians: the rounding of an angle is that of a projection.
FOURIER = {
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
# Rows have length 2 to 4: scales that keep every activation's slope times the projection's
# rounding, and its values, below those of a projection.
SINKS = {
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
# Each layout, law and rule. Projections are within 3 but for a few.
INVARIANT = {
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


def of(cls, *sizes, **options):
    return functools.partial(cls.draw, N_INPUTS, N_FEATURES, *sizes, seed=3, **options)


maxout = of(mehler.MaxoutFeatures, POOL)
decoupled = of(mehler.DecoupledMaxoutFeatures, POOL)
fresh = functools.partial(decoupled, directions="fresh")
codes = of(mehler.MaxoutCodes, POOL)
fourier, sinks = of(mehler.FourierFeatures), of(mehler.KitchenSinks)
softmax = of(mehler.features.SoftmaxFeatures, scale=0.1)
invariant = of(mehler.GroupInvariantFeatures, n_bins=5, window=3.0)

DRAWS = {
    "maxout": maxout,
    "centred": functools.partial(maxout, centred=True),
    "shared": functools.partial(maxout, n_projections=20),
    "decoupled-next": decoupled,
    "decoupled-fresh": fresh,
    "codes": codes,
    "softmax": functools.partial(softmax, projections="orthogonal", tilted_at=1.5),
    "softmax-waves": functools.partial(softmax, form="trigonometric"),
    "localised": of(mehler.features.LocalisedLinearFeatures, form="offset", gamma=0.1),
    "deep": functools.partial(
        mehler.DeepFeatures.draw, N_INPUTS, (N_FEATURES,), activation="maxout", pool_size=4, seed=3
    ),
    "maxout-orthogonal": functools.partial(maxout, projections="orthogonal"),
    "maxout-hadamard": functools.partial(maxout, centred=True, projections="hadamard"),
    "decoupled-hadamard": functools.partial(fresh, projections="hadamard"),
    "codes-hadamard": functools.partial(codes, projections="hadamard"),
    **{f"fourier-{k}": functools.partial(fourier, **options) for k, options in FOURIER.items()},
    **{f"sinks-{k}": functools.partial(sinks, **options) for k, options in SINKS.items()},
    **{f"invariant-{k}": functools.partial(invariant, **each) for k, each in INVARIANT.items()},
}
