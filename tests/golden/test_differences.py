"""Every row of the table of differences lists golden values, and says why they differ.

That what it lists still differs is held where the values are compared.
"""

from __future__ import annotations

import fnmatch

from tests.golden import _maps
from tests.golden._store import read


def keys() -> list[str]:
    """Return the keys of all golden values that may differ."""
    return [
        *(f"{name}/{key}" for name in ("maps", "bounds", "exact") for key in read(name)),
        *(f"recipes/{kind}/recipe" for kind in read("recipes")),
        *(f"recipes/{kind}/weights/{dtype}" for kind in read("recipes") for dtype in _maps.DTYPES),
    ]


def test_each_row_lists_golden_values_and_a_reason():
    for row in read("differences"):
        matches = fnmatch.filter(keys(), row["key"])
        assert matches, f"no golden value is called {row['key']}"
        assert row["reason"]
        assert "now" not in row or matches == [row["key"]]
