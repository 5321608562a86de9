"""The default seed of checks in the running test, and the checks that use it.

The pytest plugin imports this file in every run of every suite, so it imports no package.
"""

from collections.abc import Callable
from typing import Any

# Of the test that runs, where its run has a root; and what hears of each verdict of a check.
seed: int | None = None
on_verdict: Callable[[Any], None] | None = None
