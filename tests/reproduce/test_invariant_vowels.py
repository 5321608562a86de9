"""Vowels split by speaker: who is known, and what stretching a vocal tract does."""

from __future__ import annotations

import numpy as np
import pytest

from mehler import data
from mehler.reproduce._experiment import Cell
from mehler.reproduce.invariant import vowels
from mehler.reproduce.invariant.panels import LEARNERS

MATRICES = vowels.warps(10, vowels.STRETCHES)
VOWELS = vowels.prepare("quick", None)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_no_voice_is_both_learnt_and_tested(seed: int) -> None:
    found = vowels.splits(VOWELS, seed)
    learnt, tested = (set(VOWELS.speakers[part].tolist()) for part in found["speakers"])
    assert (len(learnt), len(tested)) == (8, 7)
    assert not learnt & tested
    mixed = [set(VOWELS.speakers[part].tolist()) for part in found["mixed"]]
    assert mixed[0] == mixed[1] == set(range(15))
    for split in found.values():
        assert [len(part) for part in split] == [8 * 66, 7 * 66]
        assert sorted(np.concatenate(split).tolist()) == list(range(990))


def test_speakers_are_dealt_anew() -> None:
    known = {
        tuple(sorted(set(VOWELS.speakers[vowels.splits(VOWELS, seed)["speakers"][0]].tolist())))
        for seed in range(6)
    }
    assert len(known) > 1


def test_a_stretched_tract_is_read_at_nearer_places() -> None:
    # Second route: numpy.interp about the middle, nothing beyond the ends.
    row = np.random.default_rng(0).standard_normal(10)
    places = np.arange(10.0)
    for matrix, stretch in zip(MATRICES, vowels.STRETCHES):
        read = 4.5 + stretch * (places - 4.5)
        theirs = np.interp(read, places, row)
        inside = (read >= 0) & (read <= 9)
        np.testing.assert_allclose((matrix @ row)[inside], theirs[inside], atol=1e-12)
    assert np.array_equal(MATRICES[2], np.eye(10))


def test_the_full_level_reads_areas_and_speakers_from_their_columns(monkeypatch) -> None:
    rng = np.random.default_rng(0)
    X = np.column_stack([np.zeros(6), np.arange(6), np.ones(6), rng.normal(size=(6, 10))])
    monkeypatch.setattr(data, "vowels", lambda: data.Dataset("vowels", X, np.arange(6)))
    examples = vowels.prepare("full", None)
    assert examples.speakers.tolist() == [0, 1, 2, 3, 4, 5]
    areas = (X[:, 3:] - X[:, 3:].mean(axis=0)) / X[:, 3:].std(axis=0)
    rows = areas / np.linalg.norm(areas, axis=1, keepdims=True)
    np.testing.assert_allclose(examples.X, rows, atol=1e-6)


def test_made_up_vowels_are_told_apart_by_their_neighbours() -> None:
    # Labels and rows in the same order: chance would be one in eleven.
    squares = ((VOWELS.X[:, None] - VOWELS.X[None]) ** 2).sum(axis=2)
    np.fill_diagonal(squares, np.inf)
    assert np.mean(VOWELS.y[squares.argmin(axis=1)] == VOWELS.y) > 0.5


def results(cost: float) -> list:
    """Results of ten draws in which new speakers cost a share of right rows."""
    rng = np.random.default_rng(0)
    found = []
    for draw in range(10):

        def right(base: float) -> dict:
            return {
                one: [base + 0.01 * rng.random() for _ in vowels._SIZES["full"]] for one in LEARNERS
            }

        steps = {f"{m},{n}": 0.5 + 0.01 * rng.random() for m in (5, 20, 80) for n in (1, 2, 4, 8)}
        panel = {kind: dict.fromkeys(LEARNERS, steps) for kind in ("moved", "still")}
        sizes = {kind: right(0.8 - cost) for kind in vowels.KINDS}
        mixed = {kind: right(0.8) for kind in vowels.KINDS}
        found.append((Cell({"draw": draw}), {"panel": panel, "sizes": sizes, "mixed": mixed}))
    return found


@pytest.mark.parametrize(
    ("cost", "word"), [(0.2, "fewer are right"), (-0.2, "more are right"), (0.0, "not told apart")]
)
def test_the_cost_of_a_new_voice_has_its_sign(cost: float, word: str) -> None:
    page = vowels.page("full", results(cost))
    said = [one for one in page.verdicts if "new speakers" in one]
    assert len(said) == 6
    assert all(word in one for one in said)
    # What is printed is new speakers less rows dealt at random.
    if cost:
        sign = "-" if cost > 0 else "+"
        assert all(f"({sign}0.2" in one or f"({sign}0.19" in one for one in said)
    assert page.tables[-1].heads[-2:] == ("new speakers", "rows dealt at random")
