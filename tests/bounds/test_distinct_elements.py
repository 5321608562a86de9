"""Distinct elements in Theorem 2: every subset of small groups, and every step of the proof."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from mehler.bounds import group_invariant as bounds

COMMON = {"n_bins": 10, "n_rows": 12, "delta": 0.1, "window": 1.3}


@pytest.mark.parametrize(("r", "order"), [(1, 2), (3, 40), (20, 40), (39, 40)])
def test_the_term_by_hand(r, order):
    log = math.log(4 * 78 / 0.1)
    shown = sum(Fraction(order - r, order - k) ** 2 for k in range(1, r + 1)) / r
    hidden = sum(Fraction(r, order - k) ** 2 for k in range(1, order - r + 1)) / r
    w = Fraction(order - r, order - 1)
    expected = 2 * float(w) / r + math.sqrt(8 * float(min(shown, hidden)) * log / r)
    result = bounds.kernel_error(50, n_elements=r, group_order=order, **COMMON)
    assert result["elements"] == pytest.approx(expected, rel=1e-13)
    free = bounds.kernel_error(50, n_elements=r, **COMMON)
    assert result["elements"] <= free["elements"]
    assert [result[name] for name in ("binning", "templates")] == [
        free[name] for name in ("binning", "templates")
    ]


def test_all_elements_are_the_whole_group():
    for options in ({}, {"templates": "gaussian", "n_inputs": 5}):
        every = bounds.kernel_error(50, n_elements=24, group_order=24, **COMMON, **options)
        assert every["elements"] == 0.0
        assert every.value == bounds.kernel_error(50, **COMMON, **options).value


def test_a_huge_group_is_as_independent_elements():
    huge = bounds.kernel_error(50, n_elements=30, group_order=math.factorial(300), **COMMON)
    assert huge.value == pytest.approx(bounds.kernel_error(50, n_elements=30, **COMMON).value)


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


def test_a_third_of_it_is_found_to_be_too_little():
    """Small groups see no more; with a thousand elements of a line 0.63 is too little."""
    assert largest_share(3, lambda *arguments: proved(*arguments) / 3) > 1


@pytest.mark.parametrize("order", range(2, 8))
def test_each_step_moves_the_conditional_mean_by_so_much(order):
    """The exchange of the proof, for functions of subsets of which one element moves 1 at most."""
    rng = np.random.default_rng(order)
    for r in range(1, order):
        subsets = list(itertools.combinations(range(order), r))
        ends = rng.random(order)
        at_random = rng.random(len(subsets))
        largest = {entry: max(ends[list(entry)]) for entry in subsets}
        drawn = dict(zip(subsets, at_random, strict=True))
        means = {entry: math.fsum(ends[list(entry)]) for entry in subsets}
        first = {entry: float(0 in entry) for entry in subsets}
        for f in (largest, drawn, means, first):
            for k in range(1, r + 1):
                before = range(k - 1)  # which ones are drawn before makes no difference in kind
                means_after = [
                    np.mean([f[entry] for entry in subsets if {*before, a} <= set(entry)])
                    for a in range(k - 1, order)
                ]
                moved = max(means_after) - min(means_after)
                most = (order - r) / (order - k)
                assert moved <= most + 1e-12
                if k == 1 and f is first:  # whether one element is drawn: an equality
                    assert moved == pytest.approx(most, abs=1e-12)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: bounds.kernel_error(5, group_order=9, **COMMON), "give n_elements"),
        (
            lambda: bounds.kernel_error(5, n_elements=9, group_order=8, **COMMON),
            "group_order=8 must be at least 9",
        ),
    ],
)
def test_bad_arguments(call, words):
    with pytest.raises(ValueError, match=words):
        call()
