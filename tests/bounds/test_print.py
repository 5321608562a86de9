"""Bounds as LaTeX that renders, and with a statement that has a source."""

from __future__ import annotations

import numpy as np
import pytest
from latex2mathml import converter

from mehler.bounds import Bound, Term, kernel_error
from mehler.bounds._function import REGISTRY
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


def test_every_bound_names_a_statement_whose_page_has_the_source():
    listed = {item.id for item in discover()}
    assert {function.statement for function in REGISTRY.values()} <= listed


def test_printing_many_entries_gives_their_range():
    bound = kernel_error.one_pair(np.arange(1, 101), delta=0.1, width=1.0)
    assert "(shape (100,))" in str(bound)
    assert len(str(bound)) < 300
