"""Texts of statements, wrapped in the source and on one line in the report."""


def prose(text: str) -> str:
    """Join the lines of a text."""
    return " ".join(text.split())
