"""Student's interval of paired differences, against SciPy's own."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from mehler.reproduce._paired import difference, paired_interval


@pytest.mark.parametrize(("n", "looks"), [(2, 1), (10, 1), (10, 3)])
def test_interval_is_scipys(n, looks) -> None:
    gain = np.random.default_rng(n).standard_normal(n) + 0.3
    mean, low, high = paired_interval(gain, looks)
    theirs = ttest_1samp(gain, 0.0).confidence_interval(1 - 0.01 / looks)
    assert (mean, low, high) == pytest.approx((gain.mean(), theirs.low, theirs.high))


def test_equal_differences_of_a_few_draws_tell_nothing() -> None:
    base = np.array([10.0, 12.5, 11.0])
    assert "not told apart; error +0.50 percent" in difference("a", base + 0.5, base)
    # As rounding leaves them: 0.1 + 0.2 and its like.
    assert paired_interval([0.3, 0.1 + 0.2, 0.3])[1:] == (-np.inf, np.inf)
    assert paired_interval([0.0, 0.0, 0.0]) == (0.0, 0.0, 0.0)
