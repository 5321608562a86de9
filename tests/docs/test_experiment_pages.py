"""Pages of the experiments: every experiment has one, with the numbers that were kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mehler import reproduce
from tests.docs._blocks import ROOT
from tests.docs.test_site import load

pages = load(ROOT / "docs" / "_experiments.py")
RESULTS = ROOT / "docs" / "experiments" / "results"
KEPT = sorted(RESULTS.glob("*.json"))


def test_every_experiment_has_results_that_a_page_shows() -> None:
    shown = "".join(path.read_text() for path in (ROOT / "docs" / "experiments").glob("*.md"))
    assert "../theorems/group-invariant-permutations.md" in shown
    for name in reproduce.experiments():
        assert f"`{name}`" in (ROOT / "docs" / "experiments.md").read_text()
        if name == "invariant-permutations":
            continue  # its full tables are those of a benchmark, on the page of its statement
        assert f"results/{name}.md" in shown
        assert f"experiment-{name}.svg" in shown
        record = json.loads((RESULTS / f"{name}.json").read_text())
        # What stands in the pages is the full run.
        assert (record["experiment"], record["level"]) == (name, "full")


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.stem)
def test_tables_are_what_the_kept_numbers_say(path: Path) -> None:
    record = json.loads(path.read_text())
    assert path.with_suffix(".md").read_text() == pages.fragment(record)
    assert f", mehler {record['mehler']}; " in pages.fragment(record)


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.stem)
@pytest.mark.sampled(4)
def test_pages_are_those_that_experiments_make_of_the_kept_cells(path: Path) -> None:
    record = json.loads(path.read_text())
    made = pages.again(record)
    assert made["title"] == record["title"], "run python docs/_experiments.py"
    assert pages.fragment(made) == pages.fragment(record), "run python docs/_experiments.py"


def test_files_are_written_alike_from_the_same_run(tmp_path: Path) -> None:
    record = json.loads((RESULTS / "maxout-table-3.json").read_text())
    first, second = (
        [path.read_bytes() for path in pages.bring(record, tmp_path / name)] for name in "ab"
    )
    assert first == second
    assert first[0] == (RESULTS / "maxout-table-3.json").read_bytes()


def test_text_of_a_run_is_not_taken_for_markdown() -> None:
    record = {
        "experiment": "toy",
        "level": "quick",
        "seed": 0,
        "mehler": "0.0",
        "cells": [{"seconds": 300.0}],
        "verdicts": ["a * b * <script>"],
        "tables": [{"caption": "c", "heads": ["x|y"], "rows": [["$1$"]]}],
    }
    text = pages.fragment(record)
    assert r"- a \* b \* \<script>" in text
    assert r"| x\|y |" in text
    assert r"| \$1\$ |" in text
    assert "5 minutes" in text


@pytest.mark.parametrize(
    ("n", "long", "lines"), [(4, False, 2), (4, True, 4), (9, False, 5), (20, False, 10)]
)
def test_no_two_series_look_alike_and_no_legend_covers_them(n: int, long: bool, lines: int) -> None:
    series = [
        {
            "label": f"{k}" + "x" * 30 * long,
            "kind": "points",
            "x": [0.0, 1.0],
            "y": [k, k],
            "y_low": [k - 0.1, k - 0.1],
            "y_high": [k + 0.1, k + 0.1],
        }
        for k in range(n)
    ]
    plot = {"title": "t", "x_label": "x", "y_label": "y", "series": series}
    figure = pages.picture({"plots": [plot]})
    (axis,) = figure.axes
    marks = [
        line for line in axis.get_lines() if line.get_marker() not in ("", "None", None, "_", "|")
    ]
    assert len({(line.get_color(), line.get_marker()) for line in marks}) == n
    # Of equal values those drawn later hide none.
    assert [line.get_fillstyle() == "none" for line in marks] == [k // 6 % 2 == 1 for k in range(n)]
    assert pages.lines_below([one["label"] for one in series]) == lines
    figure.tight_layout()
    figure.canvas.draw()
    assert axis.get_legend().get_window_extent().y1 < axis.xaxis.label.get_window_extent().y0
    pages.plt.close(figure)


def test_plots_by_row_number_each_row() -> None:
    series = [{"label": f"map {k}", "kind": "points", "x": [k], "y": [k]} for k in range(1, 10)]
    plot = {"title": "t", "x_label": "row of the table", "y_label": "y", "series": series}
    figure = pages.picture({"plots": [plot]})
    assert {*range(1, 10)} <= {*figure.axes[0].get_xticks()}
    pages.plt.close(figure)
