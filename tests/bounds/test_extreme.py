"""Points and radii at the ends of what floats hold, and parts of a bound that are none."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mehler.bounds import Assumption, Bound, Term
from mehler.doubling import (
    Interval,
    covering_number,
    diameter,
    doubling_dimension,
    packing_number,
)

LINE = np.arange(5.0)[:, None]


@pytest.mark.parametrize("function", [packing_number, covering_number])
@pytest.mark.parametrize("value", [-1e308, 1e300, 1e-300, 5e-324, 0.0])
@pytest.mark.parametrize("radius", [1e308, 2.5, 1e-200, 1e-320])
@pytest.mark.sampled(12)
def test_one_point_that_repeats_is_one(function, value, radius):
    assert function(np.full((5, 2), value), radius) == Interval(1, 1)


@pytest.mark.parametrize("scale", [1.0, 1e300, 2.0**-1070])
@pytest.mark.parametrize(
    ("radius", "packed", "covered"), [(1e308, 1, 1), (2.5, 2, 1), (1.5, 3, 2), (1e-320, 5, 5)]
)
def test_a_line_of_five_at_every_scale(scale, radius, packed, covered):
    """Points 0 to 4: of distance above 2.5, two; a ball of radius 2.5 covers all."""
    radius = radius * scale if 1.0 < radius < 3.0 else radius
    if radius == 1e-320 and scale < 1.0:
        return
    assert packed in packing_number(LINE * scale, radius)
    assert covered in covering_number(LINE * scale, radius)
    assert doubling_dimension(LINE * scale).high == 1.0


def test_a_diameter_beyond_all_floats():
    most = np.finfo(np.float64).max
    result = diameter(np.array([[-most], [most]]))
    assert result == Interval(most, math.inf)
    tiny = diameter(LINE * 5e-324)
    assert tiny.low <= 4 * 5e-324 <= tiny.high


@pytest.mark.parametrize("function", [packing_number, covering_number])
@pytest.mark.parametrize("x", [[[1.0]], None, 3.0, np.ma.masked_array(LINE, LINE > 2)])
def test_what_is_no_array_is_named(function, x):
    with pytest.raises(TypeError, match=r"^X "):
        function(x, 1.0)


@pytest.mark.parametrize(
    ("change", "error", "name"),
    [
        ({"terms": [None]}, TypeError, r"terms\[0\]"),
        ({"terms": b"ab"}, TypeError, "terms="),
        ({"terms": math.nan}, TypeError, "terms="),
        ({"assumptions": 1j}, TypeError, "assumptions="),
        ({"assumptions": ["it is so"]}, TypeError, r"assumptions\[0\]"),
        ({"probability": "0.9"}, TypeError, "probability"),
        ({"probability": 1j}, TypeError, "probability"),
        ({"trivial": "1"}, TypeError, "trivial"),
    ],
)
def test_parts_of_a_bound_are_named(change, error, name):
    usual = {
        "statement": "a.b",
        "form": "proved",
        "quantity": "an error",
        "terms": [Term("mean", 0.25)],
        "probability": 0.9,
        "assumptions": [Assumption("it is so")],
    }
    assert Bound(**usual).value == 0.25
    with pytest.raises(error, match=name):
        Bound(**{**usual, **change})


@pytest.mark.parametrize("value", ["0.25", 1j, {}, object(), 10**400])
def test_the_value_of_a_term_is_a_number(value):
    with pytest.raises(TypeError, match="value must hold real numbers"):
        Term("mean", value)
    with pytest.raises((TypeError, ValueError), match="low"):
        Interval(value, 1.0)
