"""Derive weights from seeds, with the same bits on every backend.

Weights are drawn on the host, in float64, by NumPy's Philox generator, one independent stream per
block of 64 units (random features). Hence the first units of a large map are those of a small one;
any block can be drawn again without the ones before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from mehler._validate import shown

UNITS_PER_BLOCK = 64
# Python prints no integer of more than 4300 digits, and recipes are JSON.
LARGEST_SEED = 1 << 1024

# Stream of a seed, one number per purpose, never reused for another.
WEIGHTS, DIRECTIONS, POOL_MEMBERS, MIXTURE, OFFSETS = range(5)
LAW, TEMPLATES, ELEMENTS, THRESHOLDS, SELECTION = range(5, 10)
FOLDS = 11  # 10 drew the steps of a learner that is gone
LAYERS = 1024  # and on: two for each layer of a deep network
TANGENTS = 32768  # and on: one for each layer of its tangents; a network has at most 10^4
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


def generators(
    seed: int, stream: int, first: int, n_units: int
) -> Iterator[tuple[np.random.Generator, slice, slice]]:
    """Yield for each block its generator, its slice of the units, and their slice of the block."""
    size, stop = UNITS_PER_BLOCK, first + n_units
    blocks = range(first // size, -(-stop // size))
    for block, rng in zip(blocks, in_turn(seed, stream, blocks), strict=True):
        start = block * size
        low, high = max(first, start), min(stop, start + size)
        yield rng, slice(low - first, high - first), slice(low - start, high - start)


def in_turn(seed: int, stream: int, blocks: range) -> Iterator[np.random.Generator]:
    """Yield the generator of each block; of many, one that gets new keys, six times as fast."""
    if len(blocks) < 8 or blocks[-1] >> 32:
        yield from (generator(seed, stream, block) for block in blocks)
        return
    # NumPy's SeedSequence mixes the block in last, after what is the same for all blocks.
    pool = np.random.SeedSequence(entropy=seed, spawn_key=(stream,)).pool
    n_hashes = 4 * (max(4, -(-seed.bit_length() // 32)) + 1)
    words = np.array(blocks, dtype=np.uint32)[:, None]
    words = _hashed(words, 0x43B0D7E5 * pow(0x931E8875, n_hashes, 1 << 32), 0x931E8875)
    pool = pool * np.uint32(0xCA01F9DD) - words * np.uint32(0x4973F715)
    rng = generator(seed, stream, 0)
    state = rng.bit_generator.state
    for key in _hashed(pool ^ pool >> 16, 0x8B51F9DD, 0x58F38DED).view(np.uint64):
        state["state"]["key"] = key
        rng.bit_generator.state = state
        yield rng


def _hashed(words: Any, start: int, factor: int) -> Any:
    """Hash words of 32 bits as SeedSequence does, four times, by constants start * factor^i."""
    constants = np.array([start * factor**i % (1 << 32) for i in range(5)], dtype=np.uint32)
    words = (words ^ constants[:4]) * constants[1:]
    return words ^ words >> 16


def gaussian_weights(
    seed: int, stream: int, n_pieces: int, n_inputs: int, n_units: int, dtype: str, first: int = 0
) -> Any:
    """Draw normal weights, (n_pieces, n_inputs, n_units), in float64 rounded to `dtype`."""
    weights = np.empty((n_pieces, n_inputs, n_units), dtype=dtype)
    for rng, here, there in generators(seed, stream, first, n_units):
        normals = rng.standard_normal((n_pieces, n_inputs, UNITS_PER_BLOCK))
        weights[:, :, here] = normals[:, :, there]
    return weights


def uniforms(seed: int, stream: int, n_units: int, first: int = 0) -> Any:
    """Draw one uniform float64 in [0, 1) per unit from `first` on: (n_units,)."""
    out = np.empty(n_units)
    for rng, here, there in generators(seed, stream, first, n_units):
        # Whole blocks, so that the first numbers do not depend on how many are requested.
        out[here] = rng.random(UNITS_PER_BLOCK)[there]
    return out
