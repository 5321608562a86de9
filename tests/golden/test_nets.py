"""The golden values see what is changed on purpose, by little."""

from __future__ import annotations

import dataclasses
import json

import pytest

import mehler
from mehler import exact
from tests.golden import _store, make, test_bounds, test_exact, test_maps, test_recipes


def test_another_weight_is_seen(monkeypatch: pytest.MonkeyPatch):
    draw = mehler.MaxoutFeatures._draw

    def changed(self, dtype, units):
        first, *others = draw(self, dtype, units)
        first = first.copy()
        first.flat[7] = -first.flat[7]
        return (first, *others)

    monkeypatch.setattr(mehler.MaxoutFeatures, "_draw", changed)
    with pytest.raises(AssertionError, match="maxout/weights/float64"):
        test_recipes.test_recipe_draws_the_same_weights("maxout")
    with pytest.raises(AssertionError, match="maxout/features/float64"):
        test_maps.test_values_on_numpy("maxout", "float64")


def test_another_kernel_is_seen(monkeypatch: pytest.MonkeyPatch):
    kernel = mehler.FourierFeatures._kernel_of
    monkeypatch.setattr(
        mehler.FourierFeatures,
        "_kernel_of",
        lambda self, x, y: kernel(self, x * (1 + 1e-12), None if y is None else y * (1 + 1e-12)),
    )
    with pytest.raises(AssertionError, match="pairs/kernel/float64"):
        test_maps.test_values_on_numpy("pairs", "float64")


def test_another_constant_of_a_bound_is_seen(monkeypatch: pytest.MonkeyPatch):
    theorem = test_bounds.function_of("maxout.theorem_2")[0]

    def changed(*args, **kwargs):
        bound = theorem(*args, **kwargs)
        return dataclasses.replace(bound, probability=bound.probability * (1 - 1e-9))

    monkeypatch.setattr(test_bounds, "function_of", lambda name: (changed, {}))
    row = test_bounds.BOUNDS["maxout.theorem_2/1"]
    with pytest.raises(AssertionError, match=r"maxout\.theorem_2/1"):
        test_bounds.require("maxout.theorem_2/1", row["arguments"], row)


def test_another_digit_is_seen(monkeypatch: pytest.MonkeyPatch):
    kernel = exact.maxout_kernel
    monkeypatch.setattr(
        exact, "maxout_kernel", lambda rho, q, **kw: kernel(rho, q, **kw) * (1 + 1e-11)
    )
    with pytest.raises(AssertionError, match="maxout_kernel/4"):
        test_exact.test_floats("maxout_kernel/4")


def test_a_difference_that_is_listed_has_to_differ(monkeypatch: pytest.MonkeyPatch):
    row = {"key": "maps/maxout/kernel/*", "reason": "none"}
    monkeypatch.setattr(_store, "rows_of_differences", lambda: [row])
    with pytest.raises(AssertionError, match="does not differ: 'none' is stale"):
        test_maps.test_values_on_numpy("maxout", "float64")


def test_a_difference_that_is_listed_has_its_new_value(monkeypatch: pytest.MonkeyPatch):
    row = {"key": "value", "reason": "of a reason", "now": 2.0}
    monkeypatch.setattr(_store, "rows_of_differences", lambda: [row])
    _store.require_equal("value", 2.0, 1.0)
    with pytest.raises(AssertionError, match=r"value is 3\.0, and was 2\.0"):
        _store.require_equal("value", 3.0, 1.0)


@pytest.mark.parametrize(
    ("value", "golden"),
    [(1.0 + 2**-52, 1.0), (float("nan"), 1.0), ([1.0, 2.0], [1.0]), (None, 1.0), ("1", 1.0)],
)
def test_what_is_not_the_same_is_seen(value, golden):
    assert not _store.close(value, golden)
    assert _store.close(golden, json.loads(json.dumps(golden)))


def test_files_are_made_once(tmp_path, capsys):
    for name in make.FILES:
        (tmp_path / f"{name}.json").write_text("{}")
    with pytest.raises(SystemExit):
        make.main([str(tmp_path), "figures"])
    assert "made once" in capsys.readouterr().err
    with pytest.raises(FileExistsError):
        _store.write("figures", {}, tmp_path)


def test_files_are_small():
    assert sum(path.stat().st_size for path in _store.FOLDER.glob("*.json")) < 2_000_000
