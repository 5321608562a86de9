"""Each change of the table turns its check red, no term of a bound is left out, the page is new."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from mehler.proofs_checks.maxout.kernel import theorem_1_kernel

from mehler.bounds import group_invariant, kitchen_sinks, maxout
from mehler.proofs_checks import STATEMENTS
from tests.proofs_checks.mutations import ROWS, Row

PAGE = (Path(__file__).parents[2] / "docs" / "mutations.md").read_text(encoding="utf-8")
RED = [row for row in ROWS if row.check is not None]
# Computed worlds cost milliseconds; what draws features is sampled.
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
    monkeypatch.setattr(theorem_1_kernel, "_QUICK", ((4, (-0.5, 0.5)),))
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


BOUNDS = [
    maxout.excess_risk(n_features=9, n_samples=9, pool_size=1, scale=1.0, lipschitz=1.0, delta=0.1),
    maxout.approximation(n_features=9, pool_size=1, scale=1.0, delta=0.1),
    maxout.approximation(n_features=9, pool_size=1, scale=1.0, delta=0.1, function="monte-carlo"),
    maxout.approximation_risk(lipschitz=1.0, n_features=9, pool_size=1, scale=1.0, delta=0.1),
    maxout.supremum(pool_size=1, delta=0.1, mean_sup=1.0),
    kitchen_sinks.approximation(9, scale=1.0, delta=0.1),
    kitchen_sinks.approximation_risk(9, scale=1.0, lipschitz=1.0, delta=0.1),
    kitchen_sinks.generalisation_gap(9, scale=1.0, lipschitz=1.0, delta=0.1),
    kitchen_sinks.excess_risk(9, 9, scale=1.0, lipschitz=1.0, delta=0.1),
    kitchen_sinks.approximation_greedy(9, total_weight=1.0),
    group_invariant.kernel_error(9, n_bins=9, n_rows=9, delta=0.1, window=1.0, n_elements=3),
    group_invariant.excess_risk(
        9, n_templates=9, n_bins=9, window=1.0, scale=1.0, lipschitz=1.0, delta=0.1, n_elements=3
    ),
    group_invariant.cdf_error(9, delta=0.1),
    group_invariant.approximation(9, n_bins=9, window=1.0, scale=1.0, delta=0.1, n_elements=3),
]


@pytest.mark.parametrize("bound", BOUNDS, ids=lambda bound: bound.statement)
def test_no_term_of_a_bound_is_left_out(bound):
    named = {row.term for row in ROWS if row.statement == bound.statement}
    for term in bound.terms:
        assert any(term.name in one for one in named), term.name


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
