"""Formulas as static MathML: pages need neither a script nor a network to show them."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx


def to_mathml(latex: str, *, display: str) -> str:
    """LaTeX without delimiters to one <math> element.

    The converter writes ``\\sim`` as an identifier with an ASCII tilde, which browsers set too
    high: it is a relation. Bars come out as operators with space on both sides; here they are
    fences.
    """
    html = convert(latex, display=display)
    html = html.replace("<mi>&#x0007E;</mi>", "<mo>&#x0223C;</mo>")
    for bar in ("&#x0007C;", "&#x02016;"):
        html = html.replace(
            f'stretchy="false">{bar}', f'stretchy="false" lspace="0" rspace="0">{bar}'
        )
    return html


def visit_inline(translator: Any, node: nodes.math) -> None:
    translator.body.append(to_mathml(node.astext(), display="inline"))
    raise nodes.SkipNode


def visit_block(translator: Any, node: nodes.math_block) -> None:
    translator.body.append(
        f'<div class="math-block">{to_mathml(node.astext(), display="block")}</div>\n'
    )
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_html_math_renderer("static_mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
