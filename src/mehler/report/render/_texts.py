"""Render the texts of statements: Markdown as HTML, and LaTeX as static MathML that is safe."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from markupsafe import Markup, escape

from mehler.report._model import StatementResult

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

# Characters of LaTeX from which a formula may be wider than a page, and be scrolled by keys.
_WIDE, _WIDE_IN_TEXT = 60, 32
_HEADING = re.compile(r"^#{3,} (.+)$", re.MULTILINE)


def anchor(statement: str, heading: str) -> str:
    """Return the HTML id of a heading, which begins with that of its statement."""
    return f"{statement}-{re.sub(r'[^a-z0-9 -]', '', heading.lower()).strip().replace(' ', '-')}"


def anchors(statements: Iterable[StatementResult]) -> frozenset[str]:
    """Return all HTML ids on a page with these statements, the targets of its links."""
    targets = set()
    for statement in statements:
        targets.add(statement.id)
        for heading, text in statement.sections.items():
            targets |= {anchor(statement.id, title) for title in (heading, *_HEADING.findall(text))}
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
        if token.type == "th_open" and not tokens[i + 1].content:  # no heading, and not read as one
            token.tag = tokens[i + 2].tag = "td"
        elif token.type == "th_open" and re.fullmatch(r"\$[^$]+\$", tokens[i + 1].content):
            token.attrs["aria-label"] = tokens[i + 1].content[1:-1]  # a formula alone has no name
        if token.children:
            token.children = _without_addresses(token.children, targets)
    parser = _parser()
    html = parser.renderer.render(tokens, parser.options, {}).replace("<pre>", '<pre tabindex="0">')
    return Markup(re.sub('<th( aria-label="[^"]*")><math>', r"<th><math\1>", html))


def _without_addresses(tokens: Sequence[Token], targets: frozenset[str]) -> list[Token]:
    inner, inside = [], False
    for token in tokens:  # no link is inside another
        if token.type == "link_open":
            inside = str(token.attrs.get("href", "")).removeprefix("#") in targets
        if inside or token.type not in ("link_open", "link_close"):
            inner.append(token)
    return inner


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt
    from mdit_py_plugins.dollarmath import dollarmath_plugin

    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    # What would load or lead to something outside the file stays text.
    parser.disable(["image", "autolink", "html_inline", "html_block"])
    parser.use(dollarmath_plugin, allow_labels=False, double_inline=True)
    wrappers = {
        "math_inline": "{}",
        "math_inline_double": '<span class="display math">{}</span>',
        "math_block": '<p class="display math">{}</p>\n',
    }
    for name, wrapper in wrappers.items():
        parser.add_render_rule(name, _rule(inline if name == "math_inline" else formula, wrapper))
    return parser


def _rule(render: Callable[[str], Markup], wrapper: str) -> Any:
    wrap = Markup(wrapper).format
    return lambda renderer, tokens, i, options, env: str(wrap(render(tokens[i].content.strip())))


_XMLNS = "http://www.w3.org/1998/Math/MathML"
# Elements of MathML Core that do not link, embed or act. latex2mathml passes the content of \text{}
# and \href{} through unescaped, so its output is parsed, checked and serialised anew.
_ELEMENTS = frozenset([
    "math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "mfrac", "msqrt", "mroot", "mstyle",
    "mpadded", "mphantom", "msub", "msup", "msubsup", "munder", "mover", "munderover", "mtable",
    "mtr", "mtd", "menclose"
])  # fmt: skip
_ATTRIBUTES = frozenset([
    "accent", "accentunder", "columnalign", "depth", "displaystyle", "fence", "form", "height",
    "largeop", "linethickness", "lspace", "mathsize", "mathvariant", "maxsize", "minsize",
    "movablelimits", "notation", "rspace", "scriptlevel", "separator", "stretchy", "symmetric",
    "voffset", "width"
])  # fmt: skip
# The converter leaves the names of sized fences as they are, and a tilde in ASCII.
_SIGNS = {r"\{": "{", r"\}": "}", r"\|": "‖", r"\lceil": "⌈", r"\rceil": "⌉", "~": "∼"}


@cache
def mathml(latex: str, display: bool = False) -> Markup:
    """Render LaTeX, without dollar signs, as MathML, or show its source where that fails."""
    from latex2mathml.converter import convert

    if not latex.strip():
        return Markup("")
    try:
        tree = ElementTree.fromstring(convert(latex, display="block" if display else "inline"))
        return Markup(ElementTree.tostring(_clean(tree, display), encoding="unicode"))
    except Exception:  # the converter may raise anything on third-party LaTeX
        return Markup('<code class="latex">{}</code>').format(latex)


def _clean(tree: ElementTree.Element, display: bool) -> ElementTree.Element:
    for node in tree.iter():
        node.tag = node.tag.removeprefix(f"{{{_XMLNS}}}")
        if node.tag not in _ELEMENTS:
            raise ValueError(f"<{node.tag}> is not mathematics")
        node.text = _SIGNS.get(node.text or "", node.text)
        node.attrib = {k: v for k, v in node.attrib.items() if k in _ATTRIBUTES}
    # The namespace is implied in HTML; the page positions formulas, so they stay inline.
    tree.attrib = {"displaystyle": "true"} if display else {}
    return tree


# Letters in italics, which browsers draw by characters of their own.
_ITALICS = {*range(0x1D434, 0x1D468), *range(0x1D6E2, 0x1D71C), ord("ℎ")}


def glyphs(html: str) -> str:
    """Return a font with the characters of a page, from matplotlib's STIX, as a rule of CSS."""
    from fontTools import subset, ttLib
    from matplotlib import get_data_path

    font = ttLib.TTFont(f"{get_data_path()}/fonts/ttf/STIXGeneral.ttf", recalcTimestamp=False)
    excerpt = subset.Subsetter()
    excerpt.options.drop_tables += ["FFTM"]  # of the editor; it would warn
    excerpt.populate(unicodes={*map(ord, html), *_ITALICS})
    excerpt.subset(font)
    font.flavor = "woff"
    font.save(file := io.BytesIO())
    data = base64.b64encode(file.getvalue()).decode()
    return f"@font-face {{ font-family: glyphs; src: url(data:font/woff;base64,{data}); }}"


def formula(latex: str) -> Markup:
    """Render displayed mathematics, which scrolls where it is wider than the page."""
    attribute = Markup(' tabindex="0"' if len(latex) > _WIDE else "")
    return Markup('<span class="piece"{}>{}</span>').format(attribute, mathml(latex, True))


def inline(latex: str) -> Markup:
    """Render mathematics in a sentence, which scrolls too where it is long."""
    piece = Markup('<span class="piece" tabindex="0">{}</span>').format
    return piece(mathml(latex)) if len(latex) > _WIDE_IN_TEXT else mathml(latex)


def prose(text: str, ids: frozenset[str] = frozenset(), marked: bool = False) -> Markup:
    """Render a sentence with mathematics in ``$...$``; words among `ids` link to the element.

    Of `marked` sentences, those of statements, ``*...*`` is emphasis and backquotes are code.
    """
    parts = re.split(_MARKED if marked else r"(\$[^$]+\$)", text)
    links = [_linked(part, ids) for part in parts[::2]]
    parts[1::2] = [_MARKS[part[0]](part[1:-1]) for part in parts[1::2]]
    parts[::2] = links
    return Markup("").join(parts)


_MARKED = r"(\$[^$]+\$|`[^`]+`|\*\w[^*]*\*)"
_MARKS: dict[str, Callable[[str], Markup]] = {
    "$": inline,
    "`": Markup("<code>{}</code>").format,
    "*": Markup("<em>{}</em>").format,
}


def _linked(text: str, ids: frozenset[str]) -> Markup:
    words = re.split(r"([a-z0-9-]+(?:\.[a-z0-9-]+)+)", text)
    return Markup("").join(
        Markup('<a href="#{0}">{0}</a>').format(word) if word in ids else escape(word)
        for word in words
    )
