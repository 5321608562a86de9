"""What all tests of checks share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

# Seconds of fresh draws beyond those that the resolution asks for.
EXTRA_SECONDS = "mehler.verify.nonparametric._unseen.SECONDS"


@pytest.fixture(autouse=True)
def refutations_take_the_draws_that_they_need() -> Iterator[None]:
    """Those beyond, by the clock, make a statement stronger; that has a test of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(EXTRA_SECONDS, 1e-9)
        yield
