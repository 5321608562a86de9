"""What statements say: ids, forms, proofs, and mathematics that renders."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from mehler.proofs_checks._statements import PAGES

from mehler import proofs_checks
from mehler.proofs_checks import STATEMENTS
from mehler.report.render._texts import mathml
from mehler.statements import discover

IDS = [statement.id for statement in STATEMENTS]
CHECKOUT = Path(__file__).parents[2] / "proofs_checks"
HOME = Path(proofs_checks.__path__[0])  # the checkout too, where it was installed with -e
every_statement = pytest.mark.parametrize("statement", STATEMENTS, ids=IDS)


def test_every_page_is_a_statement():
    """A page without a module beside it would be checked by nobody."""
    pages = sorted(page.relative_to(HOME) for page in PAGES.values())
    in_folders = {page.relative_to(CHECKOUT) for page in CHECKOUT.rglob("*.md")}
    assert pages == sorted(page for page in in_folders if page.parts[0] != "experiments")
    assert len(set(IDS)) == len(IDS) == len(PAGES)


@every_statement
def test_ids_are_those_that_links_use(statement):
    """PAPER.NAME, where the paper is a package, and its checks are in it."""
    paper, _, name = statement.id.partition(".")
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name)
    home = paper.replace("-", "_")
    assert PAGES[statement.id].relative_to(HOME).parts[0] == home
    for check in statement.checks:
        assert check.run.__module__.split(".")[:3] == ["mehler", "proofs_checks", home]


def test_installed_under_the_entry_point():
    found = [one.id for one in discover("*")]
    assert [one for one in found if one in IDS] == IDS


@every_statement
def test_texts_are_there(statement):
    headings = list(statement.sections)
    claimed = {"printed": "As printed", "lost": "As restored", "none": "Statement"}[statement.copy]
    order = ["Setting", claimed, "What is wrong", "As it holds", "Proof"]
    assert headings == [one for one in order if one in headings]
    assert {claimed, "Proof"} <= set(headings)
    # A print that leaves its constant open cannot be checked itself, nor one that is lost.
    least = "restored" if statement.copy == "lost" else "printed"
    if statement.expected == "holds with constant":
        least = "proved"
    forms = {check.form for check in statement.checks}
    assert least in forms or statement.expected == "not computable"
    if statement.expected == "refuted, repaired":
        assert statement.proved
        assert "What is wrong" in headings
        assert {check.form for check in statement.checks} == {"printed", "proved"}


@every_statement
@pytest.mark.sampled(26)
def test_formulas_convert_to_mathml(statement):
    texts = [*statement.sections.values()]
    texts += [statement.place, statement.hypotheses, statement.ground, statement.note]
    formulas = [formula for text in texts for formula in _mathematics(text)]
    for formula in [statement.printed, statement.proved, *formulas]:
        if formula:
            # What the converter does not know it leaves as the command's own name.
            assert "\\" not in mathml(formula), formula


@every_statement
def test_links_and_references_lead_to_statements(statement):
    text = "\n".join([*statement.sections.values()])
    for found in re.findall(r"\]\(#([^)]+)\)", text):
        assert any(found == one or found.startswith(f"{one}-") for one in IDS)
    for found in re.findall(
        r"(?:maxout|kitchen-sinks|group-invariant)\.[a-z0-9-]+", statement.note
    ):
        assert found in IDS


@every_statement
def test_sections_up_to_the_proof_have_no_roles_images_or_includes(statement):
    """They are rendered by a plain CommonMark parser in the report."""
    for text in statement.sections.values():
        assert not re.search(r"\{[a-z:]+\}`|^```\{|^:::|!\[|<[a-z/]", _without_mathematics(text))


def _mathematics(text: str) -> list[str]:
    parts = re.split(
        r"\$\$?", re.sub(r"^\s*```.*?^\s*```", "", text, flags=re.DOTALL | re.MULTILINE)
    )
    assert len(parts) % 2, f"unpaired dollar sign in {text!r}"
    return parts[1::2]


def _without_mathematics(text: str) -> str:
    return "".join(re.split(r"\$\$?", text)[::2])
