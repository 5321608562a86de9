"""Vowels split by speaker: who is known, and what stretching a vocal tract does."""

from __future__ import annotations

import numpy as np
import pytest
from mehler.proofs_checks.experiments import Results, data
from mehler.proofs_checks.experiments.invariant import panels as vowels
from mehler.proofs_checks.experiments.invariant.panels import LEARNERS

MATRICES = vowels.warps(10, vowels.STRETCHES)
VOWELS = vowels.load_vowels("quick", None)


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
    examples = vowels.load_vowels("full", None)
    assert examples.speakers.tolist() == [0, 1, 2, 3, 4, 5]
    areas = (X[:, 3:] - X[:, 3:].mean(axis=0)) / X[:, 3:].std(axis=0)
    rows = areas / np.linalg.norm(areas, axis=1, keepdims=True)
    np.testing.assert_allclose(examples.X, rows, atol=1e-6)


def test_made_up_vowels_are_told_apart_by_their_neighbours() -> None:
    # Labels and rows in the same order: chance would be one in eleven.
    squares = ((VOWELS.X[:, None] - VOWELS.X[None]) ** 2).sum(axis=2)
    np.fill_diagonal(squares, np.inf)
    assert np.mean(VOWELS.y[squares.argmin(axis=1)] == VOWELS.y) > 0.5


def results(cost: float) -> Results:
    """Results of ten draws in which new speakers cost a share of right rows."""
    rng = np.random.default_rng(0)
    found = []
    for draw in range(10):

        def right(base: float) -> dict:
            return {
                one: [base + 0.01 * rng.random() for _ in vowels.ROWS["full"]] for one in LEARNERS
            }

        steps = {f"{m},{n}": 0.5 + 0.01 * rng.random() for m in (5, 20, 80) for n in (1, 2, 4, 8)}
        panel = {kind: dict.fromkeys(LEARNERS, steps) for kind in ("moved", "still")}
        sizes = {kind: right(0.8 - cost) for kind in vowels.KINDS}
        mixed = {kind: right(0.8) for kind in vowels.KINDS}
        found.append(({"draw": draw}, {"panel": panel, "sizes": sizes, "mixed": mixed}))
    return Results(found)


@pytest.mark.parametrize("cost", [0.2, -0.2, 0.0])
def test_the_cost_of_a_new_voice_has_its_sign(cost: float) -> None:
    tables = vowels.table_of_vowels("full", results(cost))
    rows = tables["New speakers, less rows dealt at random"]
    assert len(rows) == 6
    for row in rows:
        low, high = map(float, row["99 %"].split(" to "))
        assert (high < 0, low > 0) == (cost > 0, cost < 0)
        assert float(row["mean"]) == pytest.approx(-cost, abs=0.01)
    beside = next(rows for caption, rows in tables.items() if "by split" in caption)
    assert list(beside[0])[-2:] == ["new speakers", "rows dealt at random"]
