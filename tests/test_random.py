"""Blocks of weights."""

import numpy as np
import pytest

from mehler import _random


def test_seeds_end_below_two_to_the_1024():
    assert _random.require_seed(2**1024 - 1) == 2**1024 - 1
    with pytest.raises(ValueError, match="below 2\\^1024"):
        _random.require_seed(2**1024)


@pytest.mark.parametrize("n_units", [0, 1, 64])
def test_few_units_have_few_blocks(n_units):
    assert len(list(_random.generators(3, 0, 0, n_units))) == -(-n_units // 64)


@pytest.mark.parametrize("seed", [0, 7, 2**32, 2**128 - 1, 2**1000])
@pytest.mark.parametrize(("first", "n_units"), [(0, 700), (130, 600), (2**38, 600)])
def test_blocks_in_a_row_have_the_bits_of_single_ones(seed, first, n_units):
    blocks = range(first // 64, -(-(first + n_units) // 64))
    together = [rng.standard_normal(3) for rng, *_ in _random.generators(seed, 5, first, n_units)]
    alone = [_random.generator(seed, 5, block).standard_normal(3) for block in blocks]
    assert np.array_equal(together, alone)
