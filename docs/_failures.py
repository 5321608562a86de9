"""Write what each failing test prints into the page of its code: ``python docs/_failures.py``.

A test holds each output to 25 lines, and the page to what the tests print.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

PAGE = Path(__file__).with_name("failing-tests.md")
_SETUP = re.compile(r"```python\n(.*?)```", re.DOTALL)
# A heading, a test that fails (blocks of this form are not run with the page), what it prints.
_CASE = re.compile(
    r"^## ([^\n]+)\n\n```\{code-block\} python\n\n(.*?)```\n\n```text\nAssertionError: (.*?)\n```",
    re.DOTALL | re.MULTILINE,
)


def cases(page: str) -> dict[str, tuple[str, str]]:
    """Return the tests of a page by their headings, with what is printed there."""
    return {heading: (body, shown) for heading, body, shown in _CASE.findall(page)}


def printed(page: str, body: str) -> str:
    """Return what a failing test prints."""
    scope: dict[str, Any] = {}
    exec(_SETUP.findall(page)[0], scope)
    try:
        exec(body, scope)
    except AssertionError as failure:
        return str(failure)
    raise RuntimeError(f"a test passes: {body}")


def page(text: str) -> str:
    """Return a page whose outputs are those of today."""
    for body, shown in cases(text).values():
        text = text.replace(shown, printed(text, body))
    return text


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
