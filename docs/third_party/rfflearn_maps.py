"""rfflearn.cpu: cos(X W + b), without the factor sqrt(2/m) of a kernel estimate."""

import math

import numpy as np
import rfflearn.cpu


def _draw(make, seed, n_features, std, transpose=False):
    model = make(dim_kernel=n_features, std_kernel=std)

    def phi(X):
        d = X.shape[1]
        if model.W is None:
            before = np.random.get_state()  # noqa: NPY002  (the weights come from there)
            rfflearn.cpu.seed(seed)
            model.set_weight(d)
            np.random.set_state(before)  # noqa: NPY002
            if transpose:
                blocks = [model.W[:, k : k + d].T for k in range(0, n_features, d)]
                model.W = np.concatenate(blocks, axis=1)
        return math.sqrt(2.0 / n_features) * model.conv(X)

    return phi


def random(seed, n_features, std=1.0):
    return _draw(rfflearn.cpu.RFFPCA, seed, n_features, std)


def orthogonal(seed, n_features, std=1.0):
    return _draw(rfflearn.cpu.ORFPCA, seed, n_features, std)


def orthogonal_transposed(seed, n_features, std=1.0):
    """Its blocks transposed, so that the lengths go to the features; n_features a multiple of d."""
    return _draw(rfflearn.cpu.ORFPCA, seed, n_features, std, transpose=True)


def quasi(seed, n_features, std=1.0):
    return _draw(rfflearn.cpu.QRFPCA, seed, n_features, std)
