"""Texts of statements, wrapped in the source and one line in the report."""


def prose(text: str) -> str:
    """Join the lines of a text.

    Examples
    --------
    >>> prose('''One line
    ...     and another.''')
    'One line and another.'
    """
    return " ".join(text.split())
