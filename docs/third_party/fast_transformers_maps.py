"""fast_transformers.feature_maps: random Fourier features and FAVOR, as seed -> map.

It takes C++ to be built, but these modules are plain Python: a source distribution on Python's path
is enough.
"""

import torch
from fast_transformers.feature_maps import fourier_features

torch.qr = torch.linalg.qr  # which it calls, and PyTorch has removed


def _draw(seed, n_features, make, **options):
    made = []

    def phi(X):
        if not made:
            with torch.random.fork_rng():  # the weights come from torch's global generator
                torch.manual_seed(seed)
                made.append(make(X.shape[1], n_features, **options).double())
                made[0].new_feature_map("cpu")
                made[0].omega = made[0].omega.double()
        with torch.no_grad():
            return made[0](torch.from_numpy(X)).numpy()

    return phi


def fourier(seed, n_features, temp=0.5):
    """As documented of exp(-temp |x - y|^2)."""
    return _draw(seed, n_features, fourier_features.RandomFourierFeatures, softmax_temp=temp)


def smoothed(seed, n_features, temp=1.0):
    """The same at n_features - 1 features, without the constant that is added."""
    phi = _draw(seed, n_features, fourier_features.SmoothedRandomFourierFeatures, softmax_temp=temp)
    return lambda X: phi(X)[:, :-1]


def orthogonal(seed, n_features, temp=1.0):
    """Orthogonal blocks, of whose rows the norms are taken."""
    make = fourier_features.RandomFourierFeatures
    return _draw(seed, n_features, make, softmax_temp=temp, orthogonal=True)


def favor(seed, n_features):
    """Positive features with their negatives, in the same blocks."""
    return _draw(seed, n_features, fourier_features.Favor, softmax_temp=1.0)


def _other_norms(draw):
    """Draw with norms from a second block."""

    def matrix_(w):
        rows, columns = w.shape
        for start in range(0, columns, rows):
            end = min(start + rows, columns)
            q = torch.linalg.qr(torch.randn(rows, rows))[0]
            w[:, start:end] = q[:, : end - start] * torch.randn(rows, end - start).norm(dim=0)

    def drawn(seed, n_features):
        phi = draw(seed, n_features)

        def mended(X):
            before = fourier_features.orthogonal_random_matrix_
            fourier_features.orthogonal_random_matrix_ = matrix_
            try:
                return phi(X)
            finally:
                fourier_features.orthogonal_random_matrix_ = before

        return mended

    return drawn


orthogonal_other_norms = _other_norms(orthogonal)
favor_other_norms = _other_norms(favor)
