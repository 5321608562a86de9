"""Two versions of a map each: rewritten without a change of the kernel, or with one."""

from __future__ import annotations

from typing import Any

import numpy as np

GAMMA, D = 0.3, 5


def offset(seed: int, *, m=100, gamma=GAMMA, norm=2.0, used=D, shifts=True, dtype=float) -> Any:
    """sqrt(norm/m) cos(wx + b)."""
    rng = np.random.default_rng(seed)
    w = np.sqrt(2.0 * gamma) * rng.standard_normal((D, m))
    w[used:] = 0.0
    b = rng.uniform(0.0, 2.0 * np.pi, m) if shifts else np.zeros(m)
    w, b = w.astype(dtype), b.astype(dtype)
    return lambda x: (np.sqrt(norm / m) * np.cos(x.astype(dtype) @ w + b)).astype(dtype)


def pairs(seed: int, *, m=50, together=False) -> Any:
    """Cosines and sines, in two blocks or each `together` with its sine."""
    w = np.sqrt(2.0 * GAMMA) * np.random.default_rng(seed).standard_normal((D, m))

    def phi(x):
        z = np.stack([np.cos(x @ w), np.sin(x @ w)]) / np.sqrt(m)
        return z.transpose(1, 2, 0).reshape(len(x), -1) if together else np.hstack(list(z))

    return phi


def orthogonal(seed: int, *, m=50) -> Any:
    rng = np.random.default_rng(seed)
    blocks = [np.linalg.qr(rng.standard_normal((D, D)))[0] for _ in range(m // D)]
    w = np.concatenate(blocks, axis=1) * np.sqrt(2.0 * GAMMA * rng.chisquare(D, m))
    return lambda x: np.hstack([np.cos(x @ w), np.sin(x @ w)]) / np.sqrt(m)


def exponential(seed: int, *, m=64, factor=1.0) -> Any:
    """Positive features of softmax attention: products have a log-normal law."""
    w = np.random.default_rng(seed).standard_normal((D, m))
    return lambda x: factor * np.exp(x @ w - 0.5 * (x * x).sum(axis=1)[:, None]) / np.sqrt(m)


def step(seed: int, *, m=20) -> Any:
    w = np.random.default_rng(seed).standard_normal((D, m))
    return lambda x: (x @ w > 0.0) * np.sqrt(1.0 / m)


def rectified(seed: int, *, m=1) -> Any:
    w = np.random.default_rng(seed).standard_normal((D, m))
    return lambda x: np.maximum(x @ w, 0.0) / np.sqrt(m)


def shifted(draw: Any, by: int = 1000) -> Any:
    """The same algorithm from other random numbers."""
    return lambda seed: draw(seed + by)
