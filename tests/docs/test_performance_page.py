"""Short tables and pictures of the benchmarks say what the kept results say."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs._blocks import ROOT
from tests.docs.test_site import load

performance = load(ROOT / "docs" / "_performance.py")
TABLES = ROOT / "docs" / "performance"
PAGES = "".join(
    (ROOT / name).read_text(encoding="utf-8")
    for name in (
        "docs/performance.md",
        "docs/learning.md",
        "proofs_checks/experiments/invariant/permutations.md",
    )
)


@pytest.mark.parametrize("name", sorted(performance.TABLES))
def test_tables_are_what_the_results_say(name: str) -> None:
    text = (TABLES / f"{name}.md").read_text(encoding="utf-8")
    assert text == performance.TABLES[name](), "run python docs/_performance.py"
    assert f"performance/{name}.md" in PAGES


def test_no_table_is_left_over() -> None:
    assert {path.stem for path in TABLES.glob("*.md")} == set(performance.TABLES)


def test_a_cell_that_was_not_measured_is_empty() -> None:
    rows = [{"setting": "a", "contender": "b", "ratios": [3.0, 1.0, 2.0]}]
    assert performance.median(rows, "a", "b") == "2.00"
    assert performance.median(rows, "a", "c") == ""


@pytest.mark.parametrize("name", sorted(performance.FIGURES))
def test_pictures_are_drawn_and_reproducible(name: str, tmp_path: Path) -> None:
    first = performance.draw(name, tmp_path).read_bytes()
    assert performance.draw(name, tmp_path).read_bytes() == first
    assert (ROOT / "docs" / "_static" / f"{name}.svg").exists()
    assert f"_static/{name}.svg" in PAGES
