"""performer_pytorch's positive features of attention, exp(<x, y> / sqrt(d)).

Its softmax_kernel divides by exp of the largest exponent, which attention divides out again; here
that factor goes back in, and the small constant that is added stays out.
"""

import torch
from performer_pytorch import performer_pytorch as performer


def _draw(seed, n_features, matrix):
    made = []

    def phi(X):
        x = torch.from_numpy(X)
        if not made:
            with torch.random.fork_rng():  # the weights come from torch's global generator
                torch.manual_seed(seed)
                made.append(matrix(n_features, X.shape[1]).double())
        # Each row in a batch of its own, since the largest exponent is that of a batch.
        z = performer.softmax_kernel(
            x[:, None, None], projection_matrix=made[0], is_query=False, eps=0.0
        )[:, 0, 0]
        largest = (X.shape[1] ** -0.25 * x @ made[0].T).amax(dim=1, keepdim=True)
        return (z * torch.exp(largest)).numpy()

    return phi


def orthogonal(seed, n_features):
    return _draw(seed, n_features, performer.gaussian_orthogonal_random_matrix)


def with_signs(seed, n_features):
    """Its blocks times the signs of R's diagonal, which makes them uniform."""

    def matrix(rows, columns):
        blocks = []
        for _ in range(-(-rows // columns)):
            q, r = torch.linalg.qr(torch.randn(columns, columns))
            blocks.append((q * r.diagonal().sign()).T)
        lengths = torch.randn(rows, columns).norm(dim=1)
        return lengths[:, None] * torch.cat(blocks)[:rows]

    return _draw(seed, n_features, matrix)
