"""Let docstrings write |x| for a length: reStructuredText would read a substitution."""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx


def escape_bars(
    _app: Sphinx, _what: str, _name: str, _obj: Any, _options: Any, lines: list[str]
) -> None:
    """Escape bars in prose, in place; math directives, their bodies and inline math stay."""
    math_indent: int | None = None
    for number, line in enumerate(lines):
        indent = len(line) - len(line.lstrip())
        if line.lstrip().startswith(".. math::"):
            math_indent = indent
        elif line.strip() and math_indent is not None and indent <= math_indent:
            math_indent = None
        if math_indent is None and ":math:" not in line:
            lines[number] = re.sub(r"(?<!\\)\|", r"\\|", line)


def setup(app: Sphinx) -> dict[str, bool]:
    # After numpydoc, which needs the raw sections (priority 500 is the default).
    app.connect("autodoc-process-docstring", escape_bars, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
