"""What is measured beside what: the maps, the bare product of their operations, and the others.

Each function gives the calls of one setting by name, the bare product first. The product runs over
row blocks into memory that stays resident: the floor. Maps write a fresh output, as users get it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from sklearn.kernel_approximation import RBFSampler

import mehler
from mehler import _random
from mehler.features import groups
from mehler.features.projections import _orthogonal, named

torch.set_num_threads(1)

FLOOR = "bare product"
TORCH_FLOOR = "bare products in blocks, torch"
BLOCK = 1024
Runs = dict[str, Callable[[], Any]]


def rows_of(n, d, dtype="float32"):
    return np.random.default_rng(0).standard_normal((n, d)).astype(dtype)


def product(x, weights):
    """The floor: row blocks into memory that stays resident."""
    resident = np.empty((min(BLOCK, len(x)), weights.shape[1]), x.dtype)

    def run():
        for start in range(0, len(x), BLOCK):
            rows = x[start : start + BLOCK]
            np.matmul(rows, weights, out=resident[: len(rows)])

    return run


def maps_of_pools(d, m, q, like):
    """The maps of the maxout family, on the library of `like`."""
    options = {"seed": 0, "like": like}
    return {
        "MaxoutFeatures": mehler.MaxoutFeatures.draw(d, m, q, **options),
        "MaxoutFeatures, shared, P = m": mehler.MaxoutFeatures.draw(
            d, m, q, n_projections=m, **options
        ),
        "DecoupledMaxoutFeatures": mehler.DecoupledMaxoutFeatures.draw(d, m, q, **options),
        "MaxoutCodes": mehler.MaxoutCodes.draw(d, m, q, **options),
    }


def calls(maps, x, note=""):
    return {f"{name}{note}": lambda phi=phi: phi(x) for name, phi in maps.items()}


def pools(n, d, m, q) -> Runs:
    x = rows_of(n, d)
    maps = maps_of_pools(d, m, q, x)
    weights = maps["MaxoutFeatures"]._weights("float32")[0]
    flat = np.ascontiguousarray(np.moveaxis(weights, 0, -1)).reshape(d, m * q)
    x_torch, flat_torch = torch.from_numpy(x), torch.from_numpy(flat)
    weights_torch = torch.from_numpy(weights)
    on_torch = {name: phi.to(torch) for name, phi in maps.items() if "shared" not in name}
    resident = torch.empty((min(n, 256), m))

    def bare_torch():
        for rows in x_torch.split(256):
            for piece in weights_torch.unbind():
                torch.mm(rows, piece, out=resident[: len(rows)])

    return {
        FLOOR: product(x, flat),
        **calls(maps, x),
        "naive, NumPy": lambda: (x @ flat).reshape(n, m, q).max(-1) / np.sqrt(m),
        TORCH_FLOOR: bare_torch,
        **calls(on_torch, x_torch, " on torch"),
        "naive, torch": lambda: (x_torch @ flat_torch).reshape(n, m, q).amax(-1) / m**0.5,
    }


def fourier(n, d, m, dtype) -> Runs:
    x = rows_of(n, d, dtype)
    gamma = 0.5 / d
    sampler = RBFSampler(gamma=gamma, n_components=m, random_state=0).fit(x)
    weights = sampler.random_weights_.astype(dtype)
    offset = sampler.random_offset_.astype(dtype)
    x_torch, w_torch, b_torch = map(torch.from_numpy, (x, weights, offset))
    maps = {
        f"FourierFeatures, {form}": mehler.FourierFeatures.draw(
            d, m, gamma=gamma, form=form, seed=0, like=x
        )
        for form in ("pairs", "offset")
    }
    on_torch = {"FourierFeatures, pairs": maps["FourierFeatures, pairs"].to(torch)}
    return {
        FLOOR: product(x, weights),
        **calls(maps, x),
        "RBFSampler": lambda: sampler.transform(x),
        "naive, NumPy": lambda: np.sqrt(2 / m).astype(dtype) * np.cos(x @ weights + offset),
        **calls(on_torch, x_torch, " on torch"),
        "naive, torch": lambda: (2 / m) ** 0.5 * torch.cos(x_torch @ w_torch + b_torch),
    }


def invariants(n, d, m, r, columns) -> Runs:
    group = groups.CyclicShifts(d).drawn(r, seed=0)
    x = rows_of(n, d)
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    phi = mehler.GroupInvariantFeatures.draw(
        d, group=group, n_templates=m, n_bins=columns // 2, seed=0, like=x
    )
    moved = np.ascontiguousarray(phi.group.apply(phi._weights("float32")[2]))  # (r, m, d)
    flat = np.ascontiguousarray(np.moveaxis(moved, 0, 1)).reshape(-1, d).T.copy()
    thresholds = phi.bins.thresholds.astype(np.float32)

    def broadcast():
        # All projections against all thresholds, a few rows at a time.
        for start in range(0, n, 16):
            values = (x[start : start + 16] @ flat).reshape(-1, m, r, 1)
            (values <= thresholds).mean(axis=2)

    return {
        FLOOR: product(x, flat),
        "GroupInvariantFeatures": lambda: phi(x),
        "all comparisons at once": broadcast,
    }


def structured(d) -> Runs:
    n = max(512, (1 << 20) // d)
    x = rows_of(n, d)
    weights = np.random.default_rng(1).standard_normal((d, d)).astype(np.float32)
    projection = named("hadamard")
    drawn = projection.draw(0, 1, d, d, "float32")
    left, right = _orthogonal.factors(d, "float32")
    step = projection.block_rows_for_map(d)
    resident = np.empty((step, d), np.float32)
    starts = range(0, n, step)

    def transform():
        for start in starts:
            _orthogonal.transform(np, x[start : start + step].T, left, right)

    def whole():
        for start in starts:
            rows = x[start : start + step]
            for piece in projection.pieces(np, rows, *drawn):
                resident[: len(rows)] = piece

    return {
        FLOOR: product(x, weights),
        "Walsh-Hadamard transform": transform,
        "projections='hadamard'": whole,
    }


def weights(n, d, m, q) -> Runs:
    """Drawing the weights; in blocks that can be drawn again, and in one stream."""
    x = rows_of(n, d)
    phi = mehler.MaxoutFeatures.draw(d, m, q, seed=0, like=x)
    return {
        f"MaxoutFeatures of {n} rows": lambda: phi(x),
        "drawing its weights": lambda: _random.gaussian_weights(0, 0, q, d, m, "float32"),
        "one stream of NumPy": lambda: (
            np.random.Generator(np.random.Philox(0)).standard_normal((q, d, m)).astype("float32")
        ),
    }
