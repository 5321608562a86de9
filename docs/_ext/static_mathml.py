"""Formulas as static MathML: pages need neither a script nor a network to show them."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

from mehler.report.render._mathml import mathml

_logger = logging.getLogger(__name__)


def _render(node: nodes.Element, *, display: bool) -> str:
    html = mathml(node.astext(), display)
    if not html.startswith("<math"):
        _logger.warning("formula cannot be set: %s", node.astext(), location=node)
    return html


def visit_inline(translator: Any, node: nodes.math) -> None:
    translator.body.append(_render(node, display=False))
    raise nodes.SkipNode


def visit_block(translator: Any, node: nodes.math_block) -> None:
    translator.body.append(f'<div class="math-block">{_render(node, display=True)}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_html_math_renderer("static_mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
