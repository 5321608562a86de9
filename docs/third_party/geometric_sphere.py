"""geometric_kernels' random features of its Matern kernel on the sphere in three dimensions.

Rows are directions: their lengths are divided out, in the features and in the kernel.
"""

import geometric_kernels.torch  # noqa: F401  (registers the backend)
import numpy as np
import torch
from geometric_kernels.feature_maps import RandomPhaseFeatureMapCompact
from geometric_kernels.kernels import MaternKarhunenLoeveKernel
from geometric_kernels.spaces import Hypersphere

LEVELS = 15
SPHERE = Hypersphere(dim=2)
KERNEL = MaternKarhunenLoeveKernel(SPHERE, LEVELS)
PARAMETERS = {"lengthscale": torch.tensor([0.5]).double(), "nu": torch.tensor([2.5]).double()}


# What the kernel divides by, the same at all points.
SCALE = float(
    MaternKarhunenLoeveKernel(SPHERE, LEVELS, normalize=False).K_diag(
        PARAMETERS, torch.tensor([[0.0, 0.0, 1.0]]).double()
    )
)


def directions(X):
    return torch.from_numpy(X / np.linalg.norm(X, axis=1, keepdims=True))


def kernel(X, Y):
    return KERNEL.K(PARAMETERS, directions(X), directions(Y)).numpy()


def _draw(seed, n_features, normalize):
    features = RandomPhaseFeatureMapCompact(SPHERE, LEVELS, n_features // LEVELS)

    def phi(X):
        key = torch.Generator().manual_seed(seed)
        z = features(directions(X), PARAMETERS, key=key, normalize=normalize)[1].numpy()
        return z if normalize else z / np.sqrt(SCALE * (n_features // LEVELS))

    return phi


def random_phases(seed, n_features):
    return _draw(seed, n_features, False)


def normalized(seed, n_features):
    """As they come by default: each row divided by its length, so the mean is the kernel nearly."""
    return _draw(seed, n_features, True)
