"""Each change of the table turns its check red, no term of a bound is left out, the page is new."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from mehler.proofs_checks.maxout.kernel import theorem_1_kernel

from mehler.bounds._function import REGISTRY
from mehler.proofs_checks import STATEMENTS
from tests.bounds.test_formulas import settings
from tests.proofs_checks.mutations import ROWS, Row

PAGE = (Path(__file__).parents[2] / "docs" / "mutations.md").read_text(encoding="utf-8")
RED = [row for row in ROWS if row.check is not None]
# Computed instances cost milliseconds; what draws features is sampled.
DRAWN = (
    "fourier.",
    "group-invariant.expectation",
    "maxout.figure",
    "maxout.theorem-1",
    "maxout.de",
)
QUICK = [row for i, row in enumerate(RED) if i % 5 == 0 or not row.statement.startswith(DRAWN)]


def name(row: Row) -> str:
    return f"{row.statement}-{row.term}-{row.change}"


def verdict(row: Row, context) -> str:
    statement = next(one for one in STATEMENTS if one.id == row.statement)
    return row.check(context(statement), **row.defect).status


@pytest.mark.parametrize("row", QUICK, ids=name)
@pytest.mark.sampled(25)
def test_a_change_turns_its_check_red(row, context, monkeypatch):
    monkeypatch.setattr(theorem_1_kernel, "_QUICK", ((32, (-0.5, 0.5)),))
    assert verdict(row, context) == "refuted"


@pytest.mark.full
@pytest.mark.parametrize("row", [row for row in RED if row not in QUICK], ids=name)
def test_every_other_change_too(row, context):
    assert verdict(row, context) == "refuted"


@pytest.mark.full
def test_checks_hold_without_the_change(context):
    for check in {row.check for row in RED if not row.statement.startswith(DRAWN)}:
        statement = next(s for s in STATEMENTS if check in {one.run for one in s.checks})
        assert check(context(statement)).status == "holds", check


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
    "lower.uniform": {"deviation": "a set"},
    "lower.collision_probability": {"both": "collisions from below: one index"},
    "lower.gram_error": {"rank": "the spectral error"},
    "lower.approximation": {"approximation": "the nearest function"},
    "lower.excess_risk": {"statistical": "the risk"},
    "lower.fixed_design_error": {"minimax": "the risk at the rows"},
}
PROVED = [name for name in REGISTRY if not name.startswith("printed.")]


@pytest.mark.parametrize("name", PROVED)
def test_no_term_of_a_bound_is_left_out(name):
    bound, called = REGISTRY[name], CALLED.get(name, {})
    named = {row.term for row in ROWS if row.statement == bound.statement}
    terms = {term.name for row in settings(name)[::4] for term in bound(**row).terms}
    assert called.keys() <= terms
    missing = [t for t in terms if not any(called.get(t, t) in label for label in named)]
    assert not missing, f"rows of {bound.statement} are missing in tests/proofs_checks/mutations"


def test_a_row_is_seen_or_says_why_not():
    with pytest.raises(ValueError, match="a check or a reason"):
        Row(statement="a.b", term="t", change="deleted")


def test_the_page_has_every_row_and_no_blank():
    for row in ROWS:
        line = next(
            line
            for line in PAGE.split(f"## {row.statement}\n")[1].split("\n## ")[0].splitlines()
            if line.startswith(f"| {row.term} | {row.change} |")
        )
        assert line.endswith("| red |") == (row.check is not None)
    assert {one.id for one in STATEMENTS} == set(re.findall(r"^## (.*)$", PAGE, re.M))
    table = [line for line in PAGE.splitlines() if line.startswith("| ") and "|---" not in line]
    assert not [line for line in table if line.endswith("|  |")]


def test_every_statement_has_a_change():
    for section in PAGE.split("\n## ")[1:]:
        assert section.count("\n| ") > 1, section.splitlines()[0]
