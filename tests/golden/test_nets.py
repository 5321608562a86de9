"""The golden values see what is changed on purpose, by little, and differences have reasons."""

import dataclasses
import fnmatch
import json

import pytest

from mehler.bounds import maxout
from tests.golden import _maps, _store, test_bounds, test_maps
from tests.golden.test_bounds import BOUNDS


def test_another_constant_of_a_bound_is_seen(monkeypatch: pytest.MonkeyPatch):
    def changed(*args, **kwargs):
        bound = theorem(*args, **kwargs)
        return dataclasses.replace(bound, probability=bound.probability * (1 - 1e-9))

    theorem = maxout.excess_risk
    key = next(k for k, row in BOUNDS.items() if row.get("call", "").endswith("maxout:excess_risk"))
    monkeypatch.setattr(maxout, "excess_risk", changed)
    with pytest.raises(AssertionError, match=key):
        test_bounds.require(key, BOUNDS[key])


def test_a_difference_that_is_listed_has_to_differ(monkeypatch: pytest.MonkeyPatch):
    row = {"key": "maps/maxout/kernel/*", "reason": "none"}
    monkeypatch.setattr(_store, "rows_of_differences", lambda: [row])
    with pytest.raises(AssertionError, match="does not differ: 'none' is stale"):
        test_maps.test_values_on_numpy("maxout", "float64")


@pytest.mark.parametrize(
    ("value", "golden"),
    [(1.0 + 2**-52, 1.0), (float("nan"), 1.0), ([1.0, 2.0], [1.0]), (None, 1.0), ("1", 1.0)],
)
def test_what_is_not_the_same_is_seen(value, golden):
    assert not _store.close(value, golden)
    assert _store.close(golden, json.loads(json.dumps(golden)))


def test_each_row_of_differences_lists_golden_values_and_a_reason():
    kinds = _store.read("recipes")
    parts = ("recipe", *(f"weights/{dtype}" for dtype in _maps.DTYPES))
    keys = [f"{name}/{key}" for name in ("maps", "bounds", "exact") for key in _store.read(name)]
    keys += [f"recipes/{kind}/{part}" for kind in kinds for part in parts]
    for row in _store.read("differences"):
        matches = fnmatch.filter(keys, row["key"])
        assert matches, f"no golden value is called {row['key']}"
        assert row["reason"]
        assert "now" not in row or matches == [row["key"]]
