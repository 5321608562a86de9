"""A plugin of pytest: the tests that are for a GPU with CuPy run on the stand-in.

python -m pytest -p tests.devices.everywhere -m gpu -k cupy
"""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from tests.devices import standin

_open = ExitStack()


def pytest_configure(config: pytest.Config) -> None:
    _open.enter_context(standin.installed())


def pytest_unconfigure(config: pytest.Config) -> None:
    _open.close()
