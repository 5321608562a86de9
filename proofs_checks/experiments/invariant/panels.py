"""Accuracy of group-invariant features by number of templates and bins: digits, words, vowels.

For each of m random vectors, the templates, features are the distribution function of the products
of a row with all images of the template under a group, at n thresholds on each side of 0, the bins
(Mroueh, Voinea, Poggio 2015). A panel has the accuracies by m and n. Vowels test new speakers.
"""

import itertools
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mehler import GroupInvariantFeatures
from mehler.features import groups
from mehler.statements import Plot

from .. import data
from .._harness import Cell, Level
from .._learners import nearest_rows
from .._results import Record, Results, Tables, curves, differences, paired_interval, spread
from .._rows import Part, unit_rows
from . import accuracy
from .accuracy import Examples, at_speed, ridge_accuracy, warps

LEARNERS = {"ridge": "least squares", "nearest": "nearest neighbour"}
# Features of templates moved by the group, and of templates alone; or the rows themselves.
KINDS = {"moved": "templates that move", "still": "templates that stay", "rows": "rows, no map"}
# By level: templates m, bins n of their distributions, training rows N; test rows of a draw.
TEMPLATES = {"quick": (5, 20), "full": (5, 20, 80)}
BINS = {"quick": (1, 4), "full": (1, 2, 4, 8)}
SIZES: dict[Level, tuple[int, ...]] = {"quick": (50, 200), "full": (100, 300, 1000)}
TEST = {"quick": 200, "full": 1000}
_RIGHT = "share of test rows that are right"


def measure(level: Level, examples: Examples, cell: Cell) -> Record:
    """Return the shares of test rows that both learners get right; a cell is one draw of rows."""
    seed = cell.seed()
    rows = sample(level, examples, seed)
    learnt, tested = ((examples.X[part], examples.y[part]) for part in rows)
    return panels(level, learnt, tested, examples.moves["both"], SIZES[level], seed + 1)


def sample(level: Level, examples: Examples, seed: int) -> tuple[Any, Any]:
    """Draw row numbers to learn from and to test, without replacement."""
    rng, n, n_train = np.random.default_rng(seed), len(examples.y), examples.n_train
    most, n_test = SIZES[level][-1], TEST[level]
    if n_train is None:
        order = rng.permutation(n)
        return order[:most], order[most : most + n_test]
    return rng.permutation(n_train)[:most], n_train + rng.permutation(n - n_train)[:n_test]


def both(z: Any, labels: Any, z_test: Any, truth: Any) -> dict[str, float]:
    """Return the shares of test rows that least squares and the nearest neighbour get right."""
    nearest = nearest_rows(z, z_test)[:, 0]
    ridge = ridge_accuracy(z, labels, z_test, truth)
    return {"ridge": ridge, "nearest": float(np.mean(labels[nearest] == truth))}


def panels(
    level: Level, learnt: Part, tested: Part, moves: Any, sizes: Sequence[int], seed: int
) -> Record:
    """Return the shares of test rows that are right, by kind of features and by learner.

    ``panel``: by templates and bins, at the largest training sample; ``sizes``: over the training
    samples, at the most templates and bins. Samples grow.
    """
    (rows, labels), (others, truth) = learnt, tested
    d = rows.shape[1]

    def over_sizes(z: Any, z_test: Any) -> dict[str, list[float]]:
        shares = [both(z[:n], labels[:n], z_test, truth) for n in sizes]
        return {learner: [right[learner] for right in shares] for learner in LEARNERS}

    panel: Record = {}
    by_size: Record = {}
    for kind, group in {"moved": moves, "still": groups.Trivial(d)}.items():
        panel[kind] = {learner: {} for learner in LEARNERS}
        for m, n in itertools.product(TEMPLATES[level], BINS[level]):
            options: Any = {"n_templates": m, "n_bins": n, "seed": seed, "like": rows}
            phi = GroupInvariantFeatures.draw(d, group=group, **options)
            z, z_test = phi(rows), phi(others)
            for learner, right in both(z, labels, z_test, truth).items():
                panel[kind][learner][f"{m},{n}"] = right
        by_size[kind] = over_sizes(z, z_test)  # of the last map: the most templates and bins
    return {"panel": panel, "sizes": {**by_size, "rows": over_sizes(rows, others)}}


def panel_of(level: Level, results: Results, learner: str) -> dict[str, NDArray[np.float64]]:
    """Return the shares with templates that move by the label of their number: (bins, draws)."""

    def row(m: int) -> list[NDArray[np.float64]]:
        return [results.values("panel", "moved", learner, f"{m},{n}") for n in BINS[level]]

    return {f"m = {m}": np.array(row(m)) for m in TEMPLATES[level]}


def growth(panel: NDArray[np.float64], learner: str) -> list[dict[str, str]]:
    """Count steps to more bins or templates that are better, in shares (templates, bins, draws)."""
    gains = [np.diff(panel, axis=axis).reshape(-1, panel.shape[2]) for axis in (1, 0)]
    tests, rows = sum(map(len, gains)), []
    for what, gain in zip(("bins", "templates"), gains):
        ends = np.array([paired_interval(step, tests) for step in gain])
        better, worse = (ends[:, 0] > 0).sum(), (ends[:, 1] < 0).sum()
        counts = {"steps": len(gain), "better": better, "worse": worse}
        counts["not significant"] = len(gain) - better - worse
        rows.append({"step": f"{learner}, more {what}"} | {k: str(n) for k, n in counts.items()})
    return rows


def table(level: Level, results: Results, by_level: Any = SIZES) -> Tables:
    """Return the panels, steps in them, and moved templates compared with the controls."""
    sizes, bins = by_level[level], BINS[level]
    spreads = "mean ± standard deviation over draws"
    tables: Tables = {}
    steps: list[dict[str, str]] = []
    for learner, name in LEARNERS.items():
        panel = panel_of(level, results, learner)
        steps += growth(np.array(list(panel.values())), name)
        tables[f"S{_RIGHT[1:]} by {name}, templates that move, {spreads}"] = [
            {"": label} | {f"n = {n}": spread(draws, 3) for n, draws in zip(bins, row)}
            for label, row in panel.items()
        ]
    tables["Steps to more bins or templates, 99 % for all of a learner at once"] = steps
    right = {
        (learner, kind): results.values("sizes", kind, learner)
        for kind, learner in itertools.product(KINDS, LEARNERS)
    }
    at_most = f"m = {TEMPLATES[level][-1]}, n = {bins[-1]}"
    tables[f"S{_RIGHT[1:]} over training rows, {at_most}, {spreads}"] = [
        {"learner": LEARNERS[learner], "features": KINDS[kind]}
        | {f"N = {n}": spread(values[:, k], 3) for k, n in enumerate(sizes)}
        for (learner, kind), values in right.items()
    ]
    pairs = {}
    for learner, (k, n), rival in itertools.product(LEARNERS, enumerate(sizes), ("still", "rows")):
        both_kinds = (right[learner, kind][:, k] for kind in ("moved", rival))
        pairs[f"{LEARNERS[learner]}, N = {n}, less {KINDS[rival]}"] = tuple(both_kinds)
    tables["Templates that move, less a control"] = differences(pairs, "share", digits=3)
    return tables


def figure(level: Level, results: Results, by_level: Any = SIZES) -> list[Plot]:
    sizes, bins = by_level[level], BINS[level]
    note = "Mean over draws of rows and templates, with its standard error."
    plots = [
        curves(
            f"{name}, {sizes[-1]} training rows, templates that move",
            "number of bins n",
            bins,
            _RIGHT,
            {label: row.T for label, row in panel_of(level, results, learner).items()},
            note,
        )
        for learner, name in LEARNERS.items()
    ]
    values = {
        f"{LEARNERS[learner]}, {KINDS[kind]}": results.values("sizes", kind, learner)
        for kind, learner in itertools.product(KINDS, LEARNERS)
    }
    title = f"Over training rows, m = {TEMPLATES[level][-1]}, n = {bins[-1]}"
    return [*plots, curves(title, "number of training rows", sizes, _RIGHT, values, note)]


MNIST = replace(
    accuracy.MNIST,
    name="invariant-mnist-panels",
    title="Templates, bins and nearest neighbours",
    source="Mroueh, Voinea, Poggio (2015), Section 6, and Appendix D for other data",
    page=Path(__file__).with_name("mnist_panels.md"),
    measure=measure,
    table=table,
    figure=figure,
    seeds="invariant-panels",
)
SPEECH = replace(
    MNIST,
    name="invariant-speech-panels",
    source="Mroueh, Voinea, Poggio (2015), Section 6 and Figures 6 to 8",
    page=Path(__file__).with_name("speech_panels.md"),
    prepare=accuracy.SPEECH.prepare,
    data=accuracy.SPEECH.data,
    needs_data=(),
)

# The last size is all rows of the known speakers.
ROWS: dict[Level, tuple[int, ...]] = {"quick": (100, 528), "full": (100, 250, 528)}
SPEAKERS, KNOWN = 15, 8  # as in the split that comes with the data
SOUNDS, TAKES, SECTIONS = 11, 6, 10
STRETCHES = (0.8, 0.9, 1.0, 1.1, 1.25)  # vocal tracts differ in length by about a fifth


class Vowels(NamedTuple):
    """Rows, vowels, the speaker of each row, and the matrices that stretch a vocal tract."""

    X: Any
    y: Any
    speakers: Any
    moves: Any


def load_vowels(level: Level, folder: Path | None) -> Vowels:
    """Load the vowels, or make them up at the quick level; rows of length 1."""
    if level == "quick":
        X, y, speakers = synthetic_recordings(np.random.default_rng(0))
    else:
        vowels = data.vowels()
        X, y, speakers = vowels.X[:, 3:], vowels.y, vowels.X[:, 1].astype(np.int64)
    deviations = X.std(axis=0)
    rows = unit_rows((X - X.mean(axis=0)) / deviations, np.float64)
    moves = groups.LinearMaps(warps(SECTIONS, STRETCHES) / deviations[:, None] * deviations)
    return Vowels(rows.astype(np.float32), y, speakers, moves)


def synthetic_recordings(rng: np.random.Generator) -> tuple[Any, Any, Any]:
    """Make up vowels, (990, 10), labels and speakers, who differ in the stretch and in noise."""
    from scipy.ndimage import gaussian_filter1d

    shapes = gaussian_filter1d(rng.standard_normal((SOUNDS, SECTIONS)), 1.5, axis=1)
    tracts = rng.uniform(0.8, 1.25, SPEAKERS)
    X = np.repeat(np.concatenate([at_speed(shapes, tract) for tract in tracts]), TAKES, axis=0)
    y = np.tile(np.repeat(np.arange(SOUNDS), TAKES), SPEAKERS)
    speakers = np.repeat(np.arange(SPEAKERS), SOUNDS * TAKES)
    return X + 0.3 * shapes.std() * rng.standard_normal(X.shape), y, speakers


def splits(vowels: Vowels, seed: int) -> dict[str, tuple[Any, Any]]:
    """Return numbers of rows to learn from and to test: by speakers, or as many mixed ones."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(vowels.y))
    training = np.isin(vowels.speakers, rng.permutation(SPEAKERS)[:KNOWN])[order]
    learnt = int(training.sum())
    by_voice = order[training], order[~training]
    return {"speakers": by_voice, "mixed": (order[:learnt], order[learnt:])}


def measure_vowels(level: Level, vowels: Vowels, cell: Cell) -> Record:
    """Return shares of test rows that are right, by split, each as in the other panels."""
    seed = cell.seed()
    record = {}
    for split, rows in splits(vowels, seed).items():
        learnt, tested = ((vowels.X[part], vowels.y[part]) for part in rows)
        record[split] = panels(level, learnt, tested, vowels.moves, ROWS[level], seed + 1)
    return {**record["speakers"], "mixed": record["mixed"]["sizes"]}


def table_of_vowels(level: Level, results: Results) -> Tables:
    """Return the panels on new speakers, and those of rows split at random for comparison."""
    rows, pairs = [], {}
    for (learner, name), (kind, label) in itertools.product(LEARNERS.items(), KINDS.items()):
        speakers, mixed = (results.values(key, kind, learner)[:, -1] for key in ("sizes", "mixed"))
        pairs[f"{name}, {label}"] = speakers, mixed
        ends = {"new speakers": spread(speakers, 3), "rows dealt at random": spread(mixed, 3)}
        rows.append({"learner": name, "features": label} | ends)
    caption = (
        f"Share of test rows that are right, {ROWS[level][-1]} training rows, m = "
        f"{TEMPLATES[level][-1]}, n = {BINS[level][-1]}, by split, mean ± standard "
        "deviation"
    )
    return {
        **table(level, results, ROWS),
        caption: rows,
        "New speakers, less rows dealt at random": differences(pairs, "share", digits=3),
    }


VOWELS = replace(
    SPEECH,
    name="invariant-vowels",
    title="New speakers: templates, bins and nearest neighbours",
    page=Path(__file__).with_name("vowels.md"),
    prepare=load_vowels,
    measure=measure_vowels,
    table=table_of_vowels,
    figure=partial(figure, by_level=ROWS),
    data={
        "quick": "synthetic vowels, in place of TIDIGITS",
        "full": "Deterding's vowels, in place of TIDIGITS",
    },
    seeds="",
)
