"""Each statement has its page, each page its parts, and what the site links to is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mehler.statements import RESTORED_REFUTED, Statement, discover
from tests.docs._blocks import ROOT, pages

THEOREMS = ROOT / "docs" / "theorems"


FAMILIES = ("maxout", "kitchen-sinks", "fourier", "features", "leverage", "group-invariant")
STATEMENTS = [one for family in FAMILIES for one in discover(f"{family}.*")]
# The statements of the first paper have pages without a prefix.
PREFIX = {"maxout": ""}


def page_of(statement: Statement) -> Path:
    family, _, name = statement.id.partition(".")
    return THEOREMS / f"{PREFIX.get(family, f'{family}-')}{name}.md"


@pytest.mark.parametrize("statement", STATEMENTS, ids=lambda one: one.id)
def test_a_statement_has_its_page(statement: Statement) -> None:
    text = page_of(statement).read_text(encoding="utf-8")
    assert f"*Statement* `{statement.id}`" in text
    headings = set(re.findall(r"^## (.+)$", text, re.MULTILINE))
    assert {"Proof", "Evidence"} <= headings
    if statement.copy == "lost":
        assert "As restored" in headings
        assert "As printed" not in headings
    else:
        assert {"As printed", "What is wrong"} <= headings or "Statement" in headings
    if statement.expected in ("refuted, repaired", RESTORED_REFUTED):
        assert {"What is wrong", "As it holds"} <= headings
    # The page's verdict may add a range ("holds, for q >= 2") but not contradict.
    verdict = re.search(r"\*Verdict:\*\s+([^.]*)", text)
    assert verdict is not None
    assert " ".join(verdict[1].split()).startswith(statement.expected)


@pytest.mark.parametrize("statement", STATEMENTS, ids=lambda one: one.id)
def test_the_page_names_the_command_that_measures_it(statement: Statement) -> None:
    text = page_of(statement).read_text(encoding="utf-8")
    assert f"mehler report --statements {statement.id} " in text


def test_pages_name_no_statement_that_does_not_exist() -> None:
    known = {one.id for one in STATEMENTS}
    named = set()
    for page in THEOREMS.glob("*.md"):
        named |= set(
            re.findall(
                rf"`((?:{'|'.join(FAMILIES)})\.[a-z0-9-]+)`",
                page.read_text(encoding="utf-8"),
            )
        )
    assert named <= known


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.relative_to(ROOT).as_posix())
def test_local_links_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for not_prose in (r"```.*?```", r"\$\$.*?\$\$", r"\$[^$]*\$"):
        text = re.sub(not_prose, "", text, flags=re.DOTALL)
    targets = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text)
    missing = [t for t in targets if "://" not in t and not (page.parent / t).exists()]
    assert not missing
