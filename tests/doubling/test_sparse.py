"""Sparse unit vectors: counted by hand, by greedy packings, and against given points."""

import itertools
import math

import numpy as np
import pytest

from mehler.doubling import _points, doubling_dimension, sparse_dimension


def flat(s, d):
    """All vectors with s entries of +-1/sqrt(s)."""
    rows = []
    for support in itertools.combinations(range(d), s):
        for signs in itertools.product((-1, 1), repeat=s):
            row = np.zeros(d)
            row[list(support)] = signs
            rows.append(row / math.sqrt(s))
    return np.array(rows)


def greedy_packing(rows):
    """How many can be taken one by one, each farther than 1 from all before."""
    packing = []
    for row in rows:
        if all(np.sum((row - point) ** 2) > 1 + 1e-9 for point in packing):
            packing.append(row)
    return len(packing)


CASES = [(1, 5), (2, 6), (2, 9), (3, 6), (4, 6)]


@pytest.mark.parametrize(("s", "d"), CASES)
def test_neighbours_are_counted(s, d):
    rows = flat(s, d)
    near = int(np.sum(np.sum((rows - rows[0]) ** 2, axis=1) <= 1 + 1e-9))
    assert _points._packing(s, d) == _points.log2_ceil(-(-len(rows) // near))


@pytest.mark.parametrize(("s", "d"), CASES)
def test_a_packing_reaches_the_lower_end(s, d):
    result = greedy_packing(flat(s, d))
    assert result >= 2 ** (_points._packing(s, d) - 1) + 1 or _points._packing(s, d) == 0


def test_planted_defect_is_seen(monkeypatch):
    """Distance below 2 instead of 1: any two that share an equal entry."""
    monkeypatch.setattr(_points, "_mostly_equal", lambda i, s: 1)
    with pytest.raises(AssertionError):
        test_neighbours_are_counted(2, 6)


@pytest.mark.parametrize(("s", "d"), [(1, 32), (2, 6), (2, 8)])
def test_parts_of_the_set_stay_below(s, d):
    part = doubling_dimension(flat(s, d))
    assert part.low <= sparse_dimension(s, d).high


def test_known_values():
    for d in (1, 2, 5, 64):
        result = sparse_dimension(1, d)
        assert (result.low, result.high) == (math.ceil(math.log2(2 * d)),) * 2
    circle = sparse_dimension(2, 2)
    assert (circle.low, circle.high) == (3, 3)
    assert 5 in sparse_dimension(3, 3)


@pytest.mark.parametrize(("s", "d"), [(4, 1000), (10, 1000), (50, 10_000), (300, 400)])
def test_ends_have_the_printed_order(s, d):
    result = sparse_dimension(s, d)
    scale = s * math.log2(math.e * d / s)
    assert 0.2 * scale <= result.low <= result.high <= 3 * scale
    assert result.high <= math.ceil(d * math.log2(5))
