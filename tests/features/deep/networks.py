"""Deep networks drawn by NumPy alone, as in the definition, and their kernels."""

from __future__ import annotations

import numpy as np


def outputs(seed, X, width, depth, *, act, pool=1, w=1.0, b=0.0, n_out=1):
    """Draw z_1 = W_1 x + b_1, ..., and return read-outs (n, n_out) divided by sqrt(n_out)."""
    rng = np.random.default_rng(seed)
    h = X
    for _ in range(depth):
        z = 0.0
        fan_in = h.shape[1]
        W = rng.standard_normal((pool, fan_in, width)) * (w / fan_in) ** 0.5
        z = h @ W + rng.standard_normal((pool, 1, width)) * b**0.5
        h = act(z)
    W = rng.standard_normal((h.shape[1], n_out)) * (w / h.shape[1]) ** 0.5
    return (h @ W + rng.standard_normal(n_out) * b**0.5) / n_out**0.5


def maxout(z):
    return z.max(axis=0)


def elementwise(function):
    return lambda z: function(z[0])


def cho_saul(X, depth, w, b):
    """ReLU's NNGP and NTK by Cho and Saul's formula, with clipped cosines."""
    S = w * X @ X.T / X.shape[1] + b
    T = S.copy()
    for _ in range(depth):
        d = np.sqrt(np.diag(S))
        c = np.clip(S / np.outer(d, d), -1, 1)
        np.fill_diagonal(c, 1.0)
        t = np.arccos(c)
        S = w * np.outer(d, d) / (2 * np.pi) * (np.sin(t) + (np.pi - t) * c) + b
        T = S + w * (np.pi - t) / (2 * np.pi) * T
    return S, T
