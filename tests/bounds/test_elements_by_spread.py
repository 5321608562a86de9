"""Sums of vectors of one length, drawn without replacement: every subset of small groups.

The other route to the bound by the spread: orbits of cyclic groups in random representations, all
of whose subsets are listed, and exact distances in the place of the features.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from mehler.bounds import group_invariant as bounds
from mehler.exact.orbits import TemplateLaw

ORDERS = (2, 3, 5, 8, 10)


def orbits(order: int):
    """Yield orbits of mean 0 under turns by a cyclic group, as complex rows, and their length."""
    rng = np.random.default_rng(order)
    turns = np.arange(order)[:, None]
    for _ in range(6):
        kinds = rng.integers(1, order, size=rng.integers(1, 4))
        weights = rng.random(len(kinds)) + 1e-3
        yield np.exp(2j * np.pi * turns * kinds / order) * weights, np.linalg.norm(weights)


def tails(values):
    """Each value, and the probability of one so large."""
    ordered = np.sort(values)[::-1]
    return zip(ordered, np.arange(1, len(ordered) + 1) / len(ordered), strict=True)


def largest_ratio(exponent: float) -> float:
    worst = 0.0
    for order in ORDERS:
        for vectors, length in orbits(order):
            for r in range(1, order):
                chosen = itertools.combinations(range(order), r)
                sums = [np.linalg.norm(vectors[list(entry)].sum(axis=0)) for entry in chosen]
                fewest = min(r, order - r)
                for size, chance in tails(sums):
                    arguments = 2 * math.exp(-exponent * (size / length) ** 2 / fewest)
                    worst = max(worst, chance / arguments)
    return worst


def test_no_sum_is_longer_than_promised():
    assert largest_ratio(0.5) < 1


@pytest.mark.parametrize("exponent", [0.75, 1.0])
def test_a_larger_exponent_is_found_to_be_too_much(exponent):
    assert largest_ratio(exponent) > 1


@pytest.mark.parametrize("order", ORDERS)
def test_every_subset_of_long_rows_keeps_the_bound(order):
    """Rows of which the most part stays: the range is of no use, the spread is."""
    slope = TemplateLaw("sphere", 4).slope
    for vectors, _ in orbits(order):
        gaps = np.linalg.norm(vectors[:, None] - vectors[None], axis=2)
        setting = {"n_inputs": 4, "radius": 100.0, "spread": float(gaps.mean())}
        for r in range(1, order):
            chosen = [list(entry) for entry in itertools.combinations(range(order), r)]
            errors = [abs(slope * (gaps[np.ix_(a, a)].mean() - gaps.mean())) for a in chosen]
            for error, chance in tails(errors):
                if chance < 1:
                    arguments = bounds.kernel_change_elements(
                        r, delta=float(chance), group_order=order, **setting
                    )
                    assert error <= arguments.value * (1 + 1e-12)


def test_which_form_is_the_smaller_one_for_independent_elements():
    """By the spread where it is at most the radius, but for one row that nearly always fails."""
    slope = TemplateLaw("sphere", 4).slope

    def is_by_spread(spread, n_points, delta):
        result = bounds.kernel_change_elements(
            1, n_inputs=4, n_rows=n_points, delta=delta, spread=spread
        ).value
        return result == pytest.approx(2 * slope * spread * math.log(2 * n_points / delta))

    for spread in (1e-6, 0.1, 0.5, 0.9, 1.0):
        for n_points in (1, 2, 100):
            assert all(is_by_spread(spread, n_points, delta) for delta in (1e-9, 0.5, 0.98))
    assert not is_by_spread(1.0, 1, 0.99)
