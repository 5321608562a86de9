"""Blocks of weights."""

import pytest

from mehler import _random


@pytest.mark.parametrize("n_units", [0, 1, 64])
def test_few_units_have_few_blocks(n_units):
    assert len(list(_random.generators(3, 0, 0, n_units))) == -(-n_units // 64)
