"""Panels of templates by bins: what is learnt from what, and what the page may say."""

from __future__ import annotations

import numpy as np
import pytest
from mehler.proofs_checks.experiments import Results
from mehler.proofs_checks.experiments.invariant import accuracy as loaded
from mehler.proofs_checks.experiments.invariant import panels

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


def test_templates_that_stay_are_the_same_without_their_moves() -> None:
    # The group of the control has one element, and draws the same templates.
    accuracy = panels.measure("quick", EXAMPLES, panels.MNIST.cell({"draw": 0}, 0))
    assert set(accuracy["panel"]) == {"moved", "still"}
    assert set(accuracy["sizes"]) == set(panels.KINDS)
    m, n = panels.TEMPLATES["quick"][-1], panels.BINS["quick"][-1]
    for kind in ("moved", "still"):
        for learner in panels.LEARNERS:
            # The panel is at the largest sample, the curves at the most templates and bins.
            assert (
                accuracy["panel"][kind][learner][f"{m},{n}"] == accuracy["sizes"][kind][learner][-1]
            )


def made(gain: float, draws: int = 10) -> Results:
    """Results in which each step gains, and templates that move gain over the others."""
    rng = np.random.default_rng(1)
    results = []
    for draw in range(draws):
        noise = rng.uniform(0, 0.001, 40)
        steps = {
            f"{m},{n}": 0.1 + gain * (i + j) + noise[2 * i + j]
            for i, m in enumerate((5, 20))
            for j, n in enumerate((1, 4))
        }
        panel = {learner: steps for learner in panels.LEARNERS}
        sizes = {
            kind: {learner: [base + noise[20 + k] for k in range(2)] for learner in panels.LEARNERS}
            for kind, base in (("moved", 0.5 + gain), ("still", 0.5), ("rows", 0.5 + 2 * gain))
        }
        for k, kind in enumerate(sizes):
            sizes[kind] = {one: [v + noise[30 + k] for v in at] for one, at in sizes[kind].items()}
        results.append(
            (
                {"draw": draw},
                {"panel": {"moved": panel, "still": panel}, "sizes": sizes, "seconds": 1.0},
            )
        )
    return Results(results)


def rows_of(results: Results, caption: str) -> list[dict[str, str]]:
    tables = panels.table("quick", results)
    return next(rows for name, rows in tables.items() if caption in name)


@pytest.mark.parametrize(("gain", "better"), [(0.1, 2), (-0.1, 0)])
def test_tables_follow_the_draws(gain: float, better: int) -> None:
    steps = rows_of(made(gain), "Steps")
    assert [row["step"] for row in steps[:2]] == [
        f"least squares, more {what}" for what in ("bins", "templates")
    ]
    for row in steps:
        counts = [row[word] for word in ("steps", "better", "worse", "not told apart")]
        assert counts == ["2", str(better), str(2 - better), "0"]
    # Templates that move gain over those that stay, and lose to the rows.
    for control, sign in (("templates that stay", gain), ("rows, no map", -gain)):
        rows = [row for row in rows_of(made(gain), "less a control") if control in row["share"]]
        assert len(rows) == 4
        for row in rows:
            ends = [float(end) * sign for end in row["99 %"].split(" to ")]
            assert min(ends) > 0


def test_equal_differences_of_few_draws_are_not_certain() -> None:
    results = made(0.1, draws=2)
    for _, measured in results.cells:
        measured["sizes"] = {
            kind: {one: [value, value] for one in panels.LEARNERS}
            for kind, value in (("moved", 0.75), ("still", 0.5), ("rows", 0.5))
        }
    assert {(row["mean"], row["99 %"]) for row in rows_of(results, "less a control")} == {
        ("+0.250", "none")
    }
