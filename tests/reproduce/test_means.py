"""Means over draws, against numbers worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from mehler.reproduce._results import spread, with_errors, with_range


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
    ranged = with_range("a", [10, 20], [[0.0, 2.0, 7.0], [1.0, 3.0]])
    assert (ranged.y, ranged.y_low, ranged.y_high) == ((3.0, 2.0), (0.0, 1.0), (7.0, 3.0))
