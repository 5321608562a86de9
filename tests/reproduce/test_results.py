"""Means over draws by hand, and Student's interval of paired differences, against SciPy's own."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from mehler.reproduce._results import (
    Interval,
    difference,
    paired_interval,
    spread,
    with_errors,
    with_range,
)


def test_a_spread_is_the_deviation_of_a_sample() -> None:
    # Squares about the mean 2 add up to 8, over 3 - 1: deviation 2, not the 1.63 of over 3.
    assert spread([0.0, 2.0, 4.0]) == "2.00 ± 2.00"
    assert spread([0.0, 2.0, 4.0], 1) == "2.0 ± 2.0"
    assert spread([3.0]) == "3.00"


def test_bars_are_standard_errors_or_the_range() -> None:
    values = np.array([[0.0, 1.0], [2.0, 1.0], [4.0, 1.0], [2.0, 5.0]])
    found = with_errors("a", [10, 20], values)
    # Column 1: squares add up to 8, over 3, root, over the root of 4.
    assert found.y == (2.0, 2.0)
    half = (8 / 3) ** 0.5 / 2
    assert found.y_high == pytest.approx((2.0 + half, 2.0 + 1.0))
    assert found.y_low == pytest.approx((2.0 - half, 2.0 - 1.0))
    ranged = with_range("a", [10, 20], np.transpose([[0.0, 2.0, 7.0], [1.0, 3.0, 2.0]]))
    assert (ranged.y, ranged.y_low, ranged.y_high) == ((3.0, 2.0), (0.0, 1.0), (7.0, 3.0))


@pytest.mark.parametrize(("n", "looks"), [(2, 1), (10, 1), (10, 3)])
def test_interval_is_scipys(n, looks) -> None:
    gain = np.random.default_rng(n).standard_normal(n) + 0.3
    mean, low, high = paired_interval(gain, looks)
    theirs = ttest_1samp(gain, 0.0).confidence_interval(1 - 0.01 / looks)
    assert (mean, low, high) == pytest.approx((gain.mean(), theirs.low, theirs.high))


@pytest.mark.parametrize("mistakes", [(30, 30), (1, 1), (0, 0), (7,) * 10])
def test_draws_without_spread_bound_nothing(mistakes) -> None:
    """Two draws of 360 rows that differ by the same count: Student's formula would be certain."""
    base = np.linspace(5.0, 6.0, len(mistakes))
    values = base + 100 * np.array(mistakes) / 360
    mean, low, high = paired_interval(values - base)
    assert mean == pytest.approx(100 * mistakes[0] / 360)
    assert (low, high) == (-np.inf, np.inf)
    said = difference("one map instead of another", values, base)
    assert "not told apart" in said
    assert "equal in all draws, so that no interval can be given" in said


def test_ends_are_formatted_or_said_to_be_missing() -> None:
    assert Interval(0.4, -0.5, 1.25).ends() == "-0.50 to +1.25: 99 %, Student's"
    assert Interval(1.0, 0.9, 1.1).ends(".3g", level="99 % for all") == (
        "0.9 to 1.1: 99 % for all, Student's"
    )
    # Of ratios, the exponentials of infinite ends.
    assert Interval(*np.exp([0.0, -np.inf, np.inf])).ends().startswith("equal in all draws")


@pytest.mark.parametrize(
    ("gain", "word"), [(-1.0, "fewer mistakes"), (1.0, "more mistakes"), (0.0, "not told apart")]
)
def test_differences_follow_the_pairs(gain, word) -> None:
    rng = np.random.default_rng(0)
    base = 5 + rng.standard_normal(10)
    said = difference("shared", base + gain + 0.1 * rng.standard_normal(10), base)
    assert said.startswith(f"Shared: {word}; ")
    one = difference("shared", base[:1] + 1, base[:1], draw="split")
    assert one == "Shared: error +1.00 percent, over 1 split, so that no interval can be given."
