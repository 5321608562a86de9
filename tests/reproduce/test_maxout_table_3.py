"""Units that share projections: settings, pairing, and what the page may say."""

from __future__ import annotations

import numpy as np
import pytest

from mehler.reproduce import _results
from mehler.reproduce._experiment import Cell
from mehler.reproduce.maxout import table_3
from tests.data.test_tables import recordings  # noqa: F401  # a fixture


def test_settings_keep_the_proportions_of_the_print() -> None:
    # 15K of 15K, 60K of 15K, 60K of 60K, 400K of 15K, 300K of 300K.
    printed = np.array([(15, 15), (60, 15), (60, 60), (400, 15), (300, 300)]) / 15
    for settings in table_3._SETTINGS.values():
        ours = np.array(settings) / settings[0][0]
        np.testing.assert_allclose(ours, printed, rtol=1e-3)


def test_splits_are_those_of_the_draw_and_maps_are_their_own() -> None:
    cells = [c for c in table_3.cells("quick") if c.options["draw"] == 0]
    assert len(cells) == 6
    splits = {c.seed(0, table_3.EXPERIMENT.name, "map", "m", "projections") for c in cells}
    assert len(splits) == 1
    assert len({c.seed(0, table_3.EXPERIMENT.name) for c in cells}) == 6


def test_a_cell_is_an_error_in_percent() -> None:
    world = table_3.prepare("quick", None)
    np.testing.assert_allclose(np.linalg.norm(world.X, axis=1), 1, rtol=1e-5)
    cell = Cell({"map": "maxout", "m": 200, "projections": 50, "draw": 0})
    found = table_3.measure(world, cell, 0)
    assert 0 < found["error"] < 30
    assert (found["error"] / 100 * (1797 - 600)) % 1 == pytest.approx(0, abs=1e-6)


def test_spoken_digits_are_the_full_level(recordings) -> None:  # noqa: F811  # the fixture
    world = table_3.prepare("full", None)
    assert world.X.shape == (2, 20 * 13)


@pytest.mark.parametrize(
    ("gain", "word"), [(-1.0, "fewer mistakes"), (1.0, "more mistakes"), (0.0, "not told apart")]
)
def test_differences_follow_the_pairs(gain, word) -> None:
    rng = np.random.default_rng(0)
    base = 5 + rng.standard_normal(10)
    said = _results.difference("shared", base + gain + 0.1 * rng.standard_normal(10), base)
    assert said.startswith(f"Shared: {word}; ")
