"""What is refused, what a sample says, and the same answer in every namespace."""

import math

import numpy as np
import pytest

from mehler.doubling import Interval, diameter, doubling_dimension, sparse_dimension
from tests.doubling.test_known import assert_witness, in_space, polygon, sphere

# In float32, so that every place is given the same numbers.
CLOUDS = {
    "few": sphere(9, 4).astype(np.float32),
    "circle": in_space(polygon(90), 12).astype(np.float32),
    "sphere": sphere(150, 5).astype(np.float32),
}


@pytest.mark.parametrize("name", CLOUDS)
@pytest.mark.sampled(6)
def test_same_interval_in_every_namespace(place, name):
    points = CLOUDS[name]
    here, there = (doubling_dimension(x) for x in (points, place.asarray(points)))
    assert (here.low, here.high) == (there.low, there.high)
    assert here.witness.count == there.witness.count
    assert here.n_points == there.n_points == len(points)


def test_same_numbers_in_every_namespace(place):
    points = CLOUDS["sphere"]
    x = place.asarray(points)
    width = diameter(x)
    # Two roundings of a square root apart: distances are computed in float64 wherever x lives.
    assert width.low == pytest.approx(diameter(points).low, rel=1e-14)
    assert width.low <= width.high


def test_integers_are_points_too():
    assert diameter(np.asarray([[0, 0], [3, 4]])).low == pytest.approx(5.0)


POINTS = [
    (np.asarray([[0.0, np.nan]]), ValueError, "NaN"),
    (np.asarray([[np.inf, 1.0]]), ValueError, "infinity"),
    (np.zeros((0, 3)), ValueError, "empty"),
    (np.zeros((3, 0)), ValueError, "empty"),
    (np.zeros(3), ValueError, "axes"),
    (np.zeros((2, 2), dtype=complex), TypeError, "complex"),
    *((x, TypeError, "^X ") for x in ([[0.0, 1.0]], None, 3.0, np.ma.masked_array(np.eye(2)))),
]
REFUSED = [
    *((lambda c=c, x=x: c(x), *why) for c in (diameter, doubling_dimension) for x, *why in POINTS),
    (lambda: doubling_dimension(sphere(20, 3), max_points=0), ValueError, "max_points=0"),
    *(
        (lambda s=s, d=d: sparse_dimension(s, d), *why)
        for s, d, *why in [
            (0, 3, ValueError, "n_nonzero"),
            (4, 3, ValueError, "n_nonzero=4 exceeds n_inputs=3"),
            (1.5, 3, TypeError, "n_nonzero"),
            (1, 0, ValueError, "n_inputs"),
            (2, 10**30, ValueError, r"n_inputs=10+ must be at most"),
        ]
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_bad_arguments_are_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_nan_in_a_lazy_array_is_refused():
    dask = pytest.importorskip("dask.array")
    x = dask.from_array(np.asarray([[0.0, np.nan], [1.0, 2.0]]), chunks=(1, 2))
    with pytest.raises(ValueError, match="NaN"):
        doubling_dimension(x)


def test_a_traced_array_is_refused():
    jax = pytest.importorskip("jax")
    with pytest.raises(TypeError, match="jit"):
        jax.jit(lambda x: diameter(x).low)(jax.numpy.ones((3, 2)))


def test_a_sample_bounds_the_set_from_below():
    points = np.concatenate([sphere(200, 6), sphere(200, 6)])
    result = doubling_dimension(points, max_points=100)
    whole = doubling_dimension(points)
    assert (result.n_points, result.n_used) == (200, 100)
    assert result.method == "packing in a sample"
    assert result.low <= whole.high
    # From the numbers of points and columns: true whatever the sample missed.
    assert result.high == 8
    assert_witness(points, result.low, result.witness)


def test_units_do_not_matter():
    points = sphere(60, 4)
    for factor in (1e-200, 1e-20, 3.0, 1e200):
        ours = doubling_dimension(factor * points)
        plain = doubling_dimension(points)
        assert (ours.low, ours.high) == (plain.low, plain.high)
        assert ours.witness.radius == pytest.approx(factor * plain.witness.radius)


def test_far_from_the_origin_the_ends_open_but_do_not_cross():
    points = polygon(60)
    for offset in (1e3, 1e8, 1e14):
        result = doubling_dimension(offset + points)
        assert result.low <= result.high


def test_what_it_says():
    assert str(doubling_dimension(np.eye(4))) == ("doubling dimension 2, 4 points, by all covers")
    result = doubling_dimension(sphere(300, 40), max_points=50)
    assert str(result) == (
        f"doubling dimension between {result.low} and 9, 300 points "
        "(50 used), by packing in a sample"
    )
    assert result.low in result
    assert result.high + 1 not in result
    assert 1.2 in Interval(1.0, 1.5)


LINE = np.arange(5.0)[:, None]


@pytest.mark.parametrize("scale", [1.0, 1e300, 2.0**-1070])
def test_a_line_of_five_at_every_scale(scale):
    assert doubling_dimension(LINE * scale).high == 1.0


def test_a_diameter_beyond_all_floats():
    most = np.finfo(np.float64).max
    result = diameter(np.array([[-most], [most]]))
    assert result == Interval(most, math.inf)
    tiny = diameter(LINE * 5e-324)
    assert tiny.low <= 4 * 5e-324 <= tiny.high
