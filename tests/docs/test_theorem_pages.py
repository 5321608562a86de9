"""Each statement has its page, each page its parts, and what the site links to is there."""

import re
from pathlib import Path

import pytest

from mehler.proofs_checks import STATEMENTS
from mehler.statements import RESTORED_REFUTED, Statement
from tests.docs._blocks import ROOT, pages
from tests.docs.test_site import load

THEOREMS = ROOT / "docs" / "theorems"
made = load(ROOT / "docs" / "_ext" / "statement_pages.py")
MADE = {made.name_of(page.id): page for page in STATEMENTS}
PLACES = {THEOREMS / name for name in MADE} | {made.SHOWN / f"{name}.md" for name in made.SCRIPTS}


@pytest.mark.parametrize("statement", STATEMENTS, ids=lambda page: page.id)
def test_a_statement_has_its_page(statement: Statement) -> None:
    text = made.page(statement)
    assert f"*Statement* `{statement.id}`" in text
    assert f"*Verdict:* {statement.expected}. " in text
    headings = set(re.findall(r"^## (.+)$", text, re.MULTILINE))
    assert {"Proof", "Evidence"} <= headings
    if statement.expected in ("refuted, repaired", RESTORED_REFUTED):
        assert {"What is wrong", "As it holds"} <= headings
    # The command that measures it.
    if statement.checks:
        assert f"mehler report --statements {statement.id} " in text


def test_addresses_are_those_of_the_ids() -> None:
    assert made.name_of("maxout.lemma-2") == "lemma-2.md"
    assert made.name_of("kitchen-sinks.lemma-1") == "kitchen-sinks-lemma-1.md"
    assert len(MADE) == len(STATEMENTS)


def _missing(text: str, folder: Path) -> list[str]:
    """Return the targets of links that are no file, and no page that the site makes."""
    for not_prose in (r"```.*?```", r"\$\$.*?\$\$", r"\$[^$]*\$"):
        text = re.sub(not_prose, "", text, flags=re.DOTALL)
    targets = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text)
    paths = {page: (folder / page).resolve() for page in targets if "://" not in page}
    return [page for page, path in paths.items() if not path.exists() and path not in PLACES]


def test_links_of_pages_lead_somewhere() -> None:
    for page in pages():
        assert not _missing(page.read_text(encoding="utf-8"), page.parent), page.name
    for statement in STATEMENTS:
        assert not _missing(made.page(statement), THEOREMS), statement.id
    for name in made.SCRIPTS:
        assert not _missing(made.experiment_page(name), made.SHOWN), name
