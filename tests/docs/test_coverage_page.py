"""The page on coverage: complete, and every name on it exists."""

from __future__ import annotations

import importlib
import re

import pytest

from mehler.proofs_checks import STATEMENTS
from mehler.reproduce import experiments
from tests.docs._blocks import ROOT
from tests.docs.test_site import load

coverage = load(ROOT / "docs" / "_coverage.py")
TEXT = coverage.SOURCE.read_text(encoding="utf-8")
ITEMS = [one for _, _, rows in coverage.items(TEXT) for one in rows]
# Those of features of any map and of depth are in none of the four papers.
IDS = {one.id for one in STATEMENTS if not one.id.startswith(("features.", "depth."))}


def test_page_is_what_the_list_says() -> None:
    assert coverage.page(TEXT) == coverage.PAGE.read_text(encoding="utf-8"), (
        "run python docs/_coverage.py"
    )


def test_all_four_papers_are_there() -> None:
    assert len(coverage.items(TEXT)) == 4
    assert len(ITEMS) >= 126
    for _, _, rows in coverage.items(TEXT):
        names = [one.name for one in rows]
        assert sorted(names) == sorted(set(names))


def test_every_statement_occurs() -> None:
    assert {name for one in ITEMS for name in one.statements} == IDS


def test_every_experiment_occurs() -> None:
    assert {name for one in ITEMS for name in one.experiments} == set(experiments()) - {"depth"}


def found(name: str) -> object:
    """Import the module that a dotted name begins with, and take attributes of it."""
    parts = name.split(".")
    for k in range(len(parts), 0, -1):
        try:
            value: object = importlib.import_module(".".join(parts[:k]))
        except ModuleNotFoundError as error:
            if not name.startswith(str(error.name)):
                pytest.skip(f"{error.name} is not installed")
            continue
        for part in parts[k:]:
            # A field without default is an annotation only.
            fields = getattr(value, "__annotations__", {})
            value = fields[part] if part in fields else getattr(value, part)
        return value
    raise AssertionError(name)


@pytest.mark.parametrize("one", ITEMS, ids=lambda one: one.name)
def test_names_and_commands_exist(one) -> None:
    check(one)


def check(one) -> None:
    assert set(one.statements) <= IDS
    assert set(one.experiments) <= set(experiments())
    for name in one.names:
        assert found(name) is not None
    assert re.fullmatch(r"[^|]+", one.have)
    assert one.statements or one.experiments or (ROOT / one.test).exists(), one.name
    known = {"works", "measured", *coverage.VERDICTS.values()}
    for verdict in one.verdicts:
        assert verdict in known or re.fullmatch(r"partial: .{10,}", verdict), verdict


def test_what_works_has_a_test_of_its_own() -> None:
    for one in ITEMS:
        if one.judged == "works":
            assert one.test.startswith("tests/"), one.name


@pytest.mark.parametrize(
    "line",
    [
        "Gone | here | `mehler.learn.gone` | works | tests/learn",
        "Gone | here | maxout.gone",
        "Gone | here | reproduce:gone",
        "Gone | here | nothing | partial | tests/learn",
        "Gone | here | nothing | works | tests/gone.py",
    ],
)
def test_planted_gaps_are_seen(line: str) -> None:
    _, _, ((one,)) = coverage.items(f"# A paper\nA copy.\n\n{line}\n")[0]
    with pytest.raises((AssertionError, AttributeError, KeyError)):
        check(one)
