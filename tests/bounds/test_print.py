"""Bounds as LaTeX that renders, and with a source."""

from __future__ import annotations

import re

import numpy as np
import pytest
from latex2mathml import converter

from mehler.bounds import Bound, Term, kernel_error, kitchen_sinks
from mehler.bounds._sources import PLACES
from mehler.statements import discover
from tests.bounds.test_arrays import CASES, IDS, grid

EVERY_BOUND = pytest.mark.parametrize(("function", "given"), CASES, ids=IDS)


def bounds_of(function, given):
    """The bound of arrays and that of its last entry; nothing of functions of numbers."""
    _, arrays, entries = grid(given)
    found = [function(**arrays), function(**list(entries.values())[-1])]
    return found if isinstance(found[0], Bound) else []


@EVERY_BOUND
def test_latex_renders_and_holds_formulas_and_values(function, given):
    for bound in bounds_of(function, given):
        text = bound.latex()
        assert "$" not in text
        assert converter.convert(text).startswith("<math")
        assert text.count("{") == text.count("}")
        for term in bound.terms:
            assert term.formula in text
            assert rf"\text{{{term.name}}}" in text
    if bounds_of(function, given):
        plain = [term for term in bound.terms if 1e-4 < term.value < 1e5]
        assert all(f"{term.value:.6g}" in text for term in plain)


def test_latex_writes_powers_infinity_and_what_is_known_anyway():
    bound = Bound(
        statement="maxout.lemma-3",
        form="proved",
        quantity="50 % of {it}",
        terms=[Term("small_one", 2.5e-7, r"\alpha"), Term("large", np.inf)],
        probability=1,
        trivial=2.0,
    )
    text = bound.latex()
    assert r"2.5\cdot 10^{-7}" in text
    assert r"\infty" in text
    assert r"\le 2" in text
    assert r"\text{50 \% of \{it\}}" in text
    assert r"small\_one" in text
    assert "probability" not in text


@EVERY_BOUND
def test_every_bound_has_its_source(function, given):
    for bound in bounds_of(function, given):
        text = bound.cite()
        assert re.search(r"\((18|19|20)\d\d\)", text)
        entry = bound.cite("bibtex")
        assert re.match(r"@[a-z]+\{[a-z0-9]+,\n", entry)
        assert entry.count("{") == entry.count("}")


def test_places_are_those_of_the_statements():
    """The reports quote the same sources; theirs are written beside the statement."""
    quoted = {one.id: one.source for one in discover()}
    for statement, (source, place) in PLACES.items():
        assert statement in quoted
        if place:
            said = quoted[statement]
            assert str(source.year) in said
            assert all(name.split()[-1] in said for name in source.authors)
            numbers = re.findall(r"(?:Theorem|Lemma|Remark|Proposition|Corollary) \d+", place)
            assert all(number in said for number in numbers)


def test_a_bound_of_somebody_else_is_cited_by_them():
    terms = [Term("a", 1.0)]
    bound = Bound(statement="mine", form="proved", quantity="q", terms=terms, probability=1.0)
    with pytest.raises(ValueError, match="'mine' has no source here: cite yours"):
        bound.cite()
    with pytest.raises(ValueError, match="style='apa' is not one of text, bibtex"):
        kitchen_sinks.approximation(5, scale=1.0, delta=0.1).cite("apa")


def test_printing_many_entries_gives_their_range():
    bound = kernel_error.one_pair(np.arange(1, 101), delta=0.1, width=1.0)
    assert "(shape (100,))" in str(bound)
    assert len(str(bound)) < 300
