"""Independent draws of the Gram matrix of a map, cut from one large one."""

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from mehler import _arrays
from mehler.statements import Context

# Floats in one block of features: 16 MB.
_BLOCK = 2_000_000
Draw = Callable[..., Any]


def grams(
    context: Context, draw: Draw, label: str, rows: Any, *, n_features: int, n_draws: int
) -> Iterator[Any]:
    """Yield blocks (k, n, n) of Gram matrices of n_features; ``draw(count, seed=, like=)``."""
    n = rows.shape[0]
    points = context.asarray(rows)
    size = max(1, min(n_draws, _BLOCK // (n_features * n)))
    for block, start in enumerate(range(0, n_draws, size)):
        k = min(size, n_draws - start)
        seed = context.seed_for(f"{label}/{n_features}/{block}")
        phi = draw(k * n_features, seed=seed, like=context.like())
        # Columns of one draw share its blocks: pairs of cosine and sine lie apart by half.
        columns = np.asarray(_arrays.to_host(phi(points)), dtype=np.float64) * math.sqrt(k)
        parts = columns_of_draws(phi, columns, k).transpose(1, 0, 2)
        yield parts @ parts.transpose(0, 2, 1)


def columns_of_draws(phi: Any, features: Any, k: int) -> Any:
    """Return features (n, k, m): whole blocks of cosine and sine for each draw."""
    n = features.shape[0]
    if getattr(phi, "form", "") == "pairs":
        halves = features.reshape(n, 2, k, -1)
        return halves.transpose(0, 2, 1, 3).reshape(n, k, -1)
    return features.reshape(n, k, -1)


def norms(blocks: Iterator[Any], kernel: Any, ridge: float | None) -> Any:
    """Return spectral norms of the errors, relative to K + ridge, or as they are."""
    mu, vectors = np.linalg.eigh(kernel)
    scale = np.ones_like(mu) if ridge is None else 1 / np.sqrt(np.maximum(mu, 0) + ridge)
    coordinates = vectors * scale
    errors = []
    for grams_ in blocks:
        error = coordinates.T @ (grams_ - kernel) @ coordinates
        errors.append(np.abs(np.linalg.eigvalsh(error)).max(axis=1))
    return np.concatenate(errors)
