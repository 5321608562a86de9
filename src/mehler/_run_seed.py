"""The default seed of checks in the running test, and the checks that use it.

The pytest plugin imports this file in every run of every suite, so it imports no package.
"""

from collections.abc import Callable
from typing import Any

_of_the_test: int | None = None
# Hears of each verdict that a check returns.
on_verdict: Callable[[Any], None] | None = None


def give(seed: int | None) -> None:
    """Set the seed of the test that begins; None when it ends."""
    global _of_the_test
    _of_the_test = seed


def current() -> int:
    """Return the seed of the test that runs, 0 outside of any."""
    return 0 if _of_the_test is None else _of_the_test
