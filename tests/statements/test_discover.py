"""`discover` gathers the statements of installed packages, by their entry points."""

import sys
from importlib.metadata import EntryPoint
from types import ModuleType

import pytest

from mehler.statements import Statement, discover


def entry_point(monkeypatch, name: str, statements: object) -> EntryPoint:
    module = ModuleType(f"toy_{name}")
    if statements is not None:
        module.STATEMENTS = statements
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return EntryPoint(name=name, value=module.__name__, group="mehler.statements")


def statement(identifier: str) -> Statement:
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
    first = entry_point(monkeypatch, "first", (statement("a.lemma-1"), statement("a.lemma-2")))
    second = entry_point(monkeypatch, "second", [statement("b.lemma-1")])
    assert [s.id for s in discover(sources=(second, first))] == [
        "a.lemma-1",
        "a.lemma-2",
        "b.lemma-1",
    ]
    assert [s.id for s in discover("*.lemma-1", sources=(first, second))] == [
        "a.lemma-1",
        "b.lemma-1",
    ]


def test_no_match_names_what_there_is(monkeypatch):
    first = entry_point(monkeypatch, "first", (statement("a.lemma-1"), statement("a.lemma-2")))
    with pytest.raises(ValueError, match=r"statements='c\.\*' .* a\.lemma-1, a\.lemma-2"):
        discover("c.*", sources=(first,))


def test_an_id_brought_twice_is_refused(monkeypatch):
    first = entry_point(monkeypatch, "first", (statement("a.lemma-1"),))
    second = entry_point(monkeypatch, "second", (statement("a.lemma-1"),))
    with pytest.raises(
        ValueError, match=r"'a.lemma-1' is defined twice, by first = toy_first and by second"
    ):
        discover(sources=(first, second))


@pytest.mark.parametrize("statements", [None, (), ("a.lemma-1",)])
def test_a_module_without_statements_is_refused(monkeypatch, statements):
    with pytest.raises(ValueError, match="bad = toy_bad has no STATEMENTS"):
        discover(sources=(entry_point(monkeypatch, "bad", statements),))


def test_a_source_that_does_not_import_is_named():
    gone = EntryPoint(name="gone", value="no_such_module_here", group="mehler.statements")
    with pytest.raises(ValueError, match="gone = no_such_module_here do not import"):
        discover(sources=(gone,))
