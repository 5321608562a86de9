"""Counted nouns and their verb."""


def counted(n: int, noun: str) -> str:
    """Return a number with its noun, such as ``1 pair``, ``2 pairs`` or ``0 pairs``."""
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def be(n: int, *, past: bool = False) -> str:
    """Return the form of "be" for a number of things."""
    return ("was" if n == 1 else "were") if past else ("is" if n == 1 else "are")
