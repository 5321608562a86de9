"""Fix up latex2mathml output: letters of Unicode, primes, spacing, operators."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement

# First capital, small letter and digit of each alphabet; 0 where Unicode has none.
ALPHABETS = {
    "bold": (0x1D400, 0x1D41A, 0x1D7CE),
    "italic": (0x1D434, 0x1D44E, 0),
    "bold-italic": (0x1D468, 0x1D482, 0),
    "script": (0x1D49C, 0x1D4B6, 0),
    "bold-script": (0x1D4D0, 0x1D4EA, 0),
    "fraktur": (0x1D504, 0x1D51E, 0),
    "double-struck": (0x1D538, 0x1D552, 0x1D7D8),
    "bold-fraktur": (0x1D56C, 0x1D586, 0),
    "sans-serif": (0x1D5A0, 0x1D5BA, 0x1D7E2),
    "bold-sans-serif": (0x1D5D4, 0x1D5EE, 0x1D7EC),
    "sans-serif-italic": (0x1D608, 0x1D622, 0),
    "sans-serif-bold-italic": (0x1D63C, 0x1D656, 0),
    "monospace": (0x1D670, 0x1D68A, 0x1D7F6),
}
# First capital and small letter of the Greek alphabets, which run from Alpha and alpha to omega.
_GREEK = {
    "bold": (0x1D6A8, 0x1D6C2),
    "italic": (0x1D6E2, 0x1D6FC),
    "bold-italic": (0x1D71C, 0x1D736),
    "bold-sans-serif": (0x1D756, 0x1D770),
    "sans-serif-bold-italic": (0x1D790, 0x1D7AA),
}
# Letters that Unicode had before, under other names, and at whose places it has none.
_BEFORE = {
    "italic": {"h": "ℎ"},
    "script": dict(zip("BEFHILMRego", "ℬℰℱℋℐℒℳℛℯℊℴ")),
    "fraktur": dict(zip("CHIRZ", "ℭℌℑℜℨ")),
    "double-struck": dict(zip("CHNPQRZ", "ℂℍℕℙℚℝℤ")),
}


def styled(letter: str, variant: str) -> str:
    """Return a letter or digit of an alphabet, or the character itself where there is none.

    >>> styled("R", "script"), styled("E", "double-struck"), styled("+", "bold")
    ('ℛ', '𝔼', '+')
    """
    capital, small, digit = ALPHABETS[variant]
    if letter in _BEFORE.get(variant, {}):
        return _BEFORE[variant][letter]
    if "A" <= letter <= "Z":
        return chr(capital + ord(letter) - ord("A"))
    if "a" <= letter <= "z":
        return chr(small + ord(letter) - ord("a"))
    if "0" <= letter <= "9" and digit:
        return chr(digit + int(letter))
    if variant in _GREEK:
        greek_capital, greek_small = _GREEK[variant]
        if "Α" <= letter <= "Ω" and letter != "\u03a2":
            return chr(greek_capital + ord(letter) - ord("Α"))
        if "α" <= letter <= "ω":
            return chr(greek_small + ord(letter) - ord("α"))
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
