"""Tiny sets, solved by a route of its own: every circle through points, every partition.

Nothing here is shared with the library: smallest balls come from SciPy's general optimiser or from
circumcircles in the plane, and covers from partitions, not from integer programmes.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mehler.doubling import covering_number, doubling_dimension, packing_number
from tests.doubling.sets import doubling_sets

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
        allowed = radius[section] / 2 * (1 + slack)
        need = min(
            len(parts)
            for parts in partitions(list(section))
            if all(len(p) == 1 or radius[tuple(sorted(p))] <= allowed for p in parts)
        )
        most = max(most, need)
    return most


def in_set(points, slack):
    """The same with all centres in the set, over all choices of centres."""
    between = np.linalg.norm(points[:, None] - points[None], axis=2)
    most = 1
    for centre, radius in itertools.product(range(len(points)), np.unique(between)):
        inside = np.flatnonzero(between[centre] <= radius * (1 + TIE))
        reached = between <= radius / 2 * (1 + slack) + 1e-300
        most = max(
            most,
            next(
                size
                for size in range(1, len(points) + 1)
                for chosen in itertools.combinations(range(len(points)), size)
                if reached[list(chosen)][:, inside].any(axis=0).all()
            ),
        )
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
    result = doubling_dimension(points, exact=False)
    assert log2(brute_force(points, TIE)) <= result.high
    assert result.low <= log2(brute_force(points, -TIE))


@given(points=plane, exact=st.booleans())
@settings(max_examples=60)
def test_brute_force_with_centres_in_the_set(points, exact):
    points = np.unique(points, axis=0)
    result = doubling_dimension(points, centres="in the set", exact=exact)
    few, many = in_set(points, TIE), in_set(points, -TIE)
    assert log2(few) <= result.high
    assert result.low <= log2(many)
    if exact and few == many:
        assert result.low == result.high


def test_with_centres_in_the_set_a_part_may_have_the_larger_dimension():
    """So a sample's own dimension is no bound for the set there; with centres anywhere it is."""
    points = np.asarray([[3.0, 6], [5, 1], [5, 5], [8, 2], [8, 5], [7, 1]])
    part, whole = points[:-1], points
    assert log2(in_set(part, -TIE)) == log2(in_set(part, TIE)) == 3
    assert log2(in_set(whole, -TIE)) == log2(in_set(whole, TIE)) == 2
    assert doubling_dimension(part, centres="in the set").low == 3
    assert doubling_dimension(whole, centres="in the set").high == 2
    assert doubling_dimension(whole, centres="in the set", max_points=5).low <= 2


@given(
    points=st.integers(2, 8).flatmap(
        lambda n: arrays(np.float64, (n, 3), elements=st.floats(-5, 5, width=16))
    )
)
@settings(max_examples=60)
def test_intervals_contain_the_exact_one(points):
    for centres in ("anywhere", "in the set"):
        exact = doubling_dimension(points, centres=centres, exact=True)
        result = doubling_dimension(points, centres=centres, exact=False)
        assert result.low <= exact.high
        assert exact.low <= result.high


@given(tree=doubling_sets(n_inputs=12), exact=st.sampled_from([None, False]))
@pytest.mark.full
def test_trees_of_simplices(tree, exact):
    points, dimension = tree
    result = doubling_dimension(points, centres="in the set", exact=exact)
    assert result.low <= math.ceil(dimension) <= result.high


@given(points=plane, radius=st.floats(0.1, 12))
@settings(max_examples=60)
def test_packings_and_covers_by_brute_force(points, radius):
    points = np.unique(points, axis=0)
    between = np.linalg.norm(points[:, None] - points[None], axis=2)
    gaps = between[np.triu_indices(len(points), 1)]
    assume(np.all(np.abs(gaps - radius) > TIE))
    packed = max(
        size
        for size in range(1, len(points) + 1)
        for chosen in itertools.combinations(range(len(points)), size)
        if all(between[i, j] > radius for i, j in itertools.combinations(chosen, 2))
    )
    result = packing_number(points, radius)
    assert result.low <= packed <= result.high
    covered = min(
        len(parts)
        for parts in partitions(list(range(len(points))))
        if all(smallest_radius(points[p]) <= radius for p in parts)
    )
    result = covering_number(points, radius)
    assert result.low <= covered <= result.high
