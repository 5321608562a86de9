"""Sets whose doubling dimension is known, and what an answer says of itself."""

import itertools
import math

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from mehler.doubling import diameter, doubling_dimension
from mehler.doubling._dimension import between
from mehler.doubling._ends import pack_in_order, pack_nearest
from mehler.doubling._exact import exact_anywhere
from mehler.doubling._points import Points, by_columns, log2_ceil


def polygon(n):
    angles = 2 * np.pi * np.arange(n) / n
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def signs(d):
    return np.concatenate([np.eye(d), -np.eye(d)])


def sphere(n, d, seed=3):
    rows = np.random.default_rng(seed).standard_normal((n, d))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def in_space(points, d, seed=4):
    """The same set in some subspace of R^d, in no special position."""
    basis = np.linalg.qr(np.random.default_rng(seed).standard_normal((d, d)))[0]
    return points @ basis[: points.shape[1]]


def grid(n):
    return np.stack(np.meshgrid(np.arange(float(n)), np.arange(float(n))), axis=-1).reshape(-1, 2)


def sparse(d):
    """Unit vectors with two entries that are +-1/sqrt(2)."""
    rows = [
        (a, b, i, j)
        for i, j in itertools.combinations(range(d), 2)
        for a, b in itertools.product((-1, 1), repeat=2)
    ]
    points = np.zeros((len(rows), d))
    for point, (a, b, i, j) in zip(points, rows):
        point[[i, j]] = a / math.sqrt(2), b / math.sqrt(2)
    return points


# (points, least and largest value that the dimension can have, by hand):
# two halves cover a segment; no smaller ball holds two equidistant points, nor two of +-e_i;
# a circle needs six half-size balls and the plane has seven for any set; 15 caps of 30 degrees
# have less than the sphere's area, and 32 cover it; for 2-sparse unit vectors one ball for each
# sign and place will do, 2 d^2 in all, and those with one place in common are 1/sqrt(2) from it.
KNOWN = {
    "one point": (np.ones((1, 4)), 0, 0),
    "one point, repeated": (np.ones((5, 4)), 0, 0),
    "zero and minus zero": (np.asarray([[0.0], [-0.0]]), 0, 0),
    "two points": (np.eye(2), 1, 1),
    "segment": (np.arange(33.0)[:, None], 1, 1),
    "segment in a space": (np.outer(np.arange(200.0), [1, 2, -3, 0.5]), 1, 1),
    "equidistant, 9": (np.eye(9), 4, 4),
    "equidistant, 65": (np.eye(65), 7, 7),
    "signs, 4": (signs(4), 3, 3),
    "signs, 32": (signs(32), 6, 6),
    "triangle": (polygon(3), 2, 2),
    "square": (polygon(4), 2, 2),
    "pentagon": (polygon(5), 3, 3),
    "hexagon": (polygon(6), 2, 2),
    "polygon, 12": (polygon(12), 2, 2),
    "polygon, 60": (polygon(60), 3, 3),
    "circle in a space": (in_space(polygon(700), 10), 3, 3),
    "grid, 3": (grid(3), 2, 2),
    "grid, 9": (grid(9), 2, 3),
    "plane in a space": (in_space(grid(16), 9), 2, 3),
    "sphere": (sphere(1500, 3), 4, 5),
    "sphere in a space": (in_space(sphere(600, 3), 12), 4, 5),
    "sparse": (sparse(6), 4, 7),
}


@pytest.mark.parametrize("name", KNOWN)
@pytest.mark.sampled(12)
def test_known_dimensions_are_in_the_interval(name):
    points, least, most = KNOWN[name]
    result = doubling_dimension(points)
    assert result.low <= most
    assert least <= result.high
    assert 0 <= result.low <= result.high


@pytest.mark.parametrize("n", [5, 7, 8, 10, 11, 13])
def test_polygons_by_the_circle_around_them(n):
    """The circle's own ball needs ceil(n / (floor(n/6) + 1)), an arc of 60 degrees each."""
    need = math.ceil(n / (n // 6 + 1))
    low, witness, high = exact_anywhere(Points(polygon(n)))
    assert log2_ceil(low) == log2_ceil(high) >= log2_ceil(need)
    assert witness.count >= need


def assert_witness(points, low, witness):
    """Hold a packing against the data, in the plainest way."""
    rows = points[list(witness.rows)]
    assert low == log2_ceil(witness.count)
    assert witness.count == len(rows)
    assert np.linalg.norm(rows - witness.centre, axis=1).max() <= witness.radius * (1 + 1e-12)
    gaps = np.linalg.norm(rows[:, None] - rows[None], axis=2)[np.triu_indices(len(rows), 1)]
    assert gaps.min() > witness.radius * (1 - 1e-12)


@pytest.mark.parametrize("name", ["pentagon", "polygon, 60", "sphere", "sparse", "signs, 32"])
def test_the_witness_is_a_packing_in_its_ball(name):
    points = 1e3 + 7 * KNOWN[name][0]
    low, _, witness = between(Points(points), cap=9)
    assert_witness(points, low, witness)


def test_caps_of_thirty_degrees_cover_the_sphere():
    """22 of them: poles, six at 52 degrees from each, eight on the equator."""
    rings = [(0, 1, 0), (52, 6, 0), (90, 8, 11.25), (128, 6, 0), (180, 1, 0)]
    centres = np.array(
        [
            (math.sin(t) * math.cos(p), math.sin(t) * math.sin(p), math.cos(t))
            for polar, count, turn in rings
            for t, p in [
                (math.radians(polar), math.radians(turn + 360 * j / count)) for j in range(count)
            ]
        ]
    )
    # The point of the sphere that is farthest from all centres is over a facet of their hull.
    heights = -ConvexHull(centres).equations[:, 3]
    assert math.degrees(math.acos(heights.min())) < 29.6
    assert by_columns(3) == log2_ceil(1 + len(centres)) == 5


def test_any_set_of_few_columns():
    # 5^d balls by volume; the sphere's own need more than 2^d.
    assert [by_columns(d) for d in (0, 1, 2, 3, 4, 8)] == [0, 1, 3, 5, 10, 19]


def test_logarithms_are_exact():
    for k in (1, 2, 13, 50, 200):
        assert (log2_ceil(2**k), log2_ceil(2**k + 1)) == (k, k + 1)


def test_a_packing_has_no_two_points_at_the_distance_itself():
    between = np.array([[0.0, 1.0], [1.0, 0.0]])
    assert pack_in_order(between, 1.0, [0, 1]) == pack_nearest(between, 1.0, 0) == [0]


def test_diameters():
    result = diameter(np.concatenate([sphere(50, 5), signs(5)]))
    assert result.low <= 2.0 <= result.high
    assert result.high - result.low < 1e-12
    assert diameter(np.ones((3, 2))).high == 0.0
    tiny = diameter(1e-200 * signs(3))
    assert tiny.low <= 2e-200 <= tiny.high < 2.1e-200
    huge = diameter(1e200 * signs(3))
    assert huge.low <= 2e200 <= huge.high < 2.1e200


def test_diameter_of_more_points_than_pairs_are_looked_at(monkeypatch):
    points = sphere(3000, 6)
    exact = diameter(points)
    monkeypatch.setattr("mehler.doubling._points._ALL_PAIRS", 100)
    swept = diameter(points)
    assert swept.low <= exact.low
    assert exact.high <= swept.high <= math.sqrt(3) * exact.high
    assert float(swept) == swept.high


def confident_classifier():
    logits = 3600 * np.random.default_rng(0).standard_normal((300, 10))
    return np.exp(logits - logits.max(axis=1, keepdims=True))


def near_copies(d, n=20, noise=1e-30):
    rng = np.random.default_rng(1)
    return np.concatenate([np.eye(d) + noise * rng.standard_normal((d, d)) for _ in range(n)])


# Distances over hundreds of decades, or below the rounding of others.
SPREAD = {
    "softmax": confident_classifier(),
    "copies, by products": near_copies(12),
    "copies, by differences": near_copies(3),
    "a column of 1e24": np.random.default_rng(2).standard_normal((300, 10)) * [1e24, *[1.0] * 9],
    "powers": 2.0 ** -np.arange(900.0)[:, None],
    "powers in directions": 10.0 ** -np.arange(300.0)[:, None] * sphere(300, 20),
    "subnormal": sphere(100, 4) * 1e-310,
}


@pytest.mark.parametrize("name", SPREAD)
def test_sets_of_many_scales_have_an_interval(name):
    interval = doubling_dimension(SPREAD[name])
    assert 1 <= interval.low <= interval.high <= 12


def test_an_order_of_the_points_halves_the_balls():
    """Planted: whole balls of a segment meet twice as many cells, and give 4."""
    assert doubling_dimension(np.outer(np.arange(60.0), [1, -2, 3, 0.5])).high <= 3
