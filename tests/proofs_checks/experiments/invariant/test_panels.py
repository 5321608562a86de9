"""Panels of templates by bins: what is learnt from what, and what the page may say."""

from __future__ import annotations

import numpy as np
import pytest
from mehler.proofs_checks.experiments import Results
from mehler.proofs_checks.experiments.invariant import accuracy as loaded
from mehler.proofs_checks.experiments.invariant import panels
from mehler.proofs_checks.experiments.invariant import panels as vowels
from mehler.proofs_checks.experiments.invariant.panels import LEARNERS

EXAMPLES = loaded.load_digits("quick", None)


def test_no_test_row_is_learnt_from() -> None:
    for examples in (EXAMPLES, loaded.load_recordings("quick", None)):
        train, test = panels.sample("quick", examples, 0)
        assert not set(train.tolist()) & set(test.tolist())
        assert len(set(train.tolist())) == panels.SIZES["quick"][-1]
        if examples.known is not None:
            assert train.max() < examples.known <= test.min()


def test_both_learners_are_those_of_a_second_route() -> None:
    # The nearest row by all distances; least squares with the lambda that leaves out best.
    rng = np.random.default_rng(0)
    z, z_test = rng.standard_normal((40, 3)), rng.standard_normal((30, 3))
    labels, truth = (np.sign(rows[:, 0] + 0.2).astype(int) for rows in (z, z_test))
    accuracy = panels.both(z, labels, z_test, truth)
    apart = ((z_test[:, None] - z) ** 2).sum(axis=2)
    assert accuracy["nearest"] == np.mean(labels[apart.argmin(axis=1)] == truth)
    assert accuracy["ridge"] > 0.8


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
