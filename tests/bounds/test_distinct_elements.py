"""Distinct elements in Theorem 2: every subset of small groups, and every step of the proof."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from mehler.bounds import group_invariant as bounds
from mehler.exact.orbits import TemplateLaw


def products(order: int) -> list[np.ndarray]:
    """Maxima over pairs of turns of the plane, at given templates, for equal and other rows."""
    turns = np.exp(2j * np.pi * np.arange(order) / order)
    drawn = np.random.default_rng(order).uniform(0, 2 * np.pi, size=7)
    result = []
    for templates in ([1.0], np.exp(1j * drawn[:1]), np.exp(1j * drawn)):
        moved = np.multiply.outer(turns, np.asarray(templates))
        for x, z in ((1.0, 1.0), (1.0, -1.0), (1.0, 0.6 + 0.8j)):
            left, right = ((moved * np.conj(row)).real for row in (x, z))
            result.append(np.maximum(left[:, None], right[None]).mean(axis=2))
    return result


def largest_share(order: int, term) -> float:
    """Compare each subset's error with the term at the probability of errors so large."""
    worst = 0.0
    for maxima in products(order):
        for r in range(1, order):
            chosen = [list(entry) for entry in itertools.combinations(range(order), r)]
            errors = (
                np.array([maxima[np.ix_(entry, entry)].mean() for entry in chosen]) - maxima.mean()
            )
            errors = np.sort(np.abs(errors))[::-1]
            for place, error in enumerate(errors):
                failure = (place + 1) / len(errors)
                # One pair: half of delta is for the elements.
                if failure < 0.5 and error > 1e-12:
                    worst = max(worst, error / term(r, order, 2 * failure))
    return worst


def proved(r, order, delta):
    setting = {"n_bins": 1, "n_rows": 1, "window": 1.0}
    return bounds.kernel_error(1, n_elements=r, group_order=order, delta=delta, **setting)[
        "elements"
    ]


@pytest.mark.parametrize("order", [2, 3, 4, 6, 8])
def test_no_subset_errs_more_than_promised(order):
    assert largest_share(order, proved) < 1


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


@pytest.mark.slow
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
