"""Text for people: names without control characters, and what to install for an extra."""

import re
from collections.abc import Iterable, Sequence
from html import escape

# C0 and C1 controls but for tabs and ends of lines, marks and overrides of the direction of text,
# line separators, and what neither UTF-8 nor XML can hold.
_UNSAFE = re.compile(
    "\r(?!\n)|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"
    "\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe\uffff]"
)


def printable(text: str) -> str:
    r"""Escape characters that command a terminal or reorder a line, as ``\x1b`` or ``\u202e``."""
    return _UNSAFE.sub(lambda match: ascii(match[0])[1:-1], text)


def printable_json(text: str) -> str:
    r"""Escape the same characters of a JSON document as ``\u001b``, which is the same document."""
    return _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def install_command(extras: str) -> str:
    """Return how to install extras of mehler, which is on no index, such as ``"report,cli"``."""
    return f'pip install ".[{extras}]" in a checkout of mehler'


def html_table(heading: str, rows: Iterable[Sequence[object]], *below: str) -> str:
    """Return an HTML table for a notebook, escaped, with a heading and with lines below it."""
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(printable(str(cell)))}</td>' for cell in row)}</tr>"
        for row in rows
    )
    lines = "".join(f"<p>{escape(printable(line))}</p>" for line in below if line)
    return f"<p><strong>{escape(printable(heading))}</strong></p><table>{body}</table>{lines}"


class Listed:
    """A mixin for results with rows: the heading as ``repr``, a table in notebooks."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {str(self).partition(chr(10))[0]}>"

    def _repr_html_(self) -> str:
        heading, _, rest = str(self).partition("\n")
        listed = self.to_dict()["rows"]  # type: ignore[attr-defined]  # of its class
        rows = [[v for v in row.values() if isinstance(v, str | int) and v] for row in listed]
        return html_table(heading, rows, rest.rpartition("\n\n")[2])
