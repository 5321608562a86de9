"""The table of the page on reading is what is read."""

from __future__ import annotations

from tests.docs._blocks import ROOT
from tests.docs.test_site import load

reading = load(ROOT / "docs" / "_reading.py")


def test_the_table_is_what_is_read():
    text = reading.PAGE.read_text(encoding="utf-8")
    assert reading.page(text) == text, "run python docs/_reading.py"
