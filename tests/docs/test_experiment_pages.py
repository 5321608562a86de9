"""Pages of the experiments: every experiment has one, with the numbers that were kept."""

import json

import pytest
from mehler.proofs_checks.experiments import EXPERIMENTS

from tests.docs._blocks import ROOT
from tests.docs.test_site import load

pages = load(ROOT / "docs" / "_experiments.py")
made = load(ROOT / "docs" / "_ext" / "statement_pages.py")
RESULTS = ROOT / "docs" / "experiments" / "results"


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_an_experiment_has_a_page_with_the_results_of_its_full_run(name: str) -> None:
    page = made.experiment_page(name)
    table = (ROOT / "docs" / "experiments.md").read_text(encoding="utf-8")
    assert f"[`{name}`](experiments/{name}.md)" in table, "write its row in docs/experiments.md"
    assert f"\nexperiments/{name}\n" in table
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
