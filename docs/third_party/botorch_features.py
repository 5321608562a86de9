"""botorch's Fourier features of gpytorch's RBF and Matern kernels."""

import gpytorch
import torch
from botorch.sampling.pathwise.features.generators import gen_kernel_features


def _draw(make, seed, n_features):
    maps = []

    def phi(X):
        if not maps:
            d = X.shape[1]
            kernel = make(ard_num_dims=d).double()
            kernel.lengthscale = 1.0
            with torch.random.fork_rng():  # the weights come from torch's global generator
                torch.manual_seed(seed)
                maps.append(gen_kernel_features(kernel, num_inputs=d, num_outputs=n_features))
        return maps[0](torch.from_numpy(X)).detach().numpy()

    return phi


def rbf(seed, n_features):
    return _draw(gpytorch.kernels.RBFKernel, seed, n_features)


def matern(seed, n_features, nu=1.5):
    return _draw(lambda **size: gpytorch.kernels.MaternKernel(nu=nu, **size), seed, n_features)
