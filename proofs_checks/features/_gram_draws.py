"""Draw many Gram matrices of a random map, by cutting large maps into independent small ones."""

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from mehler import _arrays
from mehler.statements import Context

_BLOCK = 2_000_000  # floats in one block of features: 16 MB
Draw = Callable[..., Any]


def n_draws(context: Context) -> int:
    """Return the number of draws of the level, quick or full."""
    return 1000 if context.quick else 20_000


def grams(
    context: Context,
    draw: Draw,
    label: str,
    rows: Any,
    *,
    n_features: int,
    n_draws: int,
    n_weights: int = 0,
) -> Iterator[Any]:
    """Yield blocks (k, n, n) of k Gram matrices, by `n_features` features each, at n rows.

    ``draw(count, seed=, like=)`` draws a map of `count` features; `label` makes the seeds. Blocks
    stay small, also where a feature has more weights, `n_weights`, than there are rows.
    """
    n = rows.shape[0]
    points = context.asarray(rows)
    size = max(1, min(n_draws, _BLOCK // (n_features * max(n, n_weights))))
    for block, start in enumerate(range(0, n_draws, size)):
        k = min(size, n_draws - start)
        seed = context.seed_for(f"{label}/{n_features}/{block}")
        phi = draw(k * n_features, seed=seed, like=context.like())
        # Columns of one draw share its blocks: pairs of cosine and sine lie apart by half.
        columns = np.asarray(_arrays.to_host(phi(points)), dtype=np.float64) * math.sqrt(k)
        parts = columns_of_draws(phi, columns, k).transpose(1, 0, 2)
        yield parts @ parts.transpose(0, 2, 1)


def columns_of_draws(phi: Any, features: Any, k: int) -> Any:
    """Split features (n, k m) into those of k draws, (n, k, m); cosines keep their sines."""
    n = features.shape[0]
    if getattr(phi, "form", "") == "pairs":
        halves = features.reshape(n, 2, k, -1)
        return halves.transpose(0, 2, 1, 3).reshape(n, k, -1)
    return features.reshape(n, k, -1)


def norms(blocks: Iterator[Any], kernel: Any, ridge: float | None) -> Any:
    """Return the spectral norm of each Gram matrix less K, relative to K + ridge with a ridge."""
    mu, vectors = np.linalg.eigh(kernel)
    scale = np.ones_like(mu) if ridge is None else 1 / np.sqrt(np.maximum(mu, 0) + ridge)
    coordinates = vectors * scale
    errors = []
    for grams_ in blocks:
        error = coordinates.T @ (grams_ - kernel) @ coordinates
        errors.append(np.abs(np.linalg.eigvalsh(error)).max(axis=1))
    return np.concatenate(errors)
