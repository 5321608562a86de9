"""Write the table of the page on reading: awkward files, and what is read of each.

``python docs/_reading.py`` makes the files, reads them, and replaces the table.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from mehler.report import load_rows  # noqa: E402  # beside the tests, whose files these are
from tests.report.awkward_files import FILES, File  # noqa: E402

PAGE = ROOT / "docs" / "reading.md"
_BEGIN, _END = "<!-- table -->\n", "<!-- end of table -->\n"


def outcome(file: File, folder: Path) -> str:
    """Make and read a file; return what was read, or the refusal."""
    path = folder / file.name
    file.make(path)
    try:
        found = load_rows(path, **file.options)
    except ValueError as error:
        return "refused: " + str(error).replace(f"DATA={str(path)!r}", "DATA")
    return found.lines()[0].removeprefix(f"{file.name}: ") + ": " + ", ".join(found.columns)


def table() -> str:
    """Markdown of all files."""
    lines = ["| file | options | read |", "| --- | --- | --- |"]
    with tempfile.TemporaryDirectory() as folder:
        for file in FILES:
            options = ", ".join(f"`{name}={value!r}`" for name, value in file.options.items())
            read = outcome(file, Path(folder)).replace("|", "\\|").replace("_", "\\_")
            lines.append(f"| `{file.name}`: {file.what} | {options} | {read} |")
    return "\n".join(lines) + "\n"


def page(text: str) -> str:
    """Return the page with its table made again."""
    before, rest = text.split(_BEGIN)
    return before + _BEGIN + "\n" + table() + "\n" + _END + rest.split(_END)[1]


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
