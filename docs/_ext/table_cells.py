"""Lay out table cells, and let the keyboard scroll what is wider than the page."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

# Cells of more than 40 characters are kept wider than their longest word; long names may break.
_TEXT, _LONG_NAME = 40, '<span class="pre">[^<]{30,}'


def lay_out(_app: Sphinx, page: nodes.document) -> None:
    """Put no-break spaces around signs in the words of cells, not in code; mark long cells."""
    for entry in page.findall(nodes.entry):
        for text in list(entry.findall(nodes.Text)):
            if isinstance(text.parent, nodes.paragraph | nodes.strong | nodes.emphasis):
                joined = re.sub(" ([±=]) ", "\N{NO-BREAK SPACE}\\1\N{NO-BREAK SPACE}", text)
                text.parent.replace(text, nodes.Text(joined))
        if len(entry.astext()) > _TEXT:
            entry["classes"].append("long")


def reachable(
    _app: Sphinx, _page: str, _template: str, context: dict[str, Any], _tree: Any
) -> None:
    """Give tables, code and displays a place in the order of the Tab key."""
    body = str(context.get("body", "")).replace("<pre>", '<pre tabindex="0">')
    body = re.sub(_LONG_NAME, lambda name: re.sub("([/.])", r"\1<wbr>", name[0]), body)
    body = body.replace('<div class="table-wrapper', '<div tabindex="0" class="table-wrapper')
    body = body.replace('<th class="head"><p></p></th>', "<td></td>")  # a heading has words
    context["body"] = body.replace("<p><img ", '<p tabindex="0"><img ')
    tree = str(context.get("furo_navigation_tree", ""))  # a heading needs a level
    context["furo_navigation_tree"] = tree.replace(
        'role="heading"', 'role="heading" aria-level="2"'
    )


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("doctree-read", lay_out)
    app.connect("html-page-context", reachable, priority=900)  # after the theme
    return {"parallel_read_safe": True, "parallel_write_safe": True}
