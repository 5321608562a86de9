"""Unicode's mathematical letters, which MathML Core expects in the place of mathvariant."""

from __future__ import annotations

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
