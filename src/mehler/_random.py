"""Derive weights from seeds, with the same bits on every backend.

The array API standard has no random numbers, so weights are drawn on the host, in
float64, by NumPy's Philox counter generator, one independent stream per block of units.
Hence the same seed gives the same weights everywhere; the first units of a large map are
the units of a small one; and any block can be drawn again without the ones before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler._arrays import Array
from mehler._validate import shown

UNITS_PER_BLOCK = 64
# Python prints no integer of more than 4300 digits, and recipes are JSON.
LARGEST_SEED = 1 << 1024
# Constants of numpy.random.SeedSequence, whose bits NumPy promises to keep.
_INIT_A, _MULT_A, _INIT_B, _MULT_B = 0x43B0D7E5, 0x931E8875, 0x8B51F9DD, 0x58F38DED
_MIX_L, _MIX_R, _WORDS, _WRAP = 0xCA01F9DD, 0x4973F715, 4, 1 << 32

# Stream of a seed, one number per purpose, never reused for another.
WEIGHTS = 0
DIRECTIONS = 1
POOL_MEMBERS = 2
MIXTURE = 3
OFFSETS = 4
LAW = 5
TEMPLATES = 6
ELEMENTS = 7
THRESHOLDS = 8
SELECTION = 9
# 10 drew the steps of a learner that is gone.
FOLDS = 11
# And on: two for each layer of a deep network.
LAYERS = 1024
# And on: one for each layer of its tangents; a network has at most 10^4 layers.
TANGENTS = 32768
# Added to the purpose by projections other than independent Gaussians.
ORTHOGONAL = 16
HADAMARD = 32
QUASI = 48


def require_seed(seed: object) -> int:
    """Return `seed` as a non-negative int; refuse ``None``, which nobody could replay."""
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
        raise TypeError(f"seed must be a non-negative integer, not {seed!r}; pass for instance 0")
    number = int(seed)
    if not 0 <= number < LARGEST_SEED:
        raise ValueError(
            f"seed must be a non-negative integer below 2^1024, which can be printed, not "
            f"{shown(number)}: secrets.randbits(128) is a good one"
        )
    return number


def generator(seed: int, stream: int, block: int) -> np.random.Generator:
    """Return the generator of one block of one stream of `seed`."""
    sequence = np.random.SeedSequence(entropy=seed, spawn_key=(stream, block))
    return np.random.Generator(np.random.Philox(sequence))


def covering(first: int, n_units: int) -> Iterator[tuple[int, slice, slice]]:
    """Yield the blocks that overlap the units from `first` on.

    Each as its number, its slice of the units asked for, and their slice of the block.
    """
    stop = first + n_units
    for block in range(first // UNITS_PER_BLOCK, -(-stop // UNITS_PER_BLOCK)):
        start = block * UNITS_PER_BLOCK
        low, high = max(first, start), min(stop, start + UNITS_PER_BLOCK)
        yield block, slice(low - first, high - first), slice(low - start, high - start)


def generators(
    seed: int, stream: int, first: int, n_units: int
) -> Iterator[tuple[np.random.Generator, slice, slice]]:
    """Yield the generators of `covering` blocks, with the slices of each.

    One object serves all blocks in turn, since a new one costs ten times as much: draw from it
    before the next.
    """
    blocks = list(covering(first, n_units))
    if len(blocks) < 2:
        yield from ((generator(seed, stream, k), here, there) for k, here, there in blocks)
        return
    rng = generator(seed, stream, blocks[0][0])
    fresh: Any = rng.bit_generator.state
    keys = _keys(seed, stream, [block for block, _, _ in blocks])
    for key, (_, here, there) in zip(keys, blocks):
        rng.bit_generator.state = {**fresh, "state": {**fresh["state"], "key": key}}
        yield rng, here, there


def _keys(seed: int, stream: int, blocks: list[int]) -> NDArray[np.uint64]:
    """Return the keys that `generator` gives to Philox, (n, 2), for all blocks at once.

    The block is the last word of the entropy, so that only its mixing differs between blocks.
    Source: M. E. O'Neill, Developing a seed_seq alternative (2015), as in NumPy's SeedSequence.
    """
    pool = np.random.SeedSequence(entropy=seed, spawn_key=(stream,)).pool
    # One constant for each word of the pool and of the entropy before.
    n_words = max(_WORDS, -(-seed.bit_length() // 32)) + 1
    constant = _INIT_A * pow(_MULT_A, _WORDS * n_words, _WRAP) % _WRAP
    final, block, words = _INIT_B, np.array(blocks, dtype=np.uint32), []
    for entry in pool.tolist():
        hashed = block ^ constant
        constant = constant * _MULT_A % _WRAP
        mixed = _MIX_L * entry % _WRAP - _MIX_R * _folded(hashed * constant)
        word = _folded(mixed) ^ final
        final = final * _MULT_B % _WRAP
        words.append(_folded(word * final))
    return np.stack(words, axis=1).astype("<u4").view("<u8").astype(np.uint64)


def _folded(word: Array) -> Any:
    return word ^ (word >> 16)


def gaussian_weights(
    seed: int,
    stream: int,
    n_pieces: int,
    n_inputs: int,
    n_units: int,
    dtype: str,
    first: int = 0,
) -> Any:
    """Draw standard normal weights, (n_pieces, n_inputs, n_units), for the units from `first` on.

    Drawn on the host in float64 and rounded to `dtype`.
    """
    weights = np.empty((n_pieces, n_inputs, n_units), dtype=dtype)
    for rng, here, there in generators(seed, stream, first, n_units):
        drawn = rng.standard_normal((n_pieces, n_inputs, UNITS_PER_BLOCK))
        weights[:, :, here] = drawn[:, :, there]
    return weights


def pool_members(seed: int, pool: int, n_pieces: int, n_units: int, first: int = 0) -> Any:
    """Draw n_pieces distinct indices below `pool` per unit: (n_pieces, n_units).

    For the units from `first` on. In int32, as some devices lack int64.
    """
    members = np.empty((n_pieces, n_units), dtype=np.int32)
    for rng, here, there in generators(seed, POOL_MEMBERS, first, n_units):
        # Units of a block are drawn in sequence: draw those before the first too.
        drawn = [rng.choice(pool, size=n_pieces, replace=False) for _ in range(there.stop)]
        members[:, here] = np.stack(drawn[there], axis=1)
    return members


def by_blocks(
    seed: int,
    stream: int,
    n_units: int,
    draw: Callable[[np.random.Generator, int], Any],
    first: int = 0,
) -> Any:
    """Draw one float64 per unit from `first` on by ``draw(generator, n)``: (n_units,)."""
    out = np.empty(n_units)
    for rng, here, there in generators(seed, stream, first, n_units):
        # Whole blocks, so that the first numbers do not depend on how many are requested.
        out[here] = draw(rng, UNITS_PER_BLOCK)[there]
    return out
