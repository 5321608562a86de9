"""One failing test of each kind: at most 25 lines, and a page that shows them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mehler.verify._failure import MOST_LINES
from tests.docs.test_site import load

DOCS = Path(__file__).parents[2] / "docs"
failures = load(DOCS / "_failures.py")
PAGE = (DOCS / "failing-tests.md").read_text(encoding="utf-8")


def without_numbers(text):
    return re.sub(r"[\d.,]+", "#", text)


@pytest.mark.parametrize("kind", failures.KINDS)
@pytest.mark.sampled(7)
def test_a_failure_is_short_and_on_the_page(kind):
    text = failures.text(kind)
    lines = text.splitlines()
    assert 5 <= len(lines) <= MOST_LINES == 25
    assert max(map(len, lines)) <= 96
    heading, body = failures.KINDS[kind]
    shown = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    assert body in shown
    assert f"AssertionError: {without_numbers(lines[0])}" in without_numbers(shown)
    # What is certain of one map assumes nothing.
    for label in ("false alarm", "drawn", *(["assumes"] if kind != "structure" else [])):
        assert re.search(rf"^  {label}", text, re.MULTILINE), text
