"""Fix up latex2mathml output: letters of Unicode, primes, spacing, operators."""

from __future__ import annotations

import contextlib
import re
import unicodedata
from xml.etree.ElementTree import Element, SubElement

# Alphabets by their names in Unicode, where letters are "MATHEMATICAL FRAKTUR SMALL A".
ALPHABETS = {
    "bold": "BOLD",
    "italic": "ITALIC",
    "bold-italic": "BOLD ITALIC",
    "script": "SCRIPT",
    "bold-script": "BOLD SCRIPT",
    "fraktur": "FRAKTUR",
    "double-struck": "DOUBLE-STRUCK",
    "bold-fraktur": "BOLD FRAKTUR",
    "sans-serif": "SANS-SERIF",
    "bold-sans-serif": "SANS-SERIF BOLD",
    "sans-serif-italic": "SANS-SERIF ITALIC",
    "sans-serif-bold-italic": "SANS-SERIF BOLD ITALIC",
    "monospace": "MONOSPACE",
}
# Letters that Unicode had before have these names, but for Planck's constant.
_BEFORE = {"FRAKTUR": "BLACK-LETTER"}


def styled(letter: str, variant: str) -> str:
    """Return a letter or digit of an alphabet, or the character itself where there is none.

    >>> styled("R", "script"), styled("E", "double-struck"), styled("+", "bold")
    ('ℛ', '𝔼', '+')
    """
    style = ALPHABETS[variant]
    if letter == "h" and style == "ITALIC":
        return "ℎ"
    name = re.sub("LATIN |GREEK |LETTER ", "", unicodedata.name(letter, ""))
    for prefix in (f"MATHEMATICAL {style}", _BEFORE.get(style, style)):
        with contextlib.suppress(KeyError):
            return unicodedata.lookup(f"{prefix} {name}")
    return letter


_PRIMES = frozenset("′″‴")
_SIGNS = frozenset("-−+±∓")
_OPENING = frozenset("([{⟨")
_CLOSING = frozenset(")]}⟩")
_BARS = frozenset("|∣‖∥")
# Operators whose subscripts go below them in displayed formulas.
_LIMITS = frozenset({"max", "min", "lim", "sup", "inf", "argmax", "argmin"})
_SCRIPTS = frozenset({"msub", "msup", "msubsup", "munder", "mover", "munderover"})
_THIN = "0.1667em"


def set_type(tree: Element, display: bool) -> None:
    """Fix primes, names, signs and slashes of a tree in place; `display` puts limits below."""
    for node in list(tree.iter()):
        _characters(node)
        _primes(node)
        if display and node.tag == "msub" and _text(node[0]) in _LIMITS:
            node.tag = "munder"
    for node in list(tree.iter()):
        if node.tag in ("math", "mrow", "mtd", "msqrt", "mstyle", "mpadded"):
            _signs(node)
            _names(node)


def _text(node: Element) -> str:
    return (node.text or "").strip()


def _characters(node: Element) -> None:
    _alphabet(node)
    if node.tag in ("mi", "mo") and _text(node) == "~":
        node.tag, node.text = "mo", "∼"  # as a relation, for its spacing
    if node.tag == "mo" and _text(node) in ("/", "|"):
        node.attrib |= {"lspace": "0", "rspace": "0"}
    if node.tag == "mo" and _is_name(node):
        node.tag, node.attrib = "mi", {}


def _alphabet(node: Element) -> None:
    """Replace letters of a mathvariant by the characters of Unicode; browsers know only these."""
    variant = node.attrib.get("mathvariant", "normal")
    if variant in ALPHABETS:
        node.text = "".join(styled(letter, variant) for letter in node.text or "")
    if variant != "normal":
        del node.attrib["mathvariant"]


def _is_name(node: Element) -> bool:
    text = _text(node)
    return node.tag in ("mi", "mo") and len(text) > 1 and text.isascii() and text.isalpha()


def _primes(node: Element) -> None:
    """Move primes out of superscripts, since fonts already draw them raised and small."""
    if node.tag not in ("msup", "msubsup"):
        return
    mark = node[-1]
    if not _text(mark) or set(_text(mark)) - _PRIMES:
        return
    base = node[0]
    body = Element("mrow")
    body.append(base)
    SubElement(body, "mo", {"lspace": "0", "rspace": "0"}).text = _text(mark)
    node.remove(base)
    node.remove(mark)
    node.insert(0, body)
    node.tag = "mrow" if node.tag == "msup" else "msub"


def _signs(row: Element) -> None:
    """Mark signs after a bracket, a comma, a relation or nothing as prefix operators."""
    before: Element | None = None
    for node in row:
        if node.tag == "mo" and _text(node) in _SIGNS:
            after_operator = before is not None and before.tag == "mo"
            closed = before is not None and _text(before) in _CLOSING | _BARS | _PRIMES | {"!"}
            if before is None or (after_operator and not closed):
                node.attrib |= {"form": "prefix", "lspace": "0", "rspace": "0"}
        before = node


def _names(row: Element) -> None:
    """Insert thin spaces between function names and their neighbours, but not at brackets."""
    index = 0
    while index < len(row):
        node = row[index]
        if _is_named(node):
            if index + 1 < len(row) and _is_ordinary(row[index + 1], opening=False):
                row.insert(index + 1, Element("mspace", {"width": _THIN}))
            if index > 0 and _is_ordinary(row[index - 1], opening=True):
                row.insert(index, Element("mspace", {"width": _THIN}))
                index += 1
        index += 1


def _is_named(node: Element) -> bool:
    if node.tag in _SCRIPTS and len(node):
        return _is_named(node[0])
    return _is_name(node)


def _is_ordinary(node: Element, opening: bool) -> bool:
    """Whether a neighbour is a symbol or a group; before a name, also a closing bracket."""
    if node.tag == "mspace":
        return False
    if node.tag in _SCRIPTS and len(node):
        return _is_ordinary(node[0], opening)
    if node.tag == "mo":
        return opening and _text(node) in _CLOSING
    return opening or not (node.tag == "mrow" and len(node) and _text(node[0]) in _OPENING)
