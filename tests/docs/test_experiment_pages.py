"""Pages of the experiments: every experiment has one, with the numbers that were kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from mehler.proofs_checks.experiments import EXPERIMENTS

from tests.docs._blocks import ROOT
from tests.docs.test_site import load
from tests.proofs_checks.experiments.toy import toy

pages = load(ROOT / "docs" / "_experiments.py")
made = load(ROOT / "docs" / "_ext" / "statement_pages.py")
RESULTS = ROOT / "docs" / "experiments" / "results"


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_an_experiment_has_a_page_with_the_results_of_its_full_run(name: str) -> None:
    page = made.experiment_page(name)
    listed = (ROOT / "docs" / "experiments.md").read_text(encoding="utf-8")
    assert f"[`{name}`](experiments/{name}.md)" in listed
    assert f"\nexperiments/{name}\n" in listed
    if name == "invariant-permutations":
        assert "](../_static/permutations.svg)" in page
        return  # its full tables are those of a benchmark, on the page of its statement
    assert f"```{{include}} results/{name}.md\n```" in page
    assert f"](../_static/experiment-{name}.svg)" in page
    assert (ROOT / "docs" / "_static" / f"experiment-{name}.svg").exists()
    record = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    assert (record["experiment"], record["level"]) == (name, "full")
    text = (RESULTS / f"{name}.md").read_text(encoding="utf-8")
    assert text == pages.fragment(record), "run python docs/_experiments.py"
    assert f", mehler {record['mehler']}; " in text


def test_text_of_a_run_is_not_taken_for_markdown(tmp_path: Path, monkeypatch) -> None:
    def table(level, results):
        return {"a * b * <script>": [{"x|y": "$1$"}]}

    one = toy(tmp_path, [], table=table, cells=lambda level: [{"n": 1}])
    monkeypatch.setitem(EXPERIMENTS, "toy", one)
    record = {"experiment": "toy", "level": "quick", "seed": 0, "mehler": "0.0"}
    record["cells"] = [{"n": 1, "seconds": 300.0}]
    text = pages.fragment(record)
    assert r"a \* b \* \<script>:" in text
    assert r"| x\|y |" in text
    assert r"| \$1\$ |" in text
    assert "5 minutes" in text
    with pytest.raises(ValueError, match=r"toy: \{'n': 1\} is not kept in its place"):
        pages.fragment({**record, "cells": [{"n": 2, "seconds": 1.0}]})
