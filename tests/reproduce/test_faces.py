"""Real faces in the plane: shrunk pictures, who is near whom, and what is said of it."""

from __future__ import annotations

import numpy as np

from mehler import data
from mehler.reproduce.maxout import figure_2

METHODS = ("maxout", "pixels", "lle")


def test_pictures_are_shrunk_by_means_of_squares() -> None:
    rng = np.random.default_rng(0)
    images = rng.integers(0, 256, (3, 8, 12)).astype(np.uint8)
    rows = figure_2.shrunk(images)
    assert rows.shape == (3, 6)
    means = [images[1, 4:, 4:8].mean(), images[1, :4, 8:].mean()]
    # Rows have length 1: ratios stay.
    assert np.isclose(rows[1, 4] / rows[1, 2], means[0] / means[1])
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0)


def test_nearest_pictures_are_counted_without_the_picture_itself() -> None:
    people = np.array([0, 0, 1, 1])
    near = np.array([[0.0, 0.0], [0.1, 0.0], [5.0, 0.0], [5.1, 0.0]])
    assert figure_2.kept_together(near, people) == 1.0
    # Planted: if a point were its own neighbour this would be 1, too.
    assert figure_2.kept_together(near[[0, 2, 1, 3]], people) == 0.0


def test_faces_are_embedded_five_people_at_a_time_and_reported() -> None:
    rng = np.random.default_rng(0)
    person = rng.integers(0, 256, (10, 1, 8, 12))
    images = (0.7 * person + 0.3 * rng.integers(0, 256, (10, 10, 8, 12))).reshape(100, 8, 12)
    made = data.Dataset("orl_faces", images.astype(np.uint8), np.repeat(np.arange(10), 10))
    cells = figure_2.face_cells(50, n_people=10)
    found = [(cell, figure_2.measure("full", ([], made), cell, 0)) for cell in cells]
    assert [measured["people"][::10] for _, measured in found] == [
        [0, 1, 2, 3, 4],
        [5, 6, 7, 8, 9],
    ]
    assert all(len(measured["lle_x"]) == 50 for _, measured in found)
    said, table, plots = figure_2.faces_shown(found)
    assert "over 2 groups of 5 people" in said
    assert [row[0] for row in table.rows] == ["1 to 5", "6 to 10", "mean"]
    assert len(plots) == 3
    assert len(plots[0].series) == 5


def test_sentences_follow_the_difference() -> None:
    def outcome(gain):
        rng = np.random.default_rng(0)
        plane = {"people": [0, 1]} | {f"{k}_{axis}": [0.0, 1.0] for k in METHODS for axis in "xy"}
        return [
            (
                cell,
                plane
                | {"maxout": 0.5 + gain + 0.01 * rng.standard_normal(), "pixels": 0.5, "lle": 0.5},
            )
            for cell in figure_2.face_cells(10)
        ]

    assert "together better than" in figure_2.faces_shown(outcome(0.1))[0]
    assert "less well than" in figure_2.faces_shown(outcome(-0.1))[0]
    assert "is not told apart from" in figure_2.faces_shown(outcome(0.0))[0]
