"""One object in the plane: orders of angles, faces and people, and the tables of both."""

from __future__ import annotations

import numpy as np
import pytest
from mehler.proofs_checks.experiments import data
from mehler.proofs_checks.experiments._results import Results
from mehler.proofs_checks.experiments.maxout import _orders, figure_2
from scipy.stats import ttest_rel


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
    assert _orders.kept_together(near, people) == 1.0
    # Planted: if a point were its own neighbour this would be 1, too.
    assert _orders.kept_together(near[[0, 2, 1, 3]], people) == 0.0


def test_faces_are_embedded_five_people_at_a_time() -> None:
    rng = np.random.default_rng(0)
    person = rng.integers(0, 256, (10, 1, 8, 12))
    images = (0.7 * person + 0.3 * rng.integers(0, 256, (10, 10, 8, 12))).reshape(100, 8, 12)
    made = data.Dataset("orl_faces", images.astype(np.uint8), np.repeat(np.arange(10), 10))
    cells = []
    for part in (0, 1):
        options = {"faces": part, "m": 50}
        cell = figure_2.EXPERIMENT.cell(options, 0)
        cells.append((options, figure_2.measure("full", ([], made), cell)))
    assert [measured["people"][::10] for _, measured in cells] == [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]]
    assert all(len(measured["lle_x"]) == 50 for _, measured in cells)


def test_a_full_run_has_forty_people_and_thirty_sweeps() -> None:
    options = figure_2.cells("full")
    assert sum("faces" in option for option in options) == 8
    assert len(options) == 38
    assert len(figure_2.cells("quick")) == 30


def test_tables_have_scores_counts_and_paired_differences() -> None:
    rng = np.random.default_rng(0)
    angle = np.linspace(0, 360, 33)
    cells = []
    for options in figure_2.cells("full"):
        pixels = rng.uniform(0.2, 0.7)
        score = {"maxout": pixels + 0.2 + 0.01 * rng.standard_normal(), "pixels": pixels}
        measured = {**score, "lle": 0.95, "angle": angle.tolist(), "people": [0, 1]}
        plane = [np.cos(np.deg2rad(angle)), np.sin(np.deg2rad(angle))]
        for method in figure_2.METHODS:
            measured[f"{method}_x"], measured[f"{method}_y"] = (v.tolist() for v in plane)
        cells.append((options, measured))
    results = Results(cells)
    *scores, windings, people, gains = figure_2.table("full", results).values()
    for rows in scores:
        assert rows[-1]["LLE of scikit-learn"] == "10 of 10"
        assert rows[-2]["LLE of scikit-learn"] == "0.950"
        assert len(rows) == 12
    assert {row["PCA of pixels"] for row in windings} == {"1"}
    assert [row["people"] for row in people[::7]] == ["1 to 5", "36 to 40"]
    # Second route: the interval that SciPy's paired test gives.
    some = results.where(sweep="half")
    test = ttest_rel(some.values("maxout"), some.values("pixels")).confidence_interval(0.99)
    assert gains[1]["99 %"] == f"{test.low:+.3f} to {test.high:+.3f}"
    plots = figure_2.figure("full", results)
    assert [plot.title for plot in plots[-3:]] == [
        f"{label}, ORL faces" for label in figure_2.METHODS.values()
    ]
    assert len(plots) == 12


@pytest.mark.parametrize("n", [4, 60])
def test_a_turned_picture_is_numpys_at_quarter_turns(n) -> None:
    image = np.random.default_rng(0).uniform(0, 1, (7, 7))
    turned = figure_2.turned(image, 360.0 * np.arange(n) / n)
    for k in range(4):
        np.testing.assert_allclose(turned[k * n // 4], np.rot90(image, k), atol=1e-12)


ANGLE = np.linspace(0, 2 * np.pi, 120, endpoint=False)


def test_circular_correlation_ignores_origin_and_sense() -> None:
    for other in (ANGLE + 1.0, -ANGLE, (7 - ANGLE) % (2 * np.pi)):
        correlation = _orders.circular_rank_correlation(ANGLE, other % (2 * np.pi))
        assert correlation == pytest.approx(1.0)
    rng = np.random.default_rng(0)
    shuffled = [_orders.circular_rank_correlation(ANGLE, rng.permutation(120)) for _ in range(200)]
    # The larger of two shares of mean about 1/n each.
    assert np.mean(shuffled) < 3 / 120


def test_a_collapsed_or_doubled_embedding_has_no_order() -> None:
    # Ties must not take the order of the rows; components that turn twice as fast lose it.
    assert _orders.circular_rank_correlation(0 * ANGLE, ANGLE) == pytest.approx(0, abs=1e-12)
    for closed in (True, False):
        assert _orders.agreement(np.zeros((120, 2)), ANGLE, closed) < 1e-12
    noise = 1e-3 * np.random.default_rng(0).standard_normal((120, 2))
    once, twice = (np.stack([np.cos(k * ANGLE), np.sin(k * ANGLE)], axis=1) + noise for k in (1, 2))
    assert _orders.agreement(twice, ANGLE, True) < 0.1
    assert _orders.agreement(once, ANGLE, True) > 0.99


@pytest.mark.parametrize("k", [1, 2, 3, -2])
def test_windings_are_counted_in_either_sense(k) -> None:
    angle = 360 * np.arange(60) / 60
    at = np.deg2rad(k * angle + 20)
    points = np.stack([3 * np.cos(at), np.sin(at)], axis=1) + np.array([5.0, -2.0])
    assert _orders.windings(points, angle) == abs(k)


def test_pictures_that_are_turned_have_unit_norm_and_angle() -> None:
    pictures, faces = figure_2.prepare("quick", None)
    assert len(pictures) == 10
    assert faces is None
    cell = figure_2.EXPERIMENT.cell({"digit": 4, "sweep": "sixth", "m": 50}, 0)
    measured = figure_2.measure("quick", (pictures, faces), cell)
    assert measured["angle"][:2] == pytest.approx([0, 60 / 32])
    assert len(measured["maxout_x"]) == 33
    assert np.array_equal(pictures[0], data.digits().X[0])
