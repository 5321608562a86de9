"""Write the page on coverage: every item of the four papers, and what there is for it.

``python docs/_coverage.py`` writes ``docs/coverage.md`` from ``docs/_coverage.txt``: the
head, then a line for each item: name, place, what there is, and where no statement or experiment
shows it, verdict and test. Verdicts of statements are the statements' own. A test compares the page
with this list, and its names with the package.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from mehler.proofs_checks import STATEMENTS

DOCS = Path(__file__).parent
SOURCE, PAGE = DOCS / "_coverage.txt", DOCS / "coverage.md"

VERDICTS = {statement.id: statement.expected for statement in STATEMENTS}
_ID = re.compile(
    r"(?<![`.\w/])(?:maxout|leverage|kitchen-sinks|group-invariant|fourier|features|depth)"
    r"\.[a-z0-9-]+"
)
_NAME = re.compile(r"`(mehler\.[\w.]+)`")
_EXPERIMENT = re.compile(r"reproduce:([a-z0-9-]+)")


@dataclass(frozen=True)
class Item:
    """An item of a paper: `have` names functions, statements and experiments."""

    name: str
    place: str
    have: str
    verdict: str
    test: str

    @property
    def statements(self) -> list[str]:
        """Ids of statements."""
        return _ID.findall(self.have)

    @property
    def experiments(self) -> list[str]:
        """Names of experiments."""
        return _EXPERIMENT.findall(self.have)

    @property
    def extent(self) -> str:
        """How much of the item there is: whole, partial or none."""
        word = self.judged.split(":")[0]
        return word if word in ("partial", "none") else "whole"

    @property
    def ours(self) -> bool:
        """Whether the item is a result of this package, not of the paper."""
        return self.name.endswith("ours)")

    @property
    def names(self) -> list[str]:
        """Dotted names of the package."""
        return _NAME.findall(self.have)

    @property
    def verdicts(self) -> list[str]:
        """The verdict that is given, else those of the statements, or of the experiment."""
        if self.verdict:
            return [self.verdict]
        return list(dict.fromkeys(VERDICTS[name] for name in self.statements)) or ["measured"]

    @property
    def judged(self) -> str:
        """The verdicts in one line."""
        return "; ".join(self.verdicts)

    @property
    def command(self) -> str:
        """The command that shows it."""
        commands = [f"mehler reproduce {name}" for name in self.experiments]
        commands += [f"mehler report --statements {name}" for name in self.statements]
        if self.test:
            commands.append(f"pytest {self.test}")
        return f"`{commands[0]}`" if commands else ""

    def row(self) -> str:
        """Return the row of the table."""
        have = _EXPERIMENT.sub(lambda at: f"[`{at[1]}`](experiments/{at[1]}.md)", self.have)
        have = _ID.sub(lambda at: f"[`{at[0]}`]({page_of(at[0])})", have)
        have = _NAME.sub(r"{py:obj}`\1`", have)
        cells = (self.name, self.place, have, self.judged, self.command)
        return f"| {' | '.join(cells)} |"


def page_of(identifier: str) -> str:
    """Return the page of a statement, from the folder of this page."""
    name = identifier.replace("maxout.", "").replace(".", "-")
    return f"theorems/{name}.md"


def items(text: str) -> list[tuple[str, str, list[Item]]]:
    """Return the papers: heading, a line on the source text, and the items."""
    papers: list[tuple[str, str, list[Item]]] = []
    for paper in re.split(r"^# ", text, flags=re.MULTILINE)[1:]:
        heading, source, *lines = (line for line in paper.splitlines() if line.strip())
        rows = []
        for line in lines:
            cells = [cell.strip() for cell in line.split(" | ")]
            rows.append(Item(*(cells + [""] * (5 - len(cells)))))
        papers.append((heading, source, rows))
    return papers


def page(text: str) -> str:
    """Return the page."""
    head = re.split(r"^# ", text, flags=re.MULTILINE)[0].rstrip("\n")
    parts = [f"# Coverage of the papers\n\n{head}\n", _counts(items(text))]
    for heading, source, rows in items(text):
        parts += [f"\n## {heading}\n\n{source}\n"]
        parts += ["| item | where | what there is | verdict | command |", "|---|---|---|---|---|"]
        parts += [item.row() for item in rows]
    parts += [
        "\nThis page is written by `python docs/_coverage.py`; a test compares it with the package."
    ]
    return "\n".join(parts) + "\n"


def _counts(papers: list[tuple[str, str, list[Item]]]) -> str:
    """Return the table of the numbers of items."""
    lines = [
        "| paper | items | of the paper | ours | whole | partial | none |",
        "|---|---|---|---|---|---|---|",
    ]
    for heading, _, rows in (*papers, ("all", "", [item for p in papers for item in p[2]])):
        ours = sum(item.ours for item in rows)
        extents = [item.extent for item in rows]
        counts = (len(rows), len(rows) - ours, ours)
        counts += tuple(extents.count(word) for word in ("whole", "partial", "none"))
        lines.append(f"| {heading} | {' | '.join(map(str, counts))} |")
    return "\n".join(lines)


if __name__ == "__main__":
    PAGE.write_text(page(SOURCE.read_text(encoding="utf-8")), encoding="utf-8")
