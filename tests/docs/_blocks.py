"""Python code blocks of Markdown pages."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """The source of one ```python block and the line on which it starts."""

    source: str
    line: int

    @property
    def is_doctest(self) -> bool:
        return self.source.lstrip().startswith(">>>")


def pages() -> list[Path]:
    """README, all pages of the site and of statements; what a build wrote is not among them."""
    site = sorted(p for p in (ROOT / "docs").rglob("*.md") if "_build" not in p.parts)
    pages = [p for p in site if not p.read_text(encoding="utf-8").startswith("% Made from")]
    return [ROOT / "README.md", *pages, *sorted((ROOT / "proofs_checks").rglob("*.md"))]


def blocks(text: str) -> list[Block]:
    return [
        Block(match[1], text.count("\n", 0, match.start(1)) + 1) for match in _BLOCK.finditer(text)
    ]
