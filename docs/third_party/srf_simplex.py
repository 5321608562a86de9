"""srf_attention's simplex random features of attention, exp(<x, y> / sqrt(d)).

Its softmax_kernel divides by exp of the largest exponent, which attention divides out again; here
that factor goes back in, and the small constant that is added stays out. Rows have as many columns
as a power of 2.
"""

import torch
from srf_attention import rfs, softmax_kernel_bhld


def _draw(seed, n_features, block):
    made = []

    def phi(X):
        x = torch.from_numpy(X)
        if not made:
            with torch.random.fork_rng():  # the weights come from torch's global generator
                torch.manual_seed(seed)
                made.append(block(n_features, X.shape[1]).double())
        # Each row in a batch of its own, since the largest exponent is that of a batch.
        rows = x[:, None, None]
        z, largest = softmax_kernel_bhld(rows, made[0], is_query=False, eps=0.0)
        return (z * torch.exp(largest))[:, 0, 0].numpy()

    return phi


def simplex(seed, n_features):
    return _draw(seed, n_features, rfs.simplex_random_matrix)


def _stretched(rows, columns):
    """Its directions, with lengths of as many degrees of freedom as there are columns."""
    directions = rfs.simplex_random_matrix(rows, columns, normalize=True)
    return torch.randn(rows, columns).norm(dim=1)[:, None] * directions


def with_lengths(seed, n_features):
    return _draw(seed, n_features, _stretched)
