"""Pages of statements: Markdown with front matter, as sections with their formulas."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_REQUIRED = ("id", "source", "place", "expected", "hypotheses", "ground")
_KEYS = (*_REQUIRED, "copy", "note")
_LINK = re.compile(r"\]\((?!\))([^)#\s]*)(#[^)\s]*)?\)")
_FORMULA = re.compile(r"\$\$(.+?)\$\$", re.DOTALL)
_STOP = re.compile(r"(?<!\\)\s*[.,;:]$")
_FENCE = re.compile(r"\s*```")


@dataclass(frozen=True)
class Section:
    """A heading of the second level and the Markdown below it."""

    heading: str
    text: str

    @property
    def formula(self) -> str:
        """The first display formula, on one line and without a full stop; empty without one."""
        first = _FORMULA.search(self.text)
        return _STOP.sub("", " ".join(first[1].split())) if first else ""

    @property
    def prose(self) -> str:
        """The text without its first display formula."""
        return _FORMULA.sub("", self.text, count=1).strip()


@dataclass(frozen=True)
class Page:
    """The front matter, title and sections of a file; the first section has no heading."""

    path: Path
    values: dict[str, str]
    title: str
    sections: tuple[Section, ...]

    @classmethod
    def read(cls, path: Path) -> Page:
        """Read a file, or raise ValueError for what it lacks."""
        values, body = front_matter(path)
        missing = [key for key in _REQUIRED if not values.get(key)]
        other = [key for key in values if key not in _KEYS]
        if missing or other:
            words = f"lacks {', '.join(missing)}" if missing else f"has {', '.join(other)}"
            raise ValueError(f"{path}: the front matter {words}: its keys are {', '.join(_KEYS)}")
        heads = [i for i, line in enumerate(body) if line.startswith("## ")]
        fences = [i for i, line in enumerate(body) if _FENCE.match(line)]
        # A line is in a block of code if an odd number of fences stand above it.
        heads = [i for i in heads if sum(fence < i for fence in fences) % 2 == 0]
        parts = [body[i:j] for i, j in zip([0, *heads], [*heads, len(body)], strict=True)]
        titles = [line[2:].strip() for line in parts[0] if line.startswith("# ")]
        if len(titles) != 1:
            raise ValueError(
                f"{path}: {len(titles)} headings of the first level: give one, the title"
            )
        own = values["id"]
        first = [line for line in parts[0] if not line.startswith("# ")]
        texts = [("", first), *((part[0][3:].strip(), part[1:]) for part in parts[1:])]
        sections = tuple(
            Section(heading, _linked("\n".join(lines).strip(), path, own))
            for heading, lines in texts
        )
        names = [one.heading for one in sections]
        if len(set(names)) < len(names):
            raise ValueError(f"{path}: a section stands twice among {', '.join(names[1:])}")
        return cls(path, values, titles[0], sections)

    def section(self, *headings: str) -> Section:
        """Return the first section with one of these headings; an empty one without any."""
        return next((one for one in self.sections if one.heading in headings), Section("", ""))

    def until(self, heading: str) -> tuple[Section, ...]:
        """Return the sections with a text up to this one."""
        names = [one.heading for one in self.sections]
        if heading not in names:
            raise ValueError(f"{self.path}: no section {heading!r}: write it")
        return tuple(one for one in self.sections[: names.index(heading) + 1] if one.text)


def front_matter(path: Path) -> tuple[dict[str, str], list[str]]:
    """Return the values between the two lines ``---``, and the lines below them."""
    lines = path.read_text(encoding="utf-8").splitlines()
    if lines[:1] != ["---"] or "---" not in lines[1:]:
        raise ValueError(f"{path} has no front matter: begin with lines `key: value` between `---`")
    end = lines.index("---", 1)
    values: dict[str, str] = {}
    key = ""
    for line in lines[1:end]:
        if line[:1].isspace():
            values[key] = f"{values[key]} {line.strip()}".strip()
            continue
        key, colon, value = line.partition(":")
        if not colon or key in values:
            raise ValueError(f"{path}: {line!r} is no line `key: value` of a new key")
        values[key] = value.strip()
    return values, lines[end + 1 :]


@cache
def id_of(path: Path) -> str:
    """Return the id of the statement in a file; empty if it holds none."""
    if path.suffix != ".md" or not path.is_file():
        return ""
    with path.open(encoding="utf-8") as file:
        return front_matter(path)[0].get("id", "") if file.readline() == "---\n" else ""


def _linked(text: str, path: Path, own: str) -> str:
    """Replace links to files of statements, and within the page, by ``#ID`` and ``#ID-SECTION``."""

    def anchor(link: re.Match[str]) -> str:
        target = id_of((path.parent / link[1]).resolve()) if link[1] else own
        return f"](#{target}{(link[2] or '').replace('#', '-')})" if target else link[0]

    return _LINK.sub(anchor, text)
