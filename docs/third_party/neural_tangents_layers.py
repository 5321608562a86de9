"""Wide layers of neural_tangents over the root of their width, and the kernels that it states."""

from functools import partial

import jax
import numpy as np
from neural_tangents import stax

_WIDTH = 512


def _model(activation):
    return stax.serial(stax.Dense(_WIDTH, W_std=1.5, b_std=0.1), activation)


def _layer(activation, seed):
    init, apply, _ = _model(activation)
    made = []

    def phi(X):
        if not made:
            made.append(init(jax.random.key(seed), X.shape)[1])
        return np.asarray(apply(made[0], X)) / np.sqrt(_WIDTH)

    return phi


def _kernel(activation, X, Y):
    return np.asarray(_model(activation)[2](X, Y, "nngp"), dtype=float)


def relu(seed):
    return _layer(stax.Relu(), seed)


def erf(seed):
    return _layer(stax.Erf(), seed)


def square(seed):
    return _layer(stax.RectifiedMonomial(2), seed)


relu_kernel, erf_kernel, square_kernel = (
    partial(_kernel, activation)
    for activation in (stax.Relu(), stax.Erf(), stax.RectifiedMonomial(2))
)
