"""Make the pages of statements from `proofs_checks/`, under the addresses of their ids.

Each page of Markdown beside its checks becomes `docs/theorems/NAME.md`, which git ignores: the
front matter becomes a line with source and verdict, and links lead from the page's new place.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from mehler.proofs_checks._statements import HERE, PAGES

from mehler.proofs_checks import STATEMENTS
from mehler.statements import Statement

if TYPE_CHECKING:
    from sphinx.application import Sphinx

ROOT = Path(__file__).parents[2]
THEOREMS = ROOT / "docs" / "theorems"
# The pages of the checkout, whose links lead to its files; mehler may be installed elsewhere.
HOMES = {name: ROOT / "proofs_checks" / path.relative_to(HERE) for name, path in PAGES.items()}
# The first line of a page that was made, as a comment of MyST.
MADE = "% Made from"
_NOTATION = {
    "kitchen-sinks": "-of-the-kitchen-sinks",
    "fourier": "-of-the-fourier-features",
    "leverage": "-of-leverage-scores",
    "group-invariant": "-of-group-invariant-features",
}
_TARGET = re.compile(r"(\]\(|```\{include\} )(?![a-z]+:|#|\))([^)#\s]+)")


def name_of(statement: str) -> str:
    """Return the name of a statement's page; the first paper's have no prefix."""
    paper, _, name = statement.partition(".")
    return f"{'' if paper == 'maxout' else f'{paper}-'}{name}.md"


def page(statement: Statement) -> str:
    """Return the page of a statement."""
    home = HOMES[statement.id]
    made = {path.resolve(): name_of(one) for one, path in HOMES.items()}

    def moved(found: re.Match[str]) -> str:
        target = (home.parent / found[2]).resolve()
        place = made.get(target) or os.path.relpath(target, THEOREMS)
        return found[1] + Path(place).as_posix()

    _, _, body = home.read_text(encoding="utf-8").split("---\n", 2)
    title, _, text = body.strip().partition("\n")
    notation = _NOTATION.get(statement.id.partition(".")[0], "")
    head = (
        f"*Statement* `{statement.id}`. *Source:* {statement.source}. "
        f"*Verdict:* {statement.expected}. [Place, hypotheses, ground](../fairness.md); "
        f"[notation](index.md#notation{notation})."
    )
    origin = home.relative_to(ROOT).as_posix()
    return f"{MADE} {origin}\n\n{title}\n\n{head}\n{_TARGET.sub(moved, text)}\n"


def write(app: Sphinx | None = None) -> None:
    """Write the pages, and remove those that were made of statements that are gone."""
    pages = {name_of(one.id): page(one) for one in STATEMENTS}
    for path in THEOREMS.glob("*.md"):
        if path.name not in pages and path.read_text(encoding="utf-8").startswith(MADE):
            path.unlink()
    for name, text in pages.items():
        path = THEOREMS / name
        # An unchanged page keeps its date, so that Sphinx does not read it again.
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("builder-inited", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
