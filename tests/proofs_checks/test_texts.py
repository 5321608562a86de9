"""What statements say: ids, forms, proofs, and mathematics that renders."""

from __future__ import annotations

import re

import pytest
from latex2mathml import converter

from mehler.statements import discover
from proofs_checks import STATEMENTS

IDS = [statement.id for statement in STATEMENTS]
every_statement = pytest.mark.parametrize("statement", STATEMENTS, ids=IDS)


def test_ids_are_those_that_links_use():
    assert [one for one in IDS if one.startswith("maxout.")] == [
        "maxout.theorem-1-kernel",
        "maxout.theorem-1-series",
        "maxout.special-values",
        "maxout.h1-growth",
        "maxout.sigma2-growth",
        "maxout.locality",
        "maxout.remark-1-codes",
        "maxout.definition-2",
        "maxout.q1-linear",
        "maxout.density",
        "maxout.lemma-2",
        "maxout.lemma-3",
        "maxout.lemma-4",
        "maxout.theorem-2",
        "maxout.remark-2",
        "maxout.figure-1",
        "maxout.decoupled-kernel",
        "maxout.centred-kernel",
        "maxout.kernel-error",
    ]


def test_ids_of_the_kitchen_sinks():
    assert [one for one in IDS if one.startswith("kitchen-sinks.")] == [
        "kitchen-sinks.greedy",
        "kitchen-sinks.norms",
        "kitchen-sinks.lemma-1",
        "kitchen-sinks.risk-lemma",
        "kitchen-sinks.estimation-lemma",
        "kitchen-sinks.theorem",
        "kitchen-sinks.kernel",
    ]


def test_ids_of_the_fourier_features():
    assert [one for one in IDS if one.startswith("fourier.")] == [
        "fourier.kernel",
        "fourier.pairs-variance",
        "fourier.orthogonal",
        "fourier.structured",
    ]


def test_ids_of_leverage_scores():
    assert [one for one in IDS if one.startswith("leverage.")] == [
        "leverage.definition-1",
        "leverage.score-identity",
        "leverage.algorithm-1",
        "leverage.limits",
        "leverage.theorem-1",
        "leverage.example-1",
        "leverage.theorem-2",
        "leverage.lemma-4",
        "leverage.bach",
        "leverage.lemma-7",
    ]


def test_ids_of_group_invariant_features():
    assert [one for one in IDS if one.startswith("group-invariant.")] == [
        "group-invariant.expectation",
        "group-invariant.invariance",
        "group-invariant.theorem-1",
        "group-invariant.lemma-2",
        "group-invariant.lemma-3",
        "group-invariant.orbit-distance",
        "group-invariant.remark-3",
        "group-invariant.remark-4",
        "group-invariant.theorem-2",
        "group-invariant.corollary-1",
        "group-invariant.theorem-4",
        "group-invariant.sample-complexity",
        "group-invariant.lemma-1",
        "group-invariant.lemma-4",
        "group-invariant.lemma-5",
        "group-invariant.lemma-6",
        "group-invariant.theorem-3",
        "group-invariant.permutations",
    ]


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
