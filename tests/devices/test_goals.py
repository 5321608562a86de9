"""Launches and waits of each map stay within the goals that the documentation states."""

from __future__ import annotations

import pytest

from mehler import _arrays
from tests.devices import goals
from tests.verify.map_kinds import DRAWS


@pytest.mark.parametrize("kind", DRAWS)
def test_a_call_keeps_within_its_goals(cupy, kind):
    found = goals.call(cupy, kind, 40)
    assert found.blocks == 1
    assert found.launches_per_block <= found.allowed
    assert (found.waits, found.bytes_in) == (goals.WAITS, 0)
    # Is every row finite; or the largest entry, as a float32.
    assert found.bytes_out in (1, 4)


@pytest.mark.parametrize("kind", DRAWS)
@pytest.mark.sampled(12)
def test_several_blocks_take_no_more_each_and_one_look(cupy, monkeypatch, kind):
    """On a device with a thousandth of the memory: blocks of a few hundred rows or fewer."""
    usual = _arrays.block_rows_for_map(goals.N_FEATURES, 4, cupy.ones((1, 3)))
    monkeypatch.setattr(_arrays._rows, "_ACCELERATOR", 1 << 18)
    found = goals.call(cupy, kind, 3000)
    assert 2 <= found.blocks <= 3000 < usual
    # One launch more copies a block to its place, and two gather the looks at blocks of rows.
    assert found.launches_per_block <= found.allowed + 3
    assert found.waits == goals.WAITS


def test_what_is_above_the_goal_has_a_reason():
    assert set(goals.ABOVE) <= set(DRAWS)
    assert all(most > goals.LAUNCHES and why for most, why in goals.ABOVE.values())
