"""The experiment on invariant features of digits: what is compared, and what its page may say."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest

from mehler.reproduce import Cell, invariant_mnist


@pytest.fixture(scope="module")
def world():
    return invariant_mnist.prepare("quick", None)


def test_all_features_but_pixels_have_as_many_columns(world) -> None:
    found = invariant_mnist.maps(world, 0)
    assert list(found) == list(invariant_mnist.FEATURES)
    widths = {name: phi(world.X[:3]).shape[1] for name, phi in found.items()}
    assert widths.pop("pixels") == 64
    assert set(widths.values()) == {40 * 16}


def test_groups_are_lists_of_the_stated_sizes(world) -> None:
    found = invariant_mnist.maps(world, 0)
    orders = {k: found[k].group.order for k in ("none", "shifts", "turns", "both")}
    # Shifts by at most one pixel: 9; five angles; every second of them, then each shift.
    assert orders == {"none": 1, "shifts": 9, "turns": 5, "both": 27}


def test_features_of_shifted_digits_stay_nearer_than_those_without_maps(world) -> None:
    # The point of the experiment: a shift moves invariant features less.
    images = world.X[:50].reshape(-1, 8, 8)
    moved = np.zeros_like(images)
    moved[:, :, 1:] = images[:, :, :-1]
    found = invariant_mnist.maps(world, 0)
    far = {
        name: np.linalg.norm(found[name](world.X[:50]) - found[name](moved.reshape(50, -1)), axis=1)
        for name in ("none", "shifts")
    }
    assert (far["shifts"] < far["none"]).all()


def test_training_rows_are_the_same_for_all_features_and_differ_by_draw(world, monkeypatch) -> None:
    seen = []
    ridge = invariant_mnist.learn.ridge

    def watched(phi, X, codes, **options):
        seen.append((X, codes))
        return ridge(phi, X, codes, **options)

    monkeypatch.setattr(invariant_mnist.learn, "ridge", watched)
    for draw in (0, 1):
        invariant_mnist.measure(world, Cell({"N": 50, "draw": draw}), 0)
    n = len(invariant_mnist.FEATURES)
    for rows in (seen[:n], seen[n:]):
        assert all(np.array_equal(X, rows[0][0]) for X, _ in rows)
        assert all(np.array_equal(codes, rows[0][1]) for _, codes in rows)
        # No row twice, and all of them training rows.
        assert len(np.unique(rows[0][0], axis=0)) == 50
        known = (rows[0][0][:, None] == world.X[None]).all(axis=2)
        assert known.any(axis=1).all()
    assert not np.array_equal(seen[0][0], seen[n][0])


@pytest.mark.parametrize(
    ("gain", "word"), [(0.05, "more than"), (-0.05, "fewer than"), (0.0, "not told apart from")]
)
def test_verdicts_follow_the_difference(gain, word) -> None:
    rng = np.random.default_rng(0)
    base = 0.8 + 0.001 * rng.standard_normal(10)
    noise = 0.001 * rng.standard_normal(10)
    accuracy = {(name, 100): base + gain + noise for name in ("shifts", "turns", "both")}
    accuracy |= {(name, 100): base for name in ("none", "fourier")}
    said = invariant_mnist.verdict(accuracy, 100)
    assert f"{word} Fourier features" in said
    assert "With 100 training samples" in said


def test_the_best_of_three_needs_a_wider_interval() -> None:
    # Without an effect the best of three wrongly beats its control about as often as it says, at
    # most; with the interval of one comparison it does so 38 times in 2000 instead of 10.
    rng = np.random.default_rng(0)
    wrong = 0
    for _ in range(2000):
        accuracy = {
            (name, 100): rng.standard_normal(10)
            for name in ("none", "fourier", "shifts", "turns", "both")
        }
        wrong += "more than distribution" in invariant_mnist.verdict(accuracy, 100)
    assert binomtest(wrong, 2000, 0.005, alternative="greater").pvalue > 0.001


def test_quick_pages_say_what_stands_in() -> None:
    found = [
        (cell, {name: 0.5 + 0.1 * cell.options["draw"] for name in invariant_mnist.FEATURES})
        for cell in invariant_mnist.cells("quick")
    ]
    said = invariant_mnist.page("quick", found).verdicts[0]
    assert "8 x 8 pixels stand in for MNIST" in said
    assert "40 templates" in said
