"""The page on fairness says what the statements say."""

import re

from mehler.proofs_checks import STATEMENTS
from tests.docs._blocks import ROOT
from tests.docs.test_site import load

fairness = load(ROOT / "docs" / "_fairness.py")
PAGE = (ROOT / "docs" / "fairness.md").read_text(encoding="utf-8")
ERRATA = (ROOT / "docs" / "errata.md").read_text(encoding="utf-8")


def test_page_is_what_the_statements_say() -> None:
    assert fairness.page() == PAGE, "run python docs/_fairness.py"


def test_errata_list_what_is_not_legible() -> None:
    assert fairness.errata(ERRATA) == ERRATA, "run python docs/_fairness.py"
    lost = [statement for statement in STATEMENTS if statement.copy == "lost"]
    table = ERRATA.partition(fairness.BEGIN)[2].partition(fairness.END)[0]
    assert len(re.findall(r"^\| \[", table, re.MULTILINE)) == len(lost) > 0


def test_every_statement_is_there() -> None:
    for statement in STATEMENTS:
        entry = PAGE.partition(f"### {statement.id}\n")[2].partition("\n###")[0]
        assert f"**{statement.expected}**" in entry, statement.id
        assert f"]({fairness.page_of(statement)})" in entry, statement.id


def test_every_family_of_statements_has_its_part() -> None:
    assert {statement.id.partition(".")[0] for statement in STATEMENTS} == set(fairness.PAPERS)
