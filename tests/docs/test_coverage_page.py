"""The page on coverage: complete, and every name on it exists."""

import importlib
import re

import pytest
from mehler.proofs_checks.experiments import EXPERIMENTS

from mehler.proofs_checks import STATEMENTS
from tests.docs._blocks import ROOT
from tests.docs.test_site import load

coverage = load(ROOT / "docs" / "_coverage.py")
TEXT = coverage.SOURCE.read_text(encoding="utf-8")
ITEMS = [item for _, _, rows in coverage.items(TEXT) for item in rows]
IDS = {statement.id for statement in STATEMENTS}
# Statements on any map and on depth are in none of the four papers, and may occur or not.
OF_PAPERS = {name for name in IDS if not name.startswith(("features.", "depth."))}


def test_page_is_what_the_list_says() -> None:
    assert coverage.page(TEXT) == coverage.PAGE.read_text(encoding="utf-8"), (
        "run python docs/_coverage.py"
    )


def test_every_statement_occurs() -> None:
    names = {name for item in ITEMS for name in item.statements}
    assert OF_PAPERS <= names <= IDS, "write its id on an item of docs/_coverage.txt"


def test_every_experiment_occurs() -> None:
    names = {name for item in ITEMS for name in item.experiments}
    assert names == set(EXPERIMENTS) - {"depth"}, "write reproduce:NAME in docs/_coverage.txt"


def resolve(name: str) -> object:
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


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item.name)
def test_names_and_commands_exist(item) -> None:
    assert set(item.statements) <= IDS
    assert set(item.experiments) <= set(EXPERIMENTS)
    for name in item.names:
        assert resolve(name) is not None
    assert re.fullmatch(r"[^|]+", item.have)
    # An empty path would be the root of the repository, which exists.
    assert not item.test or (ROOT / item.test).exists(), item.name
    if item.extent == "none":
        assert not item.command
        assert not item.names
    else:
        assert re.fullmatch(r"`(mehler \w+|pytest) \S.+`", item.command), item.name
    if item.extent == "whole":
        assert re.search(r"\]\(|\{py:obj\}", item.row()), item.name
    verdicts = {"works", "measured", *coverage.VERDICTS.values()}
    for verdict in item.verdicts:
        assert verdict in verdicts or re.fullmatch(r"(partial|none): .{10,}", verdict), verdict
