"""What pytest prints is the same on every machine."""

import pytest


@pytest.fixture(autouse=True)
def summary_in_one_line(monkeypatch):
    """Where ``CI`` is set, pytest repeats failures in its summary; these tests count lines."""
    for name in ("CI", "BUILD_NUMBER"):
        monkeypatch.delenv(name, raising=False)
