"""No term of a bound and no check is without a fault, and the page has them all.

`tests/verify/faults` makes every change and runs the check that must see it.
"""

import re
from pathlib import Path

import pytest

from mehler.bounds._bound import REGISTRY
from mehler.proofs_checks import STATEMENTS
from mehler.statements import RESTORED_REFUTED
from tests.bounds.test_formulas import arguments_of
from tests.proofs_checks.mutations import DEFECTS, ROWS, Row
from tests.verify.faults.__main__ import table
from tests.verify.faults.systems import DRAWN, STATEMENT_OF

PAGE = (Path(__file__).parents[2] / "docs" / "mutations.md").read_text(encoding="utf-8")
RED = [row for row in ROWS if row.check is not None]


@pytest.mark.full
def test_checks_hold_without_the_change(context):
    for check in {row.check for row in RED if not row.statement.startswith(DRAWN)}:
        assert check(context(STATEMENT_OF[check])).status == "holds", check


def test_every_check_has_a_fault_that_changes_its_verdict():
    """That of a false published form is flipped by the truth, every other by a wrong claim."""
    changed = {check for check, _, _ in DEFECTS} | {row.check for row in RED}
    missing = {claim.id for check, claim in STATEMENT_OF.items() if check not in changed}
    assert not missing, f"add a row to tests/proofs_checks/mutations for each check: {missing}"
    assert changed == set(STATEMENT_OF)
    for check, _, verdict in DEFECTS:
        statement = STATEMENT_OF[check]
        form = next(claim.form for claim in statement.checks if claim.run is check)
        false = statement.expected in ("refuted, repaired", RESTORED_REFUTED)
        assert verdict != ("refuted" if form != "proved" and false else "holds")


# What the table calls the terms of a bound that shares its statement with others, or has one term.
CALLED = {
    "kernel_error.one_pair": {"deviation": "chernoff, correlation known"},
    "kernel_error.all_pairs": {"deviation": "all pairs"},
    "kernel_error.uniform_by_slope": {"between": "the slopes", "spread": "deviation of the slopes"},
    "leverage.score_error": {"estimation": "error of the scores"},
    "leverage.probability_error": {"estimation": "error of the probabilities"},
    "leverage.score_ratio": {"ratio": "error of the probabilities"},
    "lower.one_pair": {"deviation": "one pair"},
    "lower.all_pairs": {"deviation": "all pairs"},
    "lower.gram_error": {"rank": "the spectral error"},
    "lower.approximation": {"approximation": "the nearest function"},
    "lower.excess_risk": {"statistical": "the risk"},
}


@pytest.mark.parametrize("name", REGISTRY)
def test_no_term_of_a_bound_is_left_out(name):
    bound, called = REGISTRY[name], CALLED.get(name, {})
    named = {row.term for row in ROWS if row.statement == bound.statement}
    terms = {term.name for row in arguments_of(name)[::4] for term in bound(**row).terms}
    assert called.keys() <= terms
    missing = [t for t in terms if not any(called.get(t, t) in label for label in named)]
    assert not missing, f"rows of {bound.statement} are missing in tests/proofs_checks/mutations"


def test_a_row_is_seen_or_says_why_not():
    with pytest.raises(ValueError, match="a check or a reason"):
        Row(statement="a.b", term="t", change="deleted")


def test_the_page_has_every_row_no_blank_and_their_number():
    for row in ROWS:
        section = PAGE.split(f"## {row.statement}\n")[1].split("\n## ")[0]
        start = f"| {row.term} | {row.change} |"
        line = next(line for line in section.splitlines() if line.startswith(start))
        assert line.endswith("| red |") == (row.check is not None)
    assert {claim.id for claim in STATEMENTS if claim.checks} == set(
        re.findall(r"^## (.*)$", PAGE, re.M)
    )
    assert all(section.count("\n| ") > 1 for section in PAGE.split("\n## ")[1:])
    lines = [line for line in PAGE.splitlines() if line.startswith("| ") and "|---" not in line]
    assert not [line for line in lines if line.endswith("|  |")]
    assert table("terms of bounds", "checks of statements") in PAGE
