"""Defects of random kitchen sinks: of the activation, the weights, the bias and the scale."""

from __future__ import annotations

import functools

import numpy as np

from mehler import verify
from mehler.features.kitchen_sinks import KitchenSinks
from tests.corpus.registry import Planted, Twin, kernel
from tests.features import test_sink_defects as ways

ROWS = ways.ROWS[:3]
KERNEL = kernel(ROWS)


@functools.cache
def drawer(name, defect=None):
    cls = defect(KitchenSinks) if defect else KitchenSinks
    return lambda seed: cls(ways.D, 1000, seed=seed, **ways.DRAWN[name])


def distribution(draw, seed):
    return verify.check_distribution(draw, None, ROWS, seed=seed)


def moved_weights(change):
    """A defect of the drawn weights, and of the offsets where there are some."""

    def defect(cls):
        class Broken(cls):
            def _draw(self, dtype):
                return change(*super()._draw(dtype))

        return Broken

    return defect


def moved_projection(change):
    """A defect between the projection and the activation."""

    def defect(cls):
        class Broken(cls):
            def _block(self):
                block = super()._block()
                activation, *rest = block.args
                return functools.partial(block.func, lambda xp, t: activation(xp, change(t)), *rest)

        return Broken

    return defect


def constant_norms(weights):
    """Weights of length sqrt(d): uniform on the sphere where N(0, I) is declared."""
    lengths = np.sqrt(np.mean(weights**2, axis=1, keepdims=True))
    return (weights / lengths,)


def bias_of_signs(weights, offset):
    """The right variance, another law."""
    return weights, np.sign(offset)


def bias_in_each_row(cls):
    """One offset for all units of a map."""

    class Broken(cls):
        def _draw(self, dtype):
            weights, offset = super()._draw(dtype)
            return weights, 0 * offset + offset[:, :1]

    return Broken


def planted(what, name, defect):
    return Planted(
        f"sinks, {name}: {what}", "check_kernel", KERNEL, drawer(name, defect), drawer(name)
    )


PLANTED = [
    planted("the sqrt(2) of cosines", "relu", ways.missing_scale),
    planted("without the sqrt(2) that makes the kernel 1", "cos-phase", ways.missing_scale),
    planted("projections divided by sqrt(d)", "erf", moved_projection(lambda t: t / ways.D**0.5)),
    planted("projections doubled", "tanh", moved_projection(lambda t: 2 * t)),
    planted("weights scaled twice", "tanh", ways.weights_twice_scaled),
    planted("bandwidth twice", "cos", ways.weights_twice_scaled),
    planted("bias forgotten", "tanh-bias", ways.bias_forgotten),
    planted("bias forgotten", "sin-bias", ways.bias_forgotten),
    planted("bias of random signs", "tanh-bias", moved_weights(bias_of_signs)),
    planted("tanh for erf", "erf", ways.as_another("tanh")),
    planted("sine for cosine", "cos", ways.as_another("sin")),
    planted("order 1 for order 0", "step", ways.as_another("relu")),
    planted("weights of one length", "tanh", moved_weights(constant_norms)),
    planted("weights of all lengths on the sphere", "relu2-sphere", ways.not_on_the_sphere),
    planted("absolute value before the step", "step", moved_projection(abs)),
    Planted(
        "sinks, cos-phase: a quarter of a turn",
        "check_distribution",
        distribution,
        drawer("cos-phase", ways.half_a_period),
        drawer("cos-phase"),
    ),
    Planted(
        "sinks, tanh-bias: one offset for all units",
        "check_distribution",
        distribution,
        drawer("tanh-bias", bias_in_each_row),
        drawer("tanh-bias"),
    ),
]


def twin(what, name, defect, why):
    return Twin(f"sinks, {name}: {what}", "check_kernel", KERNEL, drawer(name, defect), why)


TWINS = [
    twin(
        "a quarter of a turn",
        "cos-phase",
        ways.half_a_period,
        "what is added is odd in the weights: only the features' law is wrong",
    ),
    twin(
        "weights of the other sign",
        "tanh-bias",
        moved_weights(lambda w, b: (-w, b)),
        "-w has the law of w, and b is its own",
    ),
    twin(
        "units in another order",
        "relu",
        moved_weights(lambda w: (w[..., ::-1].copy(),)),
        "an order of features is none",
    ),
    twin(
        "weights of one length",
        "step",
        moved_weights(constant_norms),
        "a step sees directions alone",
    ),
    twin("negated", "erf", moved_projection(lambda t: -t), "erf is odd, and signs cancel"),
]
