"""Formulas of terms render, and every bound has a statement with a source."""

from __future__ import annotations

import numpy as np
import pytest
from latex2mathml import converter

from mehler.bounds import kernel_error
from mehler.bounds._function import REGISTRY
from mehler.statements import discover
from tests.bounds.test_formulas import NAMES, drawn

EVERY_BOUND = pytest.mark.parametrize("name", NAMES)


@EVERY_BOUND
def test_formulas_are_latex_that_renders(name):
    for arguments in drawn(name)[::4]:
        for term in REGISTRY[name](**arguments).terms:
            assert "$" not in term.formula
            assert converter.convert(term.formula).startswith("<math")


def test_every_bound_names_a_statement_whose_page_has_the_source():
    listed = {item.id for item in discover()}
    assert {function.statement for function in REGISTRY.values()} <= listed


def test_printing_many_entries_gives_their_range():
    bound = kernel_error.one_pair(np.arange(1, 101), delta=0.1, width=1.0)
    assert "(shape (100,))" in str(bound)
    assert len(str(bound)) < 300
