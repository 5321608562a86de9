"""gpytorch.kernels.RFFKernel: cos and sin of x W / lengthscale, over the root of num_samples."""

import gpytorch
import torch


def draw(seed, n_features, lengthscale=1.0):
    maps = []

    def phi(X):
        x = torch.from_numpy(X)
        if not maps:
            with torch.random.fork_rng():  # the weights come from torch's global generator
                torch.manual_seed(seed)
                kernel = gpytorch.kernels.RFFKernel(n_features // 2, num_dims=X.shape[1])
            kernel = kernel.double()
            kernel.lengthscale = lengthscale
            maps.append(kernel)
        return maps[0].forward(x, x).root.to_dense().detach().numpy()

    return phi
