"""Render the Markdown of statements: CommonMark, tables and mathematics, no HTML, no addresses."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from mehler.report._model import StatementResult
from mehler.report.render._mathml import formula, mathml

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_HEADING = re.compile(r"^#{3,} (.+)$", re.MULTILINE)


def anchor(statement: str, heading: str) -> str:
    """Return the anchor of a heading; those of a page of many statements carry the id."""
    return f"{statement}-{re.sub(r'[^a-z0-9 -]', '', heading.lower()).strip().replace(' ', '-')}"


def anchors(statements: Iterable[StatementResult]) -> frozenset[str]:
    """Return all targets of links on a page with these statements."""
    targets = set()
    for one in statements:
        targets.add(one.id)
        for heading, text in one.sections.items():
            targets |= {anchor(one.id, each) for each in (heading, *_HEADING.findall(text))}
    return frozenset(targets)


def markdown(text: str, statement: str, targets: frozenset[str]) -> Markup:
    """Return a section as HTML; a link that leads off the page becomes its text."""
    tokens = _parser().parse(text)
    for i, token in enumerate(tokens):
        if token.type in ("heading_open", "heading_close"):
            # The sections' own headings are of the fourth level, as in the article's outline.
            token.tag = f"h{min(6, int(token.tag[1]) + 2)}"
        if token.type == "heading_open":
            token.attrs["id"] = anchor(statement, tokens[i + 1].content)
        if token.children:
            token.children = _without_addresses(token.children, targets)
    parser = _parser()
    return Markup(parser.renderer.render(tokens, parser.options, {}))


def _without_addresses(tokens: Sequence[Token], targets: frozenset[str]) -> list[Token]:
    kept, open_links = [], []
    for token in tokens:
        if token.type == "link_open":
            open_links.append(str(token.attrs.get("href", "")).removeprefix("#") in targets)
        if token.type not in ("link_open", "link_close") or open_links[-1]:
            kept.append(token)
        if token.type == "link_close":
            open_links.pop()
    return kept


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt
    from mdit_py_plugins.dollarmath import dollarmath_plugin

    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    # What would load or lead to something outside the file stays text.
    parser.disable(["image", "autolink", "html_inline", "html_block"])
    parser.use(dollarmath_plugin, allow_labels=False, double_inline=True)
    parser.add_render_rule("math_inline", _rule(lambda latex: mathml(latex)))
    display: Callable[[str], Markup] = Markup('<span class="display math">{}</span>').format
    parser.add_render_rule("math_inline_double", _rule(lambda latex: display(formula(latex))))
    block: Callable[[str], Markup] = Markup('<p class="display math">{}</p>\n').format
    parser.add_render_rule("math_block", _rule(lambda latex: block(formula(latex))))
    return parser


def _rule(render: Callable[[str], Markup]) -> Any:
    return lambda renderer, tokens, i, options, env: str(render(tokens[i].content.strip()))
