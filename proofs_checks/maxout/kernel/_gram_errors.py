"""Errors of the Gram matrix in independent draws, cut from one large map."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from mehler import _arrays, exact
from mehler.statements import Context

# Floats in one block of features, and of weights: 16 MB each.
_BLOCK = 2_000_000


def n_draws(context: Context) -> int:
    """Return the number of draws of the level."""
    return 1500 if context.quick else 20_000


def gram_errors(
    context: Context,
    draw: Callable[..., Any],
    label: str,
    rows: np.ndarray,
    pool_size: int,
    n_features: int,
) -> np.ndarray:
    """Return absolute errors (draws, n, n) of the Gram matrix of unit rows (n, d).

    `draw` draws a map of independent units; `label` names the stream of seeds.
    """
    (n, d), most = rows.shape, n_draws(context)
    rho = np.clip(rows @ rows.T, -1, 1)
    np.fill_diagonal(rho, 1.0)
    kernel = exact.maxout_kernel(rho, pool_size)
    like, placed = context.like(), context.asarray(rows)
    size = max(1, min(most, _BLOCK // (n_features * max(n, pool_size * d))))
    errors = np.empty((most, n, n))
    for block, start in enumerate(range(0, most, size)):
        stop = min(start + size, most)
        units = (stop - start) * n_features
        seed = context.seed_for(f"{label}/{n_features}/{block}")
        phi = draw(d, units, pool_size, seed=seed, like=like)
        features = np.asarray(_arrays.to_host(phi(placed)), dtype=np.float64) * math.sqrt(units)
        parts = features.reshape(n, stop - start, n_features).transpose(1, 0, 2)
        gram = parts @ parts.transpose(0, 2, 1) / n_features
        errors[start:stop] = np.abs(gram - kernel)
    return errors


def rows_in_random_directions(
    rng: np.random.Generator, rows: np.ndarray, n_inputs: int
) -> np.ndarray:
    """Turn rows by a random rotation of a space of `n_inputs` dimensions."""
    basis = np.linalg.qr(rng.standard_normal((n_inputs, rows.shape[1])))[0]
    return rows @ basis.T
