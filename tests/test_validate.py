"""One rule for numbers in every package: another type is a TypeError, out of range a ValueError."""

import math
from fractions import Fraction

import numpy as np
import pytest

import mehler
from mehler import _validate, learn, verify


class Index:
    def __index__(self):
        return 3


@pytest.mark.parametrize("value", [3, np.int8(3), np.uint64(3), np.array(3), Index()])
def test_whatever_is_an_index_is_an_integer(value):
    number = _validate.require_integer("n", value, least=1, most=3)
    assert (number, type(number)) == (3, int)


@pytest.mark.parametrize("value", [2.0, True, np.True_, "3", None, np.array([3]), Fraction(3)])
def test_nothing_else_is(value):
    with pytest.raises(TypeError, match=r"n=.* must be an integer"):
        _validate.require_integer("n", value)


def test_a_float_is_told_the_remedy():
    with pytest.raises(TypeError, match=r"use int\(n\) if that is what you mean"):
        _validate.require_integer("n", 2.0)


@pytest.mark.parametrize(
    ("check", "good", "bad"),
    [
        (_validate.require_positive, [1, 5e-324, np.float32(2)], [0, -1.0, math.inf, math.nan]),
        (_validate.require_not_negative, [0, 0.0, 3], [-5e-324, math.inf, math.nan]),
        (_validate.require_probability, [1e-300, 0.5], [0, 1, 1.5, math.nan]),
    ],
)
def test_ends_of_ranges(check, good, bad):
    for value in good:
        number = check("x", value)
        assert (number, type(number)) == (float(value), float)
    for value in bad:
        with pytest.raises(ValueError, match="x="):
            check("x", value)
    for value in (True, "1", None, 1j, [1.0]):
        with pytest.raises(TypeError, match=r"x=.* must be a real number"):
            check("x", value)


@pytest.mark.parametrize("value", [True, np.True_])
def test_flags_are_booleans(value):
    assert _validate.require_flag("x", value) is True


@pytest.mark.parametrize("value", ["false", "", 0, 1, 1.0, None, [], np.array([True])])
def test_nothing_else_is_a_flag(value):
    """bool("false") is True."""
    with pytest.raises(TypeError, match=r"x=.* must be True or False"):
        _validate.require_flag("x", value)


FLAGS = {
    "centred": lambda x: mehler.MaxoutFeatures.draw(3, 4, 2, centred=x, seed=0),
    "stored": lambda x: mehler.FourierFeatures.draw(3, 4, stored=x, seed=0),
    "replacement": lambda x: mehler.GroupInvariantFeatures.draw(
        3, 16, group=mehler.features.groups.SignFlips(3), n_elements=2, replacement=x, seed=0
    ),
    "intercept": lambda x: learn.ridge(
        mehler.FourierFeatures.draw(1, 2, seed=0), ONES, ONES, lambdas=1.0, intercept=x
    ),
    "independent_features": lambda x: verify.check_kernel(
        lambda seed: lambda rows: rows, lambda a, b: a @ b.T, ONES, independent_features=x
    ),
    "binary": lambda x: verify.check_mean(np.zeros(9), 0.0, resolution=0.5, binary=x),
}
ONES = np.ones((4, 1))


@pytest.mark.parametrize("name", FLAGS)
def test_flags_that_are_words_are_refused(name):
    with pytest.raises(TypeError, match=f"{name}='false' must be True or False"):
        FLAGS[name]("false")
