"""The page of a panel: accuracy over templates and bins, and over training samples."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mehler.reproduce._draws import between, paired_interval, spread, with_errors
from mehler.reproduce._experiment import Cell, Measured, Page, Table
from mehler.statements import Plot

LEARNERS = {"ridge": "least squares", "nearest": "nearest neighbour"}


def page(
    found: list[tuple[Cell, Measured]],
    templates: Sequence[int],
    bins: Sequence[int],
    sizes: Sequence[int],
    kinds: Mapping[str, str],
) -> Page:
    """Return tables and plots of both learners, and verdicts that are paired over draws."""
    panel = {
        (kind, learner): np.array(
            [
                [[one["panel"][kind][learner][f"{m},{n}"] for n in bins] for m in templates]
                for _, one in found
            ]
        )
        for kind, learner in itertools.product(("moved", "still"), LEARNERS)
    }
    curves = {
        (kind, learner): np.array([one["sizes"][kind][learner] for _, one in found])
        for kind, learner in itertools.product(kinds, LEARNERS)
    }
    tables, plots = [], []
    for learner, name in LEARNERS.items():
        moved = panel["moved", learner]
        tables.append(_panel(f"{name}, templates that move", moved, templates, bins))
        plots.append(
            Plot(
                title=f"{name}, {sizes[-1]} training rows, templates that move",
                x_label="log2 of the number of bins n",
                y_label="share of test rows that are right",
                series=[
                    with_errors(f"m = {m}", np.log2(bins), moved[:, k])
                    for k, m in enumerate(templates)
                ],
                caption="Mean over draws of rows and templates, with its standard error.",
            )
        )
    rows = [
        [LEARNERS[learner], kinds[kind], *(spread(values, 3) for values in at.T)]
        for (kind, learner), at in curves.items()
    ]
    tables.append(
        Table(
            f"Share of test rows that are right over training rows, m = {templates[-1]}, "
            f"n = {bins[-1]}, mean ± standard deviation over draws",
            ("learner", "features", *(f"N = {n}" for n in sizes)),
            rows,
        )
    )
    plots.append(
        Plot(
            title=f"Over training rows, m = {templates[-1]}, n = {bins[-1]}",
            x_label="number of training rows",
            x_log=True,
            y_label="share of test rows that are right",
            series=[
                with_errors(f"{LEARNERS[learner]}, {kinds[kind]}", sizes, at)
                for (kind, learner), at in curves.items()
            ],
            caption="Mean over draws of rows and templates, with its standard error.",
        )
    )
    return Page(
        verdicts=[
            *(
                _growth(panel["moved", one], templates, bins, name)
                for one, name in LEARNERS.items()
            ),
            *_moving(curves, sizes, kinds),
        ],
        tables=tables,
        plots=plots,
    )


def _panel(what: str, values: Any, templates: Sequence[int], bins: Sequence[int]) -> Table:
    rows = [
        [f"m = {m}", *(spread(values[:, k, j], 3) for j in range(len(bins)))]
        for k, m in enumerate(templates)
    ]
    caption = f"Share of test rows that are right by {what}, mean ± standard deviation over draws"
    return Table(caption, ("", *(f"n = {n}" for n in bins)), rows)


def _growth(values: Any, templates: Sequence[int], bins: Sequence[int], name: str) -> str:
    """Say of each step to more bins, or more templates, whether it is seen to be better."""
    steps = [
        *(
            (values[:, k, j + 1] - values[:, k, j])
            for k in range(len(templates))
            for j in range(len(bins) - 1)
        ),
        *(
            (values[:, k + 1, j] - values[:, k, j])
            for j in range(len(bins))
            for k in range(len(templates) - 1)
        ),
    ]
    of_bins = len(templates) * (len(bins) - 1)
    ends = [paired_interval(step, looks=len(steps))[1:] for step in steps]
    words = []
    for what, some in (("bins", ends[:of_bins]), ("templates", ends[of_bins:])):
        better, worse = sum(low > 0 for low, _ in some), sum(high < 0 for _, high in some)
        words.append(
            f"of {len(some)} steps to more {what} {better} are better, {worse} worse and "
            f"{len(some) - better - worse} not told apart"
        )
    return (
        f"{name[0].upper()}{name[1:]}, templates that move: {'; '.join(words)} (99 % for all "
        f"{len(steps)} at once, Student's, paired over {len(values)} draws)."
    )


def _moving(
    curves: dict[tuple[str, str], Any], sizes: Sequence[int], kinds: Mapping[str, str]
) -> list[str]:
    """Compare templates that move with the controls, by both learners, at every training size."""
    said = []
    for (learner, name), (k, size) in itertools.product(LEARNERS.items(), enumerate(sizes)):
        ours = curves["moved", learner][:, k]
        parts = []
        for other in ("still", "rows"):
            mean, low, high = paired_interval(ours - curves[other, learner][:, k])
            word = "more" if low > 0 else "fewer" if high < 0 else "not told apart"
            ends = between(low, high, "+.3f")
            parts.append(f"against {kinds[other]} {word} ({mean:+.3f}, {ends})")
        said.append(
            f"{name[0].upper()}{name[1:]}, {size} training rows, templates that move: "
            f"{ours.mean():.3f} are right; {'; '.join(parts)}."
        )
    return said
