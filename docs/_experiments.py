"""Bring what `mehler reproduce` measured into the pages of the experiments.

``python docs/_experiments.py DIR`` takes each ``DIR/NAME/NAME.json``, DIR the folder that ``--out``
of ``mehler reproduce`` names, and writes to ``docs/experiments/results`` the numbers of its cells
(``NAME.json``, six digits) and the tables (``NAME.md``), and to ``docs/_static`` the pictures
(``experiment-NAME.svg``). No figure of a table is typed by hand. Without DIR it writes tables and
pictures of the kept cells again, as the experiments make them today.
"""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("svg")

import matplotlib.pyplot as plt
from _gallery import COLOURS, style
from mehler.proofs_checks.experiments import EXPERIMENTS, Results

from mehler.report.render._svg import plot_on
from mehler.statements import Plot, Series

DOCS = Path(__file__).parent
RESULTS = DOCS / "experiments" / "results"


def results_of(record: dict[str, Any]) -> Results:
    """Return the measurements of kept cells, which must be those of the experiment, in order."""
    cells = []
    wanted = EXPERIMENTS[record["experiment"]].cells(record["level"])
    for options, kept in zip(wanted, record["cells"], strict=True):
        measured = {name: value for name, value in kept.items() if name not in options}
        if {**measured, **options} != kept:
            raise ValueError(f"{record['experiment']}: {options} is not kept in its place")
        cells.append((options, measured))
    return Results(cells)


def fragment(record: dict[str, Any]) -> str:
    """Markdown of the tables, with the command that makes them."""
    seconds = sum(cell["seconds"] for cell in record["cells"])
    took = f"{seconds / 60:.0f} minutes" if seconds > 120 else f"{seconds:.0f} seconds"
    lines = [
        f"*`mehler reproduce {record['experiment']} --level {record['level']}`, seed "
        f"{record['seed']}, mehler {record['mehler']}; {len(record['cells'])} cells, {took} on one "
        "core of a shared machine.*"
    ]
    tables = EXPERIMENTS[record["experiment"]].table(record["level"], results_of(record))
    for caption, rows in tables.items():
        lines += ["", f"{plain(caption)}:", "", row(rows[0])]
        lines += ["|" + "---|" * len(rows[0]), *(row(cells.values()) for cells in rows)]
    return "\n".join(lines) + "\n"


def row(cells: Iterable[str]) -> str:
    """One row of a Markdown table."""
    return "| " + " | ".join(plain(cell) or " " for cell in cells) + " |"


def plain(text: str) -> str:
    """Text whose characters mean themselves."""
    for character in "\\*_|<$`":
        text = text.replace(character, "\\" + character)
    return text


def picture(plots: Sequence[Plot]) -> Any:
    """All plots of an experiment, two in a row, as the report draws them."""
    columns = min(2, len(plots))
    rows = -(-len(plots) // columns)
    labels = [[series.label for series in plot.series] for plot in plots]
    # An inch has about seven lines of a legend.
    height = 3.5 + max(lines_below(some) for some in labels) / 7
    figure, axes = plt.subplots(
        rows, columns, figsize=(4.0 * columns, height * rows), squeeze=False
    )
    for axis, plot in zip(axes.flat, plots):
        plot_on(axis, plot, COLOURS)
        # One line, or lines of about the same length.
        width = len(plot.title) if len(plot.title) <= 46 else 38
        axis.set_title(textwrap.fill(plot.title, width), fontsize=9)
        legend(axis, [series.label for series in plot.series])
    for axis in list(axes.flat)[len(plots) :]:
        axis.remove()
    return figure


def legend(axis: Any, labels: list[str]) -> None:
    """Labels below the axes, where they cover no data."""
    lines = lines_below(labels)
    # The pad is in font sizes, so that the label of the axis has its place at any height.
    axis.legend(
        fontsize=7,
        loc="upper center",
        bbox_to_anchor=(0.5, 0.0),
        borderaxespad=4.5,
        ncols=-(-len(labels) // lines),
    )


def lines_below(labels: list[str]) -> int:
    """Lines of a legend below the axes: two labels in a line where they are short."""
    return -(-len(labels) // 2) if max(map(len, labels)) <= 26 else len(labels)


def rounded(value: Any) -> Any:
    """Numbers to six digits."""
    if isinstance(value, dict):
        return {key: rounded(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(one) for one in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value


def rounded_plot(plot: Plot) -> Plot:
    """A plot of numbers to six digits, so that its picture does not change with the machine."""
    return replace(plot, series=[Series(**rounded(asdict(series))) for series in plot.series])


def bring(record: dict[str, Any], docs: Path = DOCS) -> list[Path]:
    """Write the three files of one experiment."""
    name, record = record["experiment"], rounded(record)
    kept = docs / "experiments" / "results" / f"{name}.json"
    text = kept.with_suffix(".md")
    drawn = docs / "_static" / f"experiment-{name}.svg"
    for target in (text, drawn):
        target.parent.mkdir(parents=True, exist_ok=True)
    record = {key: record[key] for key in ("experiment", "level", "seed", "mehler", "cells")}
    kept.write_text(json.dumps(record, separators=(",", ":")) + "\n", encoding="utf-8")
    text.write_text(fragment(record), encoding="utf-8")
    with mpl.rc_context(style(name, size=8)):
        plots = EXPERIMENTS[name].figure(record["level"], results_of(record))
        figure = picture([rounded_plot(plot) for plot in plots])
        figure.tight_layout()
        figure.savefig(drawn, metadata={"Date": None})
        plt.close(figure)
    return [kept, text, drawn]


if __name__ == "__main__":
    new = [path for name in sys.argv[1:] for path in sorted(Path(name).glob("*/*.json"))]
    new = [path for path in new if path.stem == path.parent.name]
    if len(sys.argv) > 2 or (sys.argv[1:] and not new):
        sys.exit("python docs/_experiments.py [DIR]: DIR/NAME/NAME.json, by mehler reproduce")
    for path in new or sorted(RESULTS.glob("*.json")):
        print(*bring(json.loads(path.read_text(encoding="utf-8"))), sep="\n")
