"""Write the page on fairness from the statements, and what is not legible into the errata.

``python docs/_fairness.py`` writes ``docs/fairness.md``: of every statement the place in its paper,
all published assumptions, the verdict, and its basis. The table between the markers of
``docs/errata.md`` lists the formulas that the copies which were read have lost. A test holds both
to the statements, so that they cannot drift.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from mehler.proofs_checks import STATEMENTS
from mehler.statements import RESTORED_REFUTED, Statement

DOCS = Path(__file__).parent
# How a restored form fared; a definition, or a text with too many gaps, is no claim to be judged.
_FARED = {RESTORED_REFUTED: "refuted", "not computable": "not judged"}
# The head of the page; for each prefix of ids a heading, and what the source text is; the foot.
TEXTS = re.split(r"^# ", (DOCS / "_fairness.txt").read_text(encoding="utf-8"), flags=re.MULTILINE)
PAPERS = {
    family: (heading, source.strip())
    for family, heading, source in (re.split(r": |\n\n", text, maxsplit=2) for text in TEXTS[2:-1])
}
BEGIN, END = "<!-- not legible: begin -->", "<!-- not legible: end -->"


def page_of(statement: Statement) -> str:
    """Path of a statement's page, from the documentation's root."""
    family, _, name = statement.id.partition(".")
    return f"theorems/{'' if family == 'maxout' else f'{family}-'}{name}.md"


def tally() -> str:
    """How many statements have which verdict."""
    found = Counter(one.expected for one in STATEMENTS)
    rows = [f"| {verdict} | {n} |" for verdict, n in found.most_common()]
    head = ["| verdict | statements |", "|---|---|"]
    return "\n".join([*head, *rows, f"| all | {len(STATEMENTS)} |"])


def entry(statement: Statement) -> str:
    """One statement: verdict, place, hypotheses, ground."""
    lines = [
        f"### {statement.id}",
        "",
        f"[{statement.title}]({page_of(statement)}). **{statement.expected}**",
        "",
        f"- *Place:* {statement.place}.",
        f"- *Assumes:* {statement.hypotheses}",
        f"- *Ground:* {statement.ground}",
    ]
    if statement.restored:
        lines.append(f"- *Restored from:* {statement.restored}")
    if statement.fails:
        thin = " *Thin.*" if statement.thin else ""
        lines.append(f"- *Fails:* {statement.fails}{thin} Cause: {statement.cause}.")
    return "\n".join(lines)


def page() -> str:
    """The whole page."""
    parts = [f"# {TEXTS[1]}".rstrip("\n") + "\n", tally()]
    for family, (heading, source) in PAPERS.items():
        own = [one for one in STATEMENTS if one.id.startswith(f"{family}.")]
        parts += [f"\n## {heading}\n\n{source}\n", "\n\n".join(entry(one) for one in own)]
    return "\n".join([*parts, "", TEXTS[-1].partition("\n\n")[2]])


def not_legible() -> str:
    """The table of the formulas that the copies have lost."""
    rows = [
        f"| [{one.title}]({page_of(one)}) | {one.place} | {one.restored} | "
        f"{_FARED.get(one.expected, 'holds')} |"
        for one in STATEMENTS
        if one.copy == "lost"
    ]
    head = ["| statement | place | restored from | restored form |", "|---|---|---|---|"]
    return "\n".join([*head, *rows])


def errata(text: str) -> str:
    """The errata with the table brought up to date."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{not_legible()}\n\n{END}{after}"


if __name__ == "__main__":
    (DOCS / "fairness.md").write_text(page(), encoding="utf-8")
    target = DOCS / "errata.md"
    target.write_text(errata(target.read_text(encoding="utf-8")), encoding="utf-8")
