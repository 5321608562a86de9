"""The seed of checks that name none: 0, or that of the test that runs.

The pytest plugin sets it under ``--mehler-fresh-seeds`` and ``--mehler-seed``. It imports this file
in every run of every suite, so this file imports nothing.
"""

_of_the_test: int | None = None


def give(seed: int | None) -> None:
    """Set the seed of the test that begins; None when it ends."""
    global _of_the_test
    _of_the_test = seed


def current() -> int:
    """Return the seed of the test that runs, 0 outside of any."""
    return 0 if _of_the_test is None else _of_the_test
