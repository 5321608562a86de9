"""Bounds as LaTeX that renders, and with a source."""

from __future__ import annotations

import re

import numpy as np
import pytest
from latex2mathml import converter

from mehler.bounds import Bound, Term, kernel_error
from mehler.bounds._function import REGISTRY
from mehler.bounds._sources import PLACES
from mehler.statements import discover
from tests.bounds.test_formulas import NAMES, drawn, spreading

EVERY_BOUND = pytest.mark.parametrize("name", NAMES)


def bounds_of(name):
    """The bound at random arguments, and that of arrays of two."""
    first, second, *_ = drawn(name)
    function = REGISTRY[name]
    spread = [k for k in spreading(function) if first.get(k) is not None]
    return [function(**first), function(**{**first, **{k: [first[k], second[k]] for k in spread}})]


@EVERY_BOUND
def test_latex_renders_and_holds_formulas_and_values(name):
    for bound in bounds_of(name):
        text = bound.latex()
        assert "$" not in text
        assert converter.convert(text).startswith("<math")
        assert text.count("{") == text.count("}")
        for term in bound.terms:
            assert term.formula in text
            assert rf"\text{{{term.name}}}" in text
        values = [value for term in bound.terms for value in np.atleast_1d(term.value)]
        assert all(f"{value:.6g}" in text for value in values if 1e-4 < value < 1e5)


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
def test_every_bound_has_its_source(name):
    bound = bounds_of(name)[0]
    assert re.search(r"\((18|19|20)\d\d\)", bound.cite())


def test_places_are_those_of_the_statements():
    """The reports quote the same sources; theirs are written beside the statement."""
    quoted = {item.id: item.source for item in discover()}
    for statement, (source, place) in PLACES.items():
        assert statement in quoted
        if place:
            said = quoted[statement]
            assert str(source.year) in said
            assert all(name.split()[-1] in said for name in source.authors.split(", "))
            numbers = re.findall(r"(?:Theorem|Lemma|Remark|Proposition|Corollary) \d+", place)
            assert all(number in said for number in numbers)


def test_a_bound_of_somebody_else_is_cited_by_them():
    terms = [Term("a", 1.0)]
    bound = Bound(statement="mine", form="proved", quantity="q", terms=terms, probability=1.0)
    with pytest.raises(ValueError, match="'mine' has no source here: cite yours"):
        bound.cite()


def test_printing_many_entries_gives_their_range():
    bound = kernel_error.one_pair(np.arange(1, 101), delta=0.1, width=1.0)
    assert "(shape (100,))" in str(bound)
    assert len(str(bound)) < 300
