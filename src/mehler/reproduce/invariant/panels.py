"""Panels of templates by bins, and nearest neighbours, on digits and on spoken digits."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler import GroupInvariantFeatures
from mehler.features import groups
from mehler.reproduce._experiment import Cell, Level, Measured, Page
from mehler.reproduce._learners import nearest_rows
from mehler.reproduce._results import Results, capital, curves, paired_interval, table
from mehler.reproduce._rows import Part
from mehler.reproduce.invariant import accuracy
from mehler.reproduce.invariant.accuracy import Examples, right_by_ridge

LEARNERS = {"ridge": "least squares", "nearest": "nearest neighbour"}
# Templates that move, templates that stay, and rows without a map.
KINDS = {"moved": "templates that move", "still": "templates that stay", "rows": "rows, no map"}
# By level: templates, bins, training rows; test rows of a draw.
TEMPLATES = {"quick": (5, 20), "full": (5, 20, 80)}
BINS = {"quick": (1, 4), "full": (1, 2, 4, 8)}
SIZES: dict[Level, tuple[int, ...]] = {"quick": (50, 200), "full": (100, 300, 1000)}
_TEST = {"quick": 200, "full": 1000}
_RIGHT = "share of test rows that are right"


def measure(level: Level, examples: Examples, cell: Cell, seed: int) -> Measured:
    """Return shares of test rows that are right, least squares and nearest neighbour.

    ``panel``: by kind, learner, templates and bins, at the largest training sample; ``sizes``: by
    kind and learner over the training samples, at the most templates and bins. Samples grow.
    """
    own = cell.seed(seed, "invariant-panels")
    rows = sample(level, examples, own)
    learnt, tested = ((examples.X[part], examples.y[part]) for part in rows)
    return panels(level, learnt, tested, examples.moves["both"], SIZES[level], own + 1)


def sample(level: Level, examples: Examples, seed: int) -> tuple[Any, Any]:
    """Draw rows to learn from and to test, without replacement."""
    rng, n, known = np.random.default_rng(seed), len(examples.y), examples.known
    most, n_test = SIZES[level][-1], _TEST[level]
    if known is None:
        order = rng.permutation(n)
        return order[:most], order[most : most + n_test]
    return rng.permutation(known)[:most], known + rng.permutation(n - known)[:n_test]


def both(z: Any, labels: Any, z_test: Any, truth: Any) -> dict[str, float]:
    """Return the shares of test rows that least squares and the nearest neighbour get right."""
    nearest = nearest_rows(z, z_test)[:, 0]
    return {
        "ridge": right_by_ridge(z, labels, z_test, truth),
        "nearest": float(np.mean(labels[nearest] == truth)),
    }


def panels(
    level: Level, learnt: Part, tested: Part, moves: Any, sizes: Sequence[int], seed: int
) -> Measured:
    """Return the shares by kind and learner, from rows and labels of both parts."""
    (rows, labels), (others, truth) = learnt, tested
    d = rows.shape[1]

    def over_sizes(z: Any, z_test: Any) -> dict[str, list[float]]:
        each = [both(z[:n], labels[:n], z_test, truth) for n in sizes]
        return {learner: [right[learner] for right in each] for learner in LEARNERS}

    panel: Measured = {}
    by_size: Measured = {}
    for kind, group in {"moved": moves, "still": groups.Trivial(d)}.items():
        panel[kind] = {learner: {} for learner in LEARNERS}
        for m, n in itertools.product(TEMPLATES[level], BINS[level]):
            phi = GroupInvariantFeatures.draw(
                d, group=group, n_templates=m, n_bins=n, seed=seed, like=rows
            )
            z, z_test = phi(rows), phi(others)
            for learner, right in both(z, labels, z_test, truth).items():
                panel[kind][learner][f"{m},{n}"] = right
        # The last map has the most templates and bins.
        by_size[kind] = over_sizes(z, z_test)
    return {"panel": panel, "sizes": {**by_size, "rows": over_sizes(rows, others)}}


def page(
    level: Level,
    cells: list[tuple[Cell, Measured]],
    by_level: Mapping[Level, tuple[int, ...]] = SIZES,
) -> Page:
    """Return tables and plots of both learners, and verdicts that are paired over draws."""
    results, sizes = Results(cells), by_level[level]
    templates, bins = TEMPLATES[level], BINS[level]
    at_most = f"m = {templates[-1]}, n = {bins[-1]}"
    spreads = "mean ± standard deviation over draws"
    note = "Mean over draws of rows and templates, with its standard error."
    verdicts, tables, plots = [], [], []
    for learner, name in LEARNERS.items():
        panel = {
            m: np.array([results.values("panel", "moved", learner, f"{m},{n}") for n in bins])
            for m in templates
        }
        verdicts.append(_growth(np.array(list(panel.values())), name))
        tables.append(
            table(
                f"{capital(_RIGHT)} by {name}, templates that move, {spreads}",
                ("", *(f"n = {n}" for n in bins)),
                {f"m = {m}": row for m, row in panel.items()},
                digits=3,
            )
        )
        plots.append(
            curves(
                f"{name}, {sizes[-1]} training rows, templates that move",
                "number of bins n",
                bins,
                _RIGHT,
                {f"m = {m}": row.T for m, row in panel.items()},
                note,
            )
        )
    right = {
        (learner, kind): results.values("sizes", kind, learner)
        for kind, learner in itertools.product(KINDS, LEARNERS)
    }
    labels = {key: (LEARNERS[key[0]], KINDS[key[1]]) for key in right}
    tables.append(
        table(
            f"{capital(_RIGHT)} over training rows, {at_most}, {spreads}",
            ("learner", "features", *(f"N = {n}" for n in sizes)),
            {labels[key]: values.T for key, values in right.items()},
            digits=3,
        )
    )
    plots.append(
        curves(
            f"Over training rows, {at_most}",
            "number of training rows",
            sizes,
            _RIGHT,
            {", ".join(labels[key]): values for key, values in right.items()},
            note,
        )
    )
    return Page(verdicts=verdicts + _moving(right, sizes), tables=tables, plots=plots)


def _growth(panel: NDArray[np.float64], name: str) -> str:
    """Count the steps to more bins or templates that are better; (templates, bins, draws)."""
    steps = {
        "bins": np.diff(panel, axis=1).reshape(-1, panel.shape[2]),
        "templates": np.diff(panel, axis=0).reshape(-1, panel.shape[2]),
    }
    looks = sum(map(len, steps.values()))
    counts = []
    for what, gains in steps.items():
        words = [paired_interval(gain, looks).word("worse", "better") for gain in gains]
        counts.append(
            f"of {len(words)} steps to more {what} {words.count('better')} are better, "
            f"{words.count('worse')} worse and {words.count('not told apart')} not told apart"
        )
    return (
        f"{capital(name)}, templates that move: {'; '.join(counts)} (99 % for all "
        f"{looks} at once, Student's, paired over {panel.shape[2]} draws)."
    )


def _moving(right: dict[tuple[str, str], Any], sizes: Sequence[int]) -> list[str]:
    """Compare templates that move with the controls, by both learners, at every training size."""
    verdicts = []
    for (learner, name), (k, size) in itertools.product(LEARNERS.items(), enumerate(sizes)):
        moved = right[learner, "moved"][:, k]
        parts = []
        for other in ("still", "rows"):
            interval = paired_interval(moved - right[learner, other][:, k])
            word = interval.word("fewer", "more")
            ends = interval.ends("+.3f")
            parts.append(f"against {KINDS[other]} {word} ({interval.mean:+.3f}, {ends})")
        verdicts.append(
            f"{capital(name)}, {size} training rows, templates that move: "
            f"{moved.mean():.3f} are right; {'; '.join(parts)}."
        )
    return verdicts


MNIST = replace(
    accuracy.MNIST,
    name="invariant-mnist-panels",
    title="Templates, bins and nearest neighbours",
    source="Mroueh, Voinea, Poggio (2015), Section 6, and Appendix D for other data",
    printed=(
        "For Theorem 2 the nearest neighbour by features is the measure, for Theorem 3 least "
        "squares. More bins at a number of templates, and more templates at a number of bins, are "
        "said to be better, of permuted sequences. No numbers are stated."
    ),
    measure=measure,
    page=page,
)
SPEECH = replace(
    accuracy.SPEECH,
    name="invariant-speech-panels",
    title=MNIST.title,
    source="Mroueh, Voinea, Poggio (2015), Section 6 and Figures 6 to 8",
    printed=(
        "Accuracy over templates and bins for several splits of TIDIGITS, without numbers in the "
        "source text. Here no split is one by speakers, who are not named; 'invariant-vowels' has "
        "such splits."
    ),
    measure=measure,
    page=page,
)
