"""Sets whose doubling dimension is known."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mehler.bounds.doubling import diameter, doubling_dimension


def polygon(n):
    angles = 2 * np.pi * np.arange(n) / n
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def signs(d):
    return np.concatenate([np.eye(d), -np.eye(d)])


def sphere(n, d, seed=3):
    rows = np.random.default_rng(seed).standard_normal((n, d))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


# (points, the dimension): a segment's halves cover it; equidistant points share no smaller ball;
# regular polygons by ceil(n / (floor(n/6) + 1)) balls, in the plane at most 7 = 2^3 - 1.
KNOWN = {
    "one point": (np.ones((1, 4)), 0),
    "one point, repeated": (np.ones((5, 4)), 0),
    "two points": (np.eye(2), 1),
    "segment": (np.arange(33.0)[:, None], 1),
    "pentagon": (polygon(5), 3),
    "equidistant": (np.eye(9), math.ceil(math.log2(9))),
    "signs, 4": (signs(4), 3),
    "signs, 32": (signs(32), 6),
    "polygon, 60": (polygon(60), 3),
}


@pytest.mark.parametrize("name", KNOWN)
def test_known_dimensions_are_in_the_interval(name):
    points, dimension = KNOWN[name]
    found = doubling_dimension(points)
    assert found.low <= dimension <= found.high
    assert 0 <= found.low


def test_diameter_of_a_sphere():
    found = diameter(np.concatenate([sphere(50, 5), np.eye(5), -np.eye(5)]))
    assert found.low <= 2.0 <= found.high
    assert found.high - found.low < 1e-12
