"""One failing test of each kind: at most 25 lines, and a page that shows them."""

import re
from pathlib import Path

import pytest

from mehler.verify._verdict import MOST_LINES
from tests.docs.test_site import load

failures = load(Path(__file__).parents[2] / "docs" / "_failures.py")
PAGE = failures.PAGE.read_text(encoding="utf-8")
CASES = failures.cases(PAGE)


def without_numbers(text):
    return re.sub(r"[\d.,]+", "#", text)


@pytest.mark.slow
@pytest.mark.parametrize("heading", CASES)
@pytest.mark.sampled(7)
def test_a_failure_is_short_and_on_the_page(heading):
    body, shown = CASES[heading]
    text = failures.printed(PAGE, body)
    lines = text.splitlines()
    assert 5 <= len(lines) <= MOST_LINES == 25
    assert max(map(len, lines)) <= 96
    assert without_numbers(lines[0]) == without_numbers(shown.splitlines()[0])
    # What is certain of one map assumes nothing.
    certain = heading.startswith("Structure")
    for label in ("false alarm", "drawn", *([] if certain else ["assumes"])):
        assert re.search(rf"^  {label}", text, re.MULTILINE), text


def test_each_kind_of_check_has_its_failure():
    assert len(CASES) == 10
    assert PAGE.count("\n## ") == 10
