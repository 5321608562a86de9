"""Convert LaTeX to static MathML that is safe to embed."""

from __future__ import annotations

import re
from functools import lru_cache
from xml.etree import ElementTree

from markupsafe import Markup, escape

from mehler.report.render._mathml_postprocess import set_type

_XMLNS = "http://www.w3.org/1998/Math/MathML"
# Elements of MathML Core that do not link, embed or act. latex2mathml passes the content of \text{}
# and \href{} through unescaped, so its output is parsed, checked and serialised anew.
_ELEMENTS = frozenset(
    [
        "math",
        "mrow",
        "mi",
        "mn",
        "mo",
        "mtext",
        "mspace",
        "mfrac",
        "msqrt",
        "mroot",
        "mstyle",
        "mpadded",
        "mphantom",
        "msub",
        "msup",
        "msubsup",
        "munder",
        "mover",
        "munderover",
        "mtable",
        "mtr",
        "mtd",
        "menclose",
    ]
)
_ATTRIBUTES = frozenset(
    [
        "accent",
        "accentunder",
        "columnalign",
        "depth",
        "displaystyle",
        "fence",
        "form",
        "height",
        "largeop",
        "linethickness",
        "lspace",
        "mathsize",
        "mathvariant",
        "maxsize",
        "minsize",
        "movablelimits",
        "notation",
        "rspace",
        "scriptlevel",
        "separator",
        "stretchy",
        "symmetric",
        "voffset",
        "width",
    ]
)


# The converter leaves the names of sized fences as they are.
_FENCES = {
    **{r"\{": "{", r"\}": "}", r"\|": "‖", r"\lbrace": "{", r"\rbrace": "}", r"\Vert": "‖"},
    **{r"\lceil": "⌈", r"\rceil": "⌉", r"\lfloor": "⌊", r"\rfloor": "⌋", r"\vert": "|"},
    **{r"\langle": "⟨", r"\rangle": "⟩", r"\lvert": "|", r"\rvert": "|"},
}
_QUADS = ("\\quad", "\\qquad")
_TOKENS = re.compile(r"\\[a-zA-Z]+|\\.|[{}]")


@lru_cache(maxsize=512)
def mathml(latex: str, display: bool = False) -> Markup:
    """Render LaTeX, without dollar signs, as MathML; show the source where that fails.

    `display` puts limits above and below and sets fractions in full size.
    """
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
        node.text = _FENCES.get(node.text or "", node.text)
        node.attrib = {k: v for k, v in node.attrib.items() if k in _ATTRIBUTES}
    set_type(tree, display)
    # The namespace is implied in HTML; the page positions formulas, so they stay inline.
    tree.attrib = {"displaystyle": "true"} if display else {}
    return tree


def formula(latex: str) -> Markup:
    r"""Render displayed mathematics as spans, one per piece.

    Lines may break between pieces, at ``\quad`` or after a comma and ``\;``.
    """
    pieces = [mathml(piece, True) for piece in _pieces(latex)]
    return Markup(" ").join(Markup('<span class="piece">{}</span>').format(p) for p in pieces)


def _pieces(latex: str) -> list[str]:
    """Split at quad spaces outside all groups."""
    pieces, depth, start = [], 0, 0
    for token in _TOKENS.finditer(latex):
        word = token.group()
        if word in ("{", "\\left", "\\begin"):
            depth += 1
        elif word in ("}", "\\right", "\\end"):
            depth -= 1
        elif depth == 0 and (word in _QUADS or (word == "\\;" and _ends_item(latex, token))):
            pieces.append(latex[start : token.start()])
            start = token.end()
    pieces.append(latex[start:])
    return [piece for piece in pieces if piece.strip()]


def _ends_item(latex: str, space: re.Match[str]) -> bool:
    return latex[: space.start()].rstrip().endswith(",")


def prose(text: str, ids: frozenset[str] = frozenset()) -> Markup:
    """Render a sentence with mathematics in ``$...$``; words among `ids` link to the element."""
    parts = re.split(r"\$([^$]+)\$", text)
    return Markup("").join(
        mathml(part) if i % 2 else _linked(part, ids) for i, part in enumerate(parts)
    )


def _linked(text: str, ids: frozenset[str]) -> Markup:
    words = re.split(r"([a-z0-9-]+(?:\.[a-z0-9-]+)+)", text)
    return Markup("").join(
        Markup('<a href="#{0}">{0}</a>').format(word) if word in ids else escape(word)
        for word in words
    )
