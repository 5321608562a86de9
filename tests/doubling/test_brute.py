"""Tiny sets, solved by a route of its own: every circle through points, every partition.

Nothing here is shared with the library: smallest balls come from SciPy's general optimiser or from
circumcircles in the plane, and covers from partitions, not from integer programmes.
"""

import itertools
import math

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mehler.doubling import doubling_dimension
from mehler.doubling._dimension import between
from mehler.doubling._points import Points

# Ties within this are left open by both: what they decide is up to rounding.
TIE = 1e-7


def circle(corners):
    """Centre of the circle through two (as a diameter) or three points of the plane."""
    if len(corners) == 2:
        return (corners[0] + corners[1]) / 2
    (ax, ay), (bx, by), (cx, cy) = corners
    twice = 2 * (ax * (by - cy) + bx * (cy - ay) + cx * (ay - by))
    if abs(twice) < 1e-9:
        return None
    a, b, c = ax**2 + ay**2, bx**2 + by**2, cx**2 + cy**2
    return np.array(
        [
            (a * (by - cy) + b * (cy - ay) + c * (ay - by)) / twice,
            (a * (cx - bx) + b * (ax - cx) + c * (bx - ax)) / twice,
        ]
    )


def smallest_radius(points):
    """Radius of the smallest disc that holds the points, over all discs by two or three."""
    if len(points) == 1:
        return 0.0
    best = math.inf
    for size in (2, 3):
        for corners in itertools.combinations(points, size):
            centre = circle(corners)
            if centre is not None:
                best = min(best, np.linalg.norm(points - centre, axis=1).max())
    return best


def partitions(items):
    if not items:
        yield []
        return
    first, *rest = items
    for smaller in partitions(rest):
        yield [[first], *smaller]
        for i, part in enumerate(smaller):
            yield [*smaller[:i], [first, *part], *smaller[i + 1 :]]


def brute_force(points, slack):
    """Most discs of half the radius for any section; covers may miss by `slack` of the radius."""
    n = len(points)
    subsets = [s for k in range(1, n + 1) for s in itertools.combinations(range(n), k)]
    radius = {s: smallest_radius(points[list(s)]) for s in subsets}
    most = 1
    for section in subsets:
        least = radius[section] / 2 * (1 + slack)
        need = min(
            len(parts)
            for parts in partitions(list(section))
            if all(len(p) == 1 or radius[tuple(sorted(p))] <= least for p in parts)
        )
        most = max(most, need)
    return most


def log2(count):
    return math.ceil(math.log2(count))


plane = st.integers(2, 6).flatmap(
    lambda n: arrays(np.float64, (n, 2), elements=st.integers(-40, 40).map(lambda i: i / 7))
)


@given(points=plane)
@settings(max_examples=60)
def test_brute_force_lies_in_the_interval(points):
    points = np.unique(points, axis=0)
    result = doubling_dimension(points)
    assert log2(brute_force(points, TIE)) <= result.high
    assert result.low <= log2(brute_force(points, -TIE))
    # Without ties both are one number, and the interval must be that.
    few, many = brute_force(points, TIE), brute_force(points, -TIE)
    assume(few == many)
    assert result.low == result.high == min(log2(few), 3)


@given(points=plane)
@settings(max_examples=60)
def test_brute_force_lies_in_the_interval_of_covers_and_packings(points):
    points = np.unique(points, axis=0)
    low, high, _ = between(Points(points), cap=9)
    assert log2(brute_force(points, TIE)) <= high
    assert low <= log2(brute_force(points, -TIE))


@given(
    points=st.integers(2, 8).flatmap(
        lambda n: arrays(np.float64, (n, 3), elements=st.floats(-5, 5, width=16))
    )
)
@settings(max_examples=60)
def test_intervals_contain_the_exact_one(points):
    exact = doubling_dimension(points)
    low, high, _ = between(Points(points), cap=9)
    assert low <= exact.high
    assert exact.low <= high
