"""Keep values in tables on one line: no line ends at the blanks of 0.98 ± 0.01 or of m = 100."""

from __future__ import annotations

import re

from docutils import nodes
from sphinx.application import Sphinx


def join_values(_app: Sphinx, page: nodes.document) -> None:
    """Put no-break spaces around signs in the words of table cells; code and formulas stay."""
    for entry in page.findall(nodes.entry):
        for text in list(entry.findall(nodes.Text)):
            if isinstance(text.parent, nodes.paragraph | nodes.strong | nodes.emphasis):
                joined = re.sub(" ([±=]) ", "\N{NO-BREAK SPACE}\\1\N{NO-BREAK SPACE}", text)
                text.parent.replace(text, nodes.Text(joined))


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("doctree-read", join_values)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
