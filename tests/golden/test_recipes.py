"""Golden recipes draw the golden weights, and every kind of map still has its golden recipe."""

import fnmatch

import pytest

from tests.golden import _maps
from tests.golden._store import plain, read, require_equal

RECIPES = read("recipes")


def tolerance(kind: str, dtype: str) -> float:
    """0, or the accuracy that `mehler.features.projections` states for weights below 25.

    1e-11 of a vector's length in float64, and the last digit in float32.
    """
    if not _maps.is_rounded(kind):
        return 0.0
    return {"float64": 1e-11, "float32": 2.0**-23}[dtype] * 25


@pytest.mark.parametrize("kind", RECIPES)
def test_recipe_draws_the_same_weights(kind: str):
    weights = _maps.weights(kind, _maps.drawn(RECIPES[kind]))
    for dtype in _maps.DTYPES:
        golden = RECIPES[kind]["weights"][dtype]
        require_equal(
            f"recipes/{kind}/weights/{dtype}", weights[dtype], golden, tolerance(kind, dtype)
        )


@pytest.mark.parametrize("kind", RECIPES)
def test_draw_has_the_same_recipe(kind: str):
    """Gains of chosen columns are computed by linear algebra."""
    recipe = plain(_maps.draw(kind).recipe())
    for golden in (dict(RECIPES[kind]["recipe"]), recipe):
        golden.pop("mehler")
        golden.get("pool", {}).pop("mehler", None)
    require_equal(f"recipes/{kind}/recipe", recipe, golden, tolerance(kind, "float64"))


def test_no_kind_of_map_is_without_golden_values():
    assert RECIPES.keys() == _maps.DRAWS.keys()


def test_each_row_of_differences_lists_golden_values_and_a_reason():
    kinds = read("recipes")
    parts = ("recipe", *(f"weights/{dtype}" for dtype in _maps.DTYPES))
    keys = [f"{name}/{key}" for name in ("maps", "bounds", "exact") for key in read(name)]
    keys += [f"recipes/{kind}/{part}" for kind in kinds for part in parts]
    for row in read("differences"):
        matches = fnmatch.filter(keys, row["key"])
        assert matches, f"no golden value is called {row['key']}"
        assert row["reason"]
        assert "now" not in row or matches == [row["key"]]
