"""The truth of a verdict is whether it holds, and pytest shows what a failed assertion asked."""

import pytest

from mehler import verify

pytest_plugins = ["pytester"]

MODULE = """
import pickle
import numpy as np
import pytest
from mehler import verify

COIN = np.random.default_rng(7).random(4000) < 0.5


def check(claim):
    return verify.check_mean(COIN, claim, binary=True, resolution=0.2)


def test_asserted():
    assert check(0.9)


def test_a_bare_line():
    check(0.9)


def test_read():
    assert check(0.9).status == "refuted"


def test_pickled():
    assert pickle.loads(pickle.dumps(check(0.9))) == verify.check_mean.__wrapped__(
        COIN, 0.9, binary=True, resolution=0.2
    )


def test_required():
    with pytest.raises(AssertionError):
        verify.require(check(0.9))


def test_holds():
    assert check(0.5)
"""


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["", "-n2"])
def test_pytest_shows_the_text_and_names_what_no_test_read(pytester, workers):
    pytester.makepyfile(MODULE)
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", *filter(None, [workers]))
    result.assert_outcomes(passed=5, failed=1)
    result.stdout.fnmatch_lines(
        [
            "*E * assert <mean: refuted.*",
            "*- mehler: mean -*",
            "mean: refuted. Claimed: the mean is 0.9",
            "  0.9 *",
            "mehler: refuted, and no test asked the verdict:",
            "  *::test_a_bare_line (mean)",
        ]
    )
    assert "test_pickled (mean)" not in str(result.stdout)
    assert "test_read (mean)" not in str(result.stdout)
    assert "test_required (mean)" not in str(result.stdout)


def test_a_verdict_that_is_not_decided_is_not_true():
    assert not verify.check_mean([0.0, 1.0] * 20, 0.5, binary=True, resolution=0.1)
