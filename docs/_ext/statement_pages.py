"""Make the pages of statements and experiments from `proofs_checks/`, by their ids and names.

Each page of Markdown next to its checks becomes `docs/theorems/NAME.md`, which git ignores: the
front matter becomes a line with source and verdict, and links lead from the page's new place. That
of an experiment becomes `docs/experiments/NAME.md`, with the tables of the full run.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from mehler.proofs_checks._statements import HERE, PAGES
from mehler.proofs_checks.experiments import EXPERIMENTS, PLACE

from mehler.proofs_checks import STATEMENTS
from mehler.statements import Statement

if TYPE_CHECKING:
    from sphinx.application import Sphinx

ROOT = Path(__file__).parents[2]
THEOREMS = ROOT / "docs" / "theorems"
SHOWN = ROOT / "docs" / "experiments"


def _homes(pages: dict[str, Path]) -> dict[str, Path]:
    """Return the pages of the checkout, to whose files links lead; mehler may be elsewhere."""
    return {name: ROOT / "proofs_checks" / path.relative_to(HERE) for name, path in pages.items()}


HOMES = _homes(PAGES)
SCRIPTS = _homes({name: one.page for name, one in EXPERIMENTS.items()})
# The first line of a page that was made, as a comment of MyST.
MADE = "% Made from"
_NOTATION = {
    "kitchen-sinks": "-of-the-kitchen-sinks",
    "fourier": "-of-the-fourier-features",
    "leverage": "-of-leverage-scores",
    "group-invariant": "-of-group-invariant-features",
}
# What a title begins with, so that a search for a theorem finds its paper.
_PAPER = {
    "maxout": "Maxout",
    "kitchen-sinks": "Kitchen sinks",
    "fourier": "Fourier features",
    "leverage": "Leverage scores",
    "group-invariant": "Group-invariant features",
    "features": "Random features",
    "depth": "Deep networks",
}
_TARGET = re.compile(r"(\]\(|```\{include\} )(?![a-z]+:|#|\))([^)#\s]+)")


def name_of(statement: str) -> str:
    """Return the name of a statement's page; the first paper's have no prefix."""
    paper, _, name = statement.partition(".")
    return f"{'' if paper == 'maxout' else f'{paper}-'}{name}.md"


def _moved(text: str, home: Path, folder: Path) -> str:
    """Return a text of a page whose links lead from its new folder, to pages that are made."""
    made = {path.resolve(): THEOREMS / name_of(one) for one, path in HOMES.items()}
    made |= {path.resolve(): SHOWN / f"{name}.md" for name, path in SCRIPTS.items()}

    def moved(match: re.Match[str]) -> str:
        target = (home.parent / match[2]).resolve()
        return match[1] + Path(os.path.relpath(made.get(target, target), folder)).as_posix()

    return _TARGET.sub(moved, text)


def page(statement: Statement) -> str:
    """Return the page of a statement."""
    home = HOMES[statement.id]
    title, _, text = home.read_text(encoding="utf-8").split("\n# ", 1)[1].rstrip().partition("\n")
    family = statement.id.partition(".")[0]
    notation, paper = _NOTATION.get(family, ""), _PAPER[family]
    number = re.split("[:,]", title)[0].lower()
    title = f"# {title}" if title.startswith(paper) else f"# {paper}: {title}"
    head = (
        f"```{{index}} ! {paper.lower()} {number}, ! {number}\n```\n\n"  # for the search
        f"*Statement* `{statement.id}`. *Source:* {statement.source}. "
        f"*Verdict:* {statement.expected}. [Place, hypotheses, ground](../fairness.md); "
        f"[notation](index.md#notation{notation})."
    )
    origin = home.relative_to(ROOT).as_posix()
    return f"{MADE} {origin}\n\n{title}\n\n{head}\n{_moved(text, home, THEOREMS)}\n"


def experiment_page(name: str) -> str:
    """Return the page of an experiment, with the tables that are kept in the place for them."""
    home = SCRIPTS[name]
    text = _moved(home.read_text(encoding="utf-8"), home, SHOWN)
    kept = (SHOWN / "results" / f"{name}.md").exists()
    tables = f"```{{include}} results/{name}.md\n```" if kept else ""
    return f"{MADE} {home.relative_to(ROOT).as_posix()}\n\n{text.replace(PLACE, tables)}"


def write(app: Sphinx | None = None) -> None:
    """Write the pages, and remove those that were made of what is gone."""
    pages = {THEOREMS / name_of(one.id): page(one) for one in STATEMENTS}
    pages |= {SHOWN / f"{name}.md": experiment_page(name) for name in SCRIPTS}
    for path in (*THEOREMS.glob("*.md"), *SHOWN.glob("*.md")):
        if path not in pages and path.read_text(encoding="utf-8").startswith(MADE):
            path.unlink()
    for path, text in pages.items():
        # An unchanged page keeps its date, so that Sphinx does not read it again.
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("builder-inited", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
