"""What statements say: ids, forms, proofs, and mathematics that renders."""

from __future__ import annotations

import importlib
import pkgutil
import re

import pytest
from latex2mathml import converter

from mehler import proofs_checks
from mehler.proofs_checks import STATEMENTS
from mehler.statements import discover

IDS = [statement.id for statement in STATEMENTS]
every_statement = pytest.mark.parametrize("statement", STATEMENTS, ids=IDS)


def test_every_file_of_a_statement_is_listed():
    """A file that its paper's list leaves out would be checked by nobody."""
    found = {
        importlib.import_module(name).STATEMENT.id
        for _, name, package in pkgutil.walk_packages(
            proofs_checks.__path__, "mehler.proofs_checks."
        )
        if not package and hasattr(importlib.import_module(name), "STATEMENT")
    }
    assert found == set(IDS)
    assert len(IDS) == len(found)


@every_statement
def test_ids_are_those_that_links_use(statement):
    """PAPER.NAME, where the paper is a package."""
    paper, _, name = statement.id.partition(".")
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name)
    module = statement.checks[0].run.__module__
    assert module.split(".")[1:3] == ["proofs_checks", paper.replace("-", "_")]


def test_installed_under_the_entry_point():
    found = [one.id for one in discover("*")]
    assert [one for one in found if one in IDS] == IDS


@every_statement
def test_texts_are_there(statement):
    assert statement.printed
    assert statement.printed_text
    assert statement.proof
    assert statement.source
    assert statement.title
    # A print that leaves its constant open cannot be checked itself, nor one that is lost.
    least = "restored" if statement.copy == "lost" else "printed"
    if statement.expected == "holds with constant":
        least = "proved"
    assert least in {check.form for check in statement.checks}
    if statement.expected == "refuted, repaired":
        assert statement.proved
        assert statement.proved_text
        assert statement.flaw
        assert {check.form for check in statement.checks} == {"printed", "proved"}


@every_statement
def test_formulas_convert_to_mathml(statement):
    texts = [statement.printed_text, statement.proved_text, statement.flaw, statement.proof]
    inline = [part for text in [*texts, statement.note] for part in _mathematics(text)]
    for formula in [statement.printed, statement.proved, *inline]:
        if formula:
            markup = converter.convert(formula)
            # What the converter does not know it leaves as the command's own name.
            assert "\\" not in re.sub(r"<[^>]*>", "", markup), formula


@every_statement
def test_references_to_other_statements_exist(statement):
    text = " ".join([statement.flaw, statement.proof, statement.note])
    for found in re.findall(r"(?:maxout|kitchen-sinks|group-invariant)\.[a-z0-9-]+", text):
        assert found in IDS


def _mathematics(text: str) -> list[str]:
    parts = text.split("$")
    assert len(parts) % 2, f"unpaired dollar sign in {text!r}"
    return parts[1::2]
