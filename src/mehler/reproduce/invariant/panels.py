"""Panels of templates by bins, and nearest neighbours, on digits and on spoken digits."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler import GroupInvariantFeatures
from mehler.features import groups
from mehler.reproduce._experiment import Cell, Experiment, Level, Measured, Page
from mehler.reproduce._learners import nearest_rows
from mehler.reproduce._results import Results, capital, curves, paired_interval, table
from mehler.reproduce.invariant import mnist, speech
from mehler.reproduce.invariant._accuracy import World, right_by_ridge

LEARNERS = {"ridge": "least squares", "nearest": "nearest neighbour"}
# Templates that move, templates that stay, and rows without a map.
KINDS = {"moved": "templates that move", "still": "templates that stay", "rows": "rows, no map"}
_DRAWS = "Mean over draws of rows and templates, with its standard error."
_RIGHT = "share of test rows that are right"


def panel_page(
    cells: list[tuple[Cell, Measured]],
    templates: Sequence[int],
    bins: Sequence[int],
    sizes: Sequence[int],
) -> Page:
    """Return tables and plots of both learners, and verdicts that are paired over draws."""
    results = Results(cells)
    panel = {
        learner: np.array(
            [
                [results.values("panel", "moved", learner, f"{m},{n}") for n in bins]
                for m in templates
            ]
        )
        for learner in LEARNERS
    }
    right = {
        (learner, kind): results.values("sizes", kind, learner)
        for kind, learner in itertools.product(KINDS, LEARNERS)
    }
    at_most = f"m = {templates[-1]}, n = {bins[-1]}"
    return Page(
        verdicts=[
            *(_growth(values, name) for name, values in zip(LEARNERS.values(), panel.values())),
            *_moving(right, sizes),
        ],
        tables=[
            *(
                table(
                    f"{capital(_RIGHT)} by {LEARNERS[learner]}, templates that move, mean ± "
                    "standard deviation over draws",
                    ("", *(f"n = {n}" for n in bins)),
                    {f"m = {m}": row for m, row in zip(templates, values)},
                    digits=3,
                )
                for learner, values in panel.items()
            ),
            table(
                f"{capital(_RIGHT)} over training rows, {at_most}, mean ± standard deviation over "
                "draws",
                ("learner", "features", *(f"N = {n}" for n in sizes)),
                {
                    (LEARNERS[learner], KINDS[kind]): values.T
                    for (learner, kind), values in right.items()
                },
                digits=3,
            ),
        ],
        plots=[
            *(
                curves(
                    f"{LEARNERS[learner]}, {sizes[-1]} training rows, templates that move",
                    "number of bins n",
                    bins,
                    _RIGHT,
                    {f"m = {m}": row.T for m, row in zip(templates, values)},
                    _DRAWS,
                )
                for learner, values in panel.items()
            ),
            curves(
                f"Over training rows, {at_most}",
                "number of training rows",
                sizes,
                _RIGHT,
                {
                    f"{LEARNERS[learner]}, {KINDS[kind]}": values
                    for (learner, kind), values in right.items()
                },
                _DRAWS,
            ),
        ],
    )


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


# By level: templates, bins, training rows; test rows of a draw.
TEMPLATES = {"quick": (5, 20), "full": (5, 20, 80)}
BINS = {"quick": (1, 4), "full": (1, 2, 4, 8)}
SIZES = {"quick": (50, 200), "full": (100, 300, 1000)}
_TEST = {"quick": 200, "full": 1000}


def measure(world: World, cell: Cell, seed: int) -> Measured:
    """Return shares of test rows that are right, least squares and nearest neighbour.

    ``panel``: by kind, learner, templates and bins, at the largest training sample; ``sizes``: by
    kind and learner over the training samples, at the most templates and bins. Samples grow.
    """
    own = cell.seed(seed, "invariant-panels")
    learnt, tested = ((world.X[rows], world.y[rows]) for rows in _rows(world, own))
    return panels(world.level, learnt, tested, world.moves["both"], SIZES[world.level], own + 1)


def panels(
    level: Level,
    learnt: tuple[Any, Any],
    tested: tuple[Any, Any],
    moves: Any,
    sizes: Sequence[int],
    seed: int,
) -> Measured:
    """Return the shares by kind and learner, from rows and labels of both parts."""
    (rows, labels), (others, truth) = learnt, tested
    d = rows.shape[1]
    measured: Measured = {"panel": {}, "sizes": {}}
    lists = {"moved": moves, "still": groups.Trivial(d)}
    for kind, group in lists.items():
        for m, n in itertools.product(TEMPLATES[level], BINS[level]):
            phi = GroupInvariantFeatures.draw(
                d, group=group, n_templates=m, n_bins=n, seed=seed, like=rows
            )
            z, z_test = phi(rows), phi(others)
            for learner, right in both(z, labels, z_test, truth).items():
                measured["panel"].setdefault(kind, {}).setdefault(learner, {})[f"{m},{n}"] = right
        # The last map has the most templates and bins.
        measured["sizes"][kind] = _over_sizes(sizes, z, labels, z_test, truth)
    measured["sizes"]["rows"] = _over_sizes(sizes, rows, labels, others, truth)
    return measured


def _rows(world: World, seed: int) -> tuple[Any, Any]:
    """Draw rows to learn from and to test, without replacement."""
    rng = np.random.default_rng(seed)
    most, tested = SIZES[world.level][-1], _TEST[world.level]
    if world.known is None:
        order = rng.permutation(len(world.y))
        return order[:most], order[most : most + tested]
    others = len(world.y) - world.known
    return rng.permutation(world.known)[:most], world.known + rng.permutation(others)[:tested]


def _over_sizes(
    sizes: Sequence[int],
    z: NDArray[np.floating],
    labels: NDArray[np.int64],
    z_test: NDArray[np.floating],
    truth: NDArray[np.int64],
) -> dict[str, Any]:
    """Return the shares by learner, a list over the training samples."""
    each = [both(z[:n], labels[:n], z_test, truth) for n in sizes]
    return {learner: [right[learner] for right in each] for learner in each[0]}


def both(
    z: NDArray[np.floating],
    labels: NDArray[np.int64],
    z_test: NDArray[np.floating],
    truth: NDArray[np.int64],
) -> dict[str, float]:
    """Return the shares of test rows that least squares and the nearest neighbour get right."""
    nearest = nearest_rows(z, z_test)[:, 0]
    return {
        "ridge": right_by_ridge(z, labels, z_test, truth),
        "nearest": float(np.mean(labels[nearest] == truth)),
    }


def page(level: Level, cells: list[tuple[Cell, Measured]]) -> Page:
    """Return the page: panels, curves, and which claims of the paper's text hold."""
    return panel_page(cells, TEMPLATES[level], BINS[level], SIZES[level])


MNIST = Experiment(
    name="invariant-mnist-panels",
    title="Templates, bins and nearest neighbours",
    source="Mroueh, Voinea, Poggio (2015), Section 6, and Appendix D for other data",
    printed=(
        "For Theorem 2 the nearest neighbour by features is the measure, for Theorem 3 least "
        "squares. More bins at a number of templates, and more templates at a number of bins, are "
        "said to be better, of permuted sequences. No numbers are stated."
    ),
    prepare=mnist.prepare,
    measure=measure,
    page=page,
    data={"quick": "the 8 x 8 digits, in place of MNIST", "full": "MNIST"},
    needs_data=("full",),
)
SPEECH = Experiment(
    name="invariant-speech-panels",
    title="Templates, bins and nearest neighbours",
    source="Mroueh, Voinea, Poggio (2015), Section 6 and Figures 6 to 8",
    printed=(
        "Accuracy over templates and bins for several splits of TIDIGITS, without numbers in the "
        "source text. Here no split is one by speakers, who are not named; 'invariant-vowels' has "
        "such splits."
    ),
    prepare=speech.prepare,
    measure=measure,
    page=page,
    data={
        "quick": "synthetic recordings, in place of TIDIGITS",
        "full": "the Free Spoken Digit Dataset, in place of TIDIGITS",
    },
)
