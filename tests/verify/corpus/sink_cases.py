"""Defects of random kitchen sinks: of the activation, the weights, the bias and the scale."""

import functools
import math

import numpy as np

from mehler import verify
from mehler.exact.activations import ACTIVATIONS
from mehler.features.kitchen_sinks import KitchenSinks
from tests.verify.corpus.registry import Planted, Twin, kernel, moved_weights

D = 5
# Directions at random, lengths unequal, one pair close.
_RNG = np.random.default_rng(1)
ROWS = _RNG.standard_normal((4, D)) / math.sqrt(D)
ROWS = np.vstack([ROWS, 1.5 * ROWS[0] + 0.1 * ROWS[1]])

DRAWN = {
    "step": {"activation": "step"},
    "relu": {"activation": "relu"},
    "relu2": {"activation": "relu2"},
    "erf": {"activation": "erf"},
    "tanh": {"activation": "tanh", "weight_scale": 1.5},
    "tanh-bias": {"activation": "tanh", "bias": 1.0},
    "cos": {"activation": "cos", "weight_scale": 2.0},
    "cos-phase": {"activation": "cos", "bias": "uniform"},
    "sin-bias": {"activation": "sin", "bias": 0.5},
    "relu2-sphere": {"activation": "relu2", "law": "sphere"},
}
FEW = ROWS[:3]
KERNEL = kernel(FEW)


@functools.cache
def drawer(name, defect=None):
    cls = defect(KitchenSinks) if defect else KitchenSinks
    return lambda seed: cls(D, 1000, seed=seed, **DRAWN[name])


def distribution(draw, seed):
    return verify.check_distribution(draw, None, FEW, seed=seed)


def as_another(name):
    """The activation is not the one that is declared."""

    def defect(cls):
        class Broken(cls):
            def _transform(self, xp, rows, *weights):
                copy = object.__new__(cls)
                copy.__dict__.update(self.__dict__, _activation=ACTIVATIONS[name])
                return cls._transform(copy, xp, rows, *weights)

        return Broken

    return defect


bias_forgotten = moved_weights(lambda phi, weights, offset: (weights, 0 * offset))
# A phase in [0, pi/2] instead of [0, 2 pi].
half_a_period = moved_weights(lambda phi, weights, offset: (weights, offset / 4))


@moved_weights
def constant_norms(phi, weights):
    """Weights of length sqrt(d): uniform on the sphere where N(0, I) is declared."""
    lengths = np.sqrt(np.mean(weights**2, axis=1, keepdims=True))
    return (weights / lengths,)


def planted(what, name, defect):
    return Planted(
        f"sinks, {name}: {what}", "check_kernel", KERNEL, drawer(name, defect), drawer(name)
    )


PLANTED = [
    planted("bias forgotten", "tanh-bias", bias_forgotten),
    planted("tanh for erf", "erf", as_another("tanh")),
    planted("weights of one length", "tanh", constant_norms),
    Planted(
        "sinks, cos-phase: a quarter of a turn",
        "check_distribution",
        distribution,
        drawer("cos-phase", half_a_period),
        drawer("cos-phase"),
    ),
]


def twin(what, name, defect, why):
    return Twin(f"sinks, {name}: {what}", "check_kernel", KERNEL, drawer(name, defect), why)


TWINS = [
    twin(
        "a quarter of a turn",
        "cos-phase",
        half_a_period,
        "what is added is odd in the weights: only the features' law is wrong",
    ),
    twin("weights of one length", "step", constant_norms, "a step sees directions alone"),
]
