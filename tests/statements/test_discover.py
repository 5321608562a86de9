"""Statements come from installed packages, this one's among them."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint
from types import ModuleType

import pytest

from mehler.statements import Statement, discover


def brought_by(monkeypatch, name: str, statements: object) -> EntryPoint:
    module = ModuleType(f"toy_{name}")
    if statements is not None:
        module.STATEMENTS = statements
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return EntryPoint(name=name, value=module.__name__, group="mehler.statements")


def named(identifier: str) -> Statement:
    return Statement(
        id=identifier,
        source="s",
        place="p",
        hypotheses="h",
        title="t",
        expected="not computable",
        ground="g",
        sections={"As printed": "$$ x $$"},
        note="n",
    )


def test_all_sources_are_found_and_filtered(monkeypatch):
    one = brought_by(monkeypatch, "one", (named("a.lemma-1"), named("a.lemma-2")))
    two = brought_by(monkeypatch, "two", [named("b.lemma-1")])
    assert [s.id for s in discover(sources=(two, one))] == ["a.lemma-1", "a.lemma-2", "b.lemma-1"]
    assert [s.id for s in discover("*.lemma-1", sources=(one, two))] == ["a.lemma-1", "b.lemma-1"]


def test_no_match_names_what_there_is(monkeypatch):
    one = brought_by(monkeypatch, "one", (named("a.lemma-1"), named("a.lemma-2")))
    with pytest.raises(ValueError, match=r"statements='c\.\*' .* a\.lemma-1, a\.lemma-2"):
        discover("c.*", sources=(one,))


def test_an_id_brought_twice_is_refused(monkeypatch):
    one = brought_by(monkeypatch, "one", (named("a.lemma-1"),))
    two = brought_by(monkeypatch, "two", (named("a.lemma-1"),))
    with pytest.raises(
        ValueError, match=r"'a.lemma-1' is brought twice, by one = toy_one and by two"
    ):
        discover(sources=(one, two))


@pytest.mark.parametrize("statements", [None, (), ("a.lemma-1",)])
def test_a_module_without_statements_is_refused(monkeypatch, statements):
    with pytest.raises(ValueError, match="bad = toy_bad has no STATEMENTS"):
        discover(sources=(brought_by(monkeypatch, "bad", statements),))


def test_a_source_that_does_not_import_is_named():
    gone = EntryPoint(name="gone", value="no_such_module_here", group="mehler.statements")
    with pytest.raises(ValueError, match="gone = no_such_module_here do not import"):
        discover(sources=(gone,))


def test_installed_statements_have_distinct_ids():
    found = discover()
    assert len({one.id for one in found}) == len(found) > 0
