"""Blocks of weights that are drawn together have the bits of each block alone."""

import numpy as np
import pytest

from mehler import _random


@pytest.mark.parametrize("seed", [0, 7, 2**32 - 1, 2**32, 2**64 + 5, 2**127, 2**200 + 3])
@pytest.mark.parametrize("stream", [0, 32, 32768])
def test_generators_of_many_blocks_are_those_of_each(seed, stream):
    together = [
        (rng.standard_normal(3).tolist(), rng.integers(9), rng.random(dtype=np.float32), here)
        for rng, here, _ in _random.generators(seed, stream, 130, 500)
    ]
    apart = []
    for block, here, _ in _random.covering(130, 500):
        rng = _random.generator(seed, stream, block)
        parts = rng.standard_normal(3).tolist(), rng.integers(9), rng.random(dtype=np.float32)
        apart.append((*parts, here))
    assert len(together) == 8
    assert together == apart


@pytest.mark.parametrize("n_units", [0, 1, 64])
def test_few_units_have_few_blocks(n_units):
    assert len(list(_random.generators(3, 0, 0, n_units))) == -(-n_units // 64)
