"""A bound sums its terms, and says when it promises nothing."""

from __future__ import annotations

import math

import pytest

from mehler.bounds import Assumption, Bound, Term, lower


def make(**changes):
    usual = {
        "statement": "a.b",
        "form": "proved",
        "quantity": "an error",
        "terms": [Term("mean", 0.25), Term("confidence", 0.5)],
        "probability": 0.9,
        "trivial": 1.0,
    }
    return Bound(**{**usual, **changes})


def test_terms_sum_to_the_value():
    bound = make()
    assert bound.value == 0.75
    assert bound["mean"] == 0.25
    with pytest.raises(KeyError, match="mean, confidence"):
        bound["bias"]


@pytest.mark.parametrize(
    "change",
    [
        {"trivial": 0.75},
        {"probability": 0.0},
        {"probability": -2.5},
        {"terms": [Term("mean", math.inf)]},
        {"terms": [Term("mean", math.nan)]},
        {"assumptions": [Assumption("unit rows", False, "largest norm 1.3")]},
    ],
)
def test_says_when_it_promises_nothing(change):
    assert not make().vacuous
    bound = make(**change)
    assert bound.vacuous
    assert "vacuous" in str(bound)


def test_an_assumption_nobody_can_check_does_not_make_it_vacuous():
    assert not make(assumptions=[Assumption("rows are independent", None)]).vacuous


@pytest.mark.parametrize(
    "change",
    [
        {"terms": [Term("mean", 0.0)]},
        {"terms": [Term("mean", math.nan)]},
        {"probability": 0.0},
        {"assumptions": [Assumption("unit rows", False, "largest norm 1.3")]},
    ],
)
def test_a_lower_bound_says_when_it_claims_nothing(change):
    usual = {"statement": "a.b", "form": "proved", "quantity": "an error", "probability": 0.9}
    terms = [Term("mean", 0.25)]
    assert not lower.LowerBound(**usual, terms=terms).vacuous
    bound = lower.LowerBound(**{**usual, "terms": terms, **change})
    assert bound.vacuous
    assert "vacuous: it claims nothing" in str(bound)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"form": "guessed"}, "form='guessed'"),
        ({"terms": []}, "at least one"),
        ({"terms": [Term("a", 1), Term("a", 2)]}, "a name of its own"),
    ],
)
def test_bad_ones_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        make(**change)


@pytest.mark.parametrize(
    ("change", "error", "name"),
    [
        ({"probability": "0.9"}, TypeError, "probability"),
        ({"probability": 1j}, TypeError, "probability"),
        ({"trivial": "1"}, TypeError, "trivial"),
    ],
)
def test_parts_of_a_bound_are_named(change, error, name):
    with pytest.raises(error, match=name):
        make(**change)
