"""The features of torch_geometric's PerformerProjection, for the arc-cosine kernel of order 1.

Its directions are unit vectors in orthogonal blocks: with d / m for m features the mean of products
of rectified projections is that of normal weights. The small constant that is added stays out.
"""

import math

import torch
from torch_geometric.nn.attention import performer


def _draw(seed, with_signs):
    made = []

    def phi(X):
        d = X.shape[1]
        if not made:
            with torch.random.fork_rng():  # the weights come from torch's global generator
                torch.manual_seed(seed)
                matrix = performer.PerformerProjection(d).projection_matrix
                if with_signs:
                    matrix = matrix * torch.sign(torch.randn(len(matrix), 1))
                made.append(matrix.double())
        x = torch.from_numpy(X)[None, None]
        z = performer.generalized_kernel(x, made[0], epsilon=0.0)[0, 0]
        return math.sqrt(2.0 * d / len(made[0])) * z.numpy()

    return phi


def relu(seed):
    return _draw(seed, with_signs=False)


def relu_with_signs(seed):
    """Directions with random signs, which makes them uniform."""
    return _draw(seed, with_signs=True)
