"""gpytorch.kernels.RFFKernel: cos and sin of x W / lengthscale, over the root of num_samples."""

import gpytorch
import torch


def draw(seed, n_features, lengthscale=1.0):
    torch.manual_seed(seed)  # the weights come from torch's global generator
    kernel = gpytorch.kernels.RFFKernel(num_samples=n_features // 2, num_dims=None).double()
    kernel.lengthscale = lengthscale

    def phi(X):
        x = torch.from_numpy(X)
        return kernel.forward(x, x).root.to_dense().detach().numpy()

    return phi
