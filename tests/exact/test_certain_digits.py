"""A ball prints the digits that are certain, and no other."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mehler.exact import certified
from mehler.exact.certified import Ball


def ends(ball):
    return ball._ends()


def unit(text):
    """One unit of the last printed place."""
    return Fraction(10) ** Decimal(text).as_tuple().exponent


@pytest.mark.parametrize(
    ("value", "radius", "said"),
    [
        ("0.333333333333333", "1e-9", "0.33333333"),
        ("0.5", "1e-9", "0.50000000"),
        ("1", "0.25", "1"),
        ("123456.789", "20", "1.23E+5"),
        ("-2.5e-20", "1e-30", "-2.500000000E-20"),
        ("0", "1e-9", "0 +/- 1.01E-9"),
        ("1", "30", "0 +/- 31.0"),
        ("5", "0", "5"),
        ("0.375", "0", "0.375"),
        ("0", "0", "0"),
    ],
)
def test_known_balls(value, radius, said):
    assert str(Ball(mpmath.mpf(value), mpmath.mpf(radius))) == said


@given(
    value=st.floats(-1e6, 1e6).filter(lambda x: x == 0 or abs(x) > 1e-100),
    radius=st.floats(1e-30, 1e3),
)
def test_every_number_of_the_ball_rounds_to_what_is_printed(value, radius):
    ball = Ball(mpmath.mpf(value), mpmath.mpf(radius))
    text = str(ball)
    low, high = ends(ball)
    if "+/-" in text:
        printed, around = (Fraction(part) for part in text.split(" +/- "))
        assert printed - around <= low
        assert high <= printed + around
        return
    assert Fraction(text) != 0
    for end in (low, high):
        assert abs(end - Fraction(text)) <= unit(text) / 2
    # And no digit is kept back: one more would be certain only within a tie's reach.
    finer = unit(text) / 10
    if round(low / finer) == round(high / finer):
        assert high - low > finer / 10


@pytest.mark.parametrize("bits", [40, 400])
@pytest.mark.parametrize("name", ["sigma2", "collision_probability"])
def test_printed_digits_are_those_of_more_bits(name, bits):
    arguments = (3,) if name == "sigma2" else (0.3, 3)
    text = str(getattr(certified, name)(*arguments, bits=bits))
    low, high = ends(getattr(certified, name)(*arguments, bits=bits + 200))
    for end in (low, high):
        assert round(end / unit(text)) == Fraction(text) / unit(text)
    assert len(text) > 0.25 * bits


@pytest.mark.parametrize(
    ("value", "radius"), [(mpmath.inf, 0), (mpmath.nan, 1), (0, mpmath.inf), (0, -1)]
)
def test_balls_are_finite(value, radius):
    with pytest.raises(ValueError, match="must be"):
        Ball(mpmath.mpf(value), mpmath.mpf(radius))
