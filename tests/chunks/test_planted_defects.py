"""What the tests on a cluster are there to find: a run that loses or doubles a block."""

from __future__ import annotations

import dask
import pytest

from mehler import learn
from mehler._arrays import _chunks
from tests.chunks.cluster import (
    a_map,
    assert_same_sums,
    assert_same_weights,
    in_chunks,
    rows_and_targets,
)

ADDED = _chunks._added
DEFECTS = {
    "the last block is lost": lambda parts: parts[:-1],
    "a block is lost": lambda parts: parts[:5] + parts[6:],
    "a block is doubled": lambda parts: [*parts, parts[5]],
    # The number of rows, which is easily looked at, stays right.
    "a block stands for another": lambda parts: [*parts[:5], parts[6], *parts[6:]],
}


def summed():
    with dask.config.set(scheduler="synchronous"):
        return learn.RidgeSums(a_map()).add(*in_chunks(*rows_and_targets()))


@pytest.mark.parametrize("defect", DEFECTS)
def test_a_lost_or_doubled_block_is_found(monkeypatch, defect):
    monkeypatch.setattr(_chunks, "_added", lambda parts, add: ADDED(DEFECTS[defect](parts), add))
    whole = learn.RidgeSums(a_map()).add(*rows_and_targets())
    with pytest.raises(AssertionError):
        assert_same_sums(summed(), whole)


def test_and_the_comparison_passes_what_is_right():
    whole = learn.RidgeSums(a_map()).add(*rows_and_targets())
    assert_same_sums(summed(), whole)
    assert_same_weights(summed(), whole, 1e-3)


def test_one_wrong_row_is_found():
    x, y = rows_and_targets()
    whole = learn.RidgeSums(a_map()).add(x, y)
    x[1234] += 1e-9
    with pytest.raises(AssertionError):
        assert_same_sums(learn.RidgeSums(a_map()).add(x, y), whole)
