"""Calls and files of ours on five ways through the library: they may only fall."""

from __future__ import annotations

import pytest

from tests.golden import _paths
from tests.golden._store import read

LIMITS = read("figures")["paths"]


@pytest.mark.parametrize("name", LIMITS)
def test_no_way_is_longer_than_it_was(name: str):
    counts = _paths.count(_paths.paths()[name])
    for what, limit in LIMITS[name]["at most"].items():
        assert counts[what] <= limit, f"{name} takes {counts[what]} {what} of ours, over {limit}"
