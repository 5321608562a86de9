"""Collect the tables of benchmarks/results into one file, which performance-details.md includes."""

from __future__ import annotations

from pathlib import Path

from sphinx.application import Sphinx

NONE_YET = "*No benchmark has been run in this checkout: `benchmarks/results/` is empty.*\n"


def collect(app: Sphinx) -> None:
    docs = Path(app.srcdir)
    page = (docs / "performance-details.md").read_text(encoding="utf-8")
    tables = sorted((docs.parent / "benchmarks" / "results").glob("*.md"))
    text = "\n\n".join(
        f"### {table.stem.replace('_', ' ')}\n\n<details><summary>Table</summary>\n\n"
        f"{table.read_text(encoding='utf-8').strip()}\n\n</details>"
        for table in tables
        if f"benchmarks/results/{table.name}" not in page
    )
    target = docs / "_build" / "included" / "benchmarks.md"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text + "\n" if text else NONE_YET, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("builder-inited", collect)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
