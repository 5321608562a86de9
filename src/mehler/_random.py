"""Derive weights from seeds, with the same bits on every backend.

Weights are drawn on the host, in float64, by NumPy's Philox counter generator, one independent
stream per block of units. Hence the first units of a large map are the units of a small one, and
any block can be drawn again without the ones before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import numpy as np

from mehler._validate import shown

Draw: TypeAlias = Callable[[np.random.Generator, int], Any]
UNITS_PER_BLOCK = 64
# Python prints no integer of more than 4300 digits, and recipes are JSON.
LARGEST_SEED = 1 << 1024

# Stream of a seed, one number per purpose, never reused for another.
WEIGHTS, DIRECTIONS, POOL_MEMBERS, MIXTURE, OFFSETS = range(5)
LAW, TEMPLATES, ELEMENTS, THRESHOLDS, SELECTION = range(5, 10)
# 10 drew the steps of a learner that is gone.
FOLDS = 11
# And on: two for each layer of a deep network.
LAYERS = 1024
# And on: one for each layer of its tangents; a network has at most 10^4 layers.
TANGENTS = 32768
# Added to the purpose by projections other than independent Gaussians.
ORTHOGONAL, HADAMARD, QUASI = 16, 32, 48


def require_seed(seed: object) -> int:
    """Return `seed` as a non-negative int; reject ``None``, which is not reproducible."""
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
        raise TypeError(f"seed must be a non-negative integer, not {seed!r}; pass for instance 0")
    number = int(seed)
    if not 0 <= number < LARGEST_SEED:
        raise ValueError(
            f"seed must be a non-negative integer below 2^1024, not {shown(number)}: use "
            "secrets.randbits(128) for a random one"
        )
    return number


def generator(seed: int, stream: int, block: int) -> np.random.Generator:
    """Return the generator of one block of one stream of `seed`."""
    sequence = np.random.SeedSequence(entropy=seed, spawn_key=(stream, block))
    return np.random.Generator(np.random.Philox(sequence))


def covering(first: int, n_units: int) -> Iterator[tuple[int, slice, slice]]:
    """Yield blocks that overlap the units: number, slice of the units, their slice of the block."""
    stop = first + n_units
    for block in range(first // UNITS_PER_BLOCK, -(-stop // UNITS_PER_BLOCK)):
        start = block * UNITS_PER_BLOCK
        low, high = max(first, start), min(stop, start + UNITS_PER_BLOCK)
        yield block, slice(low - first, high - first), slice(low - start, high - start)


def generators(
    seed: int, stream: int, first: int, n_units: int
) -> Iterator[tuple[np.random.Generator, slice, slice]]:
    """Yield the generators of `covering` blocks, with the slices of each."""
    for block, here, there in covering(first, n_units):
        yield generator(seed, stream, block), here, there


def gaussian_weights(
    seed: int, stream: int, n_pieces: int, n_inputs: int, n_units: int, dtype: str, first: int = 0
) -> Any:
    """Draw normal weights, (n_pieces, n_inputs, n_units), in float64 rounded to `dtype`."""
    weights = np.empty((n_pieces, n_inputs, n_units), dtype=dtype)
    for rng, here, there in generators(seed, stream, first, n_units):
        drawn = rng.standard_normal((n_pieces, n_inputs, UNITS_PER_BLOCK))
        weights[:, :, here] = drawn[:, :, there]
    return weights


def pool_members(seed: int, pool: int, n_pieces: int, n_units: int, first: int = 0) -> Any:
    """Draw distinct indices below `pool` for units from `first` on: int32, (n_pieces, n_units)."""
    members = np.empty((n_pieces, n_units), dtype=np.int32)
    for rng, here, there in generators(seed, POOL_MEMBERS, first, n_units):
        # Units of a block are drawn in sequence: draw those before the first too.
        drawn = [rng.choice(pool, size=n_pieces, replace=False) for _ in range(there.stop)]
        members[:, here] = np.stack(drawn[there], axis=1)
    return members


def by_blocks(seed: int, stream: int, n_units: int, draw: Draw, first: int = 0) -> Any:
    """Draw one float64 per unit from `first` on by ``draw(generator, n)``: (n_units,)."""
    out = np.empty(n_units)
    for rng, here, there in generators(seed, stream, first, n_units):
        # Whole blocks, so that the first numbers do not depend on how many are requested.
        out[here] = draw(rng, UNITS_PER_BLOCK)[there]
    return out
