"""Bring what `mehler reproduce` measured into the pages of the experiments.

``python docs/_experiments.py DIR`` takes each ``DIR/NAME/NAME.json``, DIR the folder that ``--out``
of ``mehler reproduce`` names, and writes to ``docs/experiments/results`` the measured numbers
(``NAME.json``, six digits) and verdicts and tables (``NAME.md``), and to ``docs/_static`` the
pictures (``experiment-NAME.svg``). No figure of a page is typed by hand.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("svg")

import matplotlib.pyplot as plt

DOCS = Path(__file__).parent
# Distinguishable for colour-blind readers (Okabe and Ito), with a marker each.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
MARKERS = "os^Dv<>"


def fragment(record: dict[str, Any]) -> str:
    """Markdown of the verdicts and tables, with the command that makes them."""
    seconds = sum(cell["seconds"] for cell in record["cells"])
    took = f"{seconds / 60:.0f} minutes" if seconds > 120 else f"{seconds:.0f} seconds"
    lines = [
        f"*`mehler reproduce {record['experiment']} --level {record['level']}`, seed "
        f"{record['seed']}; {len(record['cells'])} cells, {took} on one core of a shared machine.*",
        "",
        *(f"- {plain(verdict)}" for verdict in record["verdicts"]),
    ]
    for table in record["tables"]:
        lines += ["", f"{plain(table['caption'])}:", "", row(table["heads"])]
        lines += ["|" + "---|" * len(table["heads"]), *(row(cells) for cells in table["rows"])]
    return "\n".join(lines) + "\n"


def row(cells: list[str]) -> str:
    """One row of a Markdown table."""
    return "| " + " | ".join(plain(cell) or " " for cell in cells) + " |"


def plain(text: str) -> str:
    """Text whose characters mean themselves."""
    for character in "\\*_|<$`":
        text = text.replace(character, "\\" + character)
    return text


def picture(record: dict[str, Any]) -> Any:
    """All plots of an experiment, up to three in a row."""
    plots = record["plots"]
    columns = min(3, len(plots))
    rows = -(-len(plots) // columns)
    labels = [[series["label"] for series in plot["series"]] for plot in plots]
    # An inch has about seven lines of a legend.
    height = 3.5 + max(lines_below(some) for some in labels) / 7
    figure, axes = plt.subplots(
        rows, columns, figsize=(4.2 * columns, height * rows), squeeze=False
    )
    for axis, plot in zip(axes.flat, plots):
        for number, series in enumerate(plot["series"]):
            # From the eighth on other markers, and broken lines: no two series look alike.
            again = number // 7
            marker = MARKERS[(number + 3 * again) % 7]
            draw(axis, series, COLOURS[number % 7], marker, "--" if again else "-")
        axis.set(xlabel=plot["x_label"], ylabel=plot["y_label"])
        axis.set_title(plot["title"], fontsize=9)
        legend(axis, [series["label"] for series in plot["series"]])
    for axis in list(axes.flat)[len(plots) :]:
        axis.remove()
    return figure


def legend(axis: Any, labels: list[str]) -> None:
    """Labels in a corner, or below the axes where they are many or long and would cover data."""
    lines = lines_below(labels)
    if not lines:
        axis.legend(frameon=False, fontsize=7)
        return
    # The pad is in font sizes, so that the label of the axis has its place at any height.
    axis.legend(
        frameon=False,
        fontsize=7,
        loc="upper center",
        bbox_to_anchor=(0.5, 0.0),
        borderaxespad=4.5,
        ncols=-(-len(labels) // lines),
    )


def lines_below(labels: list[str]) -> int:
    """Lines of a legend below the axes: none where it fits into a corner."""
    longest = max(map(len, labels))
    if len(labels) <= 4 and longest <= 24:
        return 0
    return -(-len(labels) // 2) if longest <= 26 else len(labels)


def draw(axis: Any, series: dict[str, Any], colour: str, marker: str, dashes: str = "-") -> None:
    """One series: a line, a cloud, or values with error bars, joined for the eye."""
    style = {"color": colour, "label": series["label"]}
    if series["kind"] == "line":
        axis.plot(series["x"], series["y"], dashes, lw=1.5, **style)
    elif series["y_low"] is None:
        axis.plot(series["x"], series["y"], marker, ms=2.5, **style)
    else:
        below = [max(y - low, 0.0) for y, low in zip(series["y"], series["y_low"])]
        above = [max(high - y, 0.0) for y, high in zip(series["y"], series["y_high"])]
        axis.errorbar(
            series["x"],
            series["y"],
            (below, above),
            fmt=f"{marker}{dashes}",
            ms=3.5,
            lw=0.8,
            **style,
        )


def rounded(value: Any) -> Any:
    """Numbers to six digits."""
    if isinstance(value, dict):
        return {key: rounded(one) for key, one in value.items()}
    if isinstance(value, list):
        return [rounded(one) for one in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value


def bring(record: dict[str, Any], docs: Path = DOCS) -> list[Path]:
    """Write the three files of one experiment."""
    name, record = record["experiment"], rounded(record)
    kept = docs / "experiments" / "results" / f"{name}.json"
    text = kept.with_suffix(".md")
    drawn = docs / "_static" / f"experiment-{name}.svg"
    for target in (text, drawn):
        target.parent.mkdir(parents=True, exist_ok=True)
    numbers = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
    kept.write_text(numbers + "\n", encoding="utf-8")
    text.write_text(fragment(record), encoding="utf-8")
    style = {
        "svg.hashsalt": name,  # else element ids, and so the bytes, differ from run to run
        "axes.spines.top": False,
        "axes.spines.right": False,
        "figure.facecolor": "white",  # readable on dark pages too
        "font.size": 8,
        "text.parse_math": False,
    }
    with mpl.rc_context(style):
        figure = picture(record)
        figure.tight_layout()
        figure.savefig(drawn, metadata={"Date": None})
        plt.close(figure)
    return [kept, text, drawn]


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("python docs/_experiments.py DIR: the folder that --out of mehler reproduce names")
    for path in sorted(Path(sys.argv[1]).glob("*/*.json")):
        if path.stem == path.parent.name:
            print(*bring(json.loads(path.read_text(encoding="utf-8"))), sep="\n")
