"""In this folder ``import cupy`` gives the stand-in."""

from __future__ import annotations

import sys

import pytest

from tests.devices import standin


@pytest.fixture(autouse=True)
def cupy():
    before = sys.modules.get("cupy")
    with standin.installed() as package:
        yield package
    assert sys.modules.get("cupy") is before
