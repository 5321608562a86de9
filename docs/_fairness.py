"""Write the page on fairness from the statements, and what is not legible into the errata.

``python docs/_fairness.py`` writes ``docs/fairness.md``: of every statement the place in its paper,
all that the print assumes, the verdict, and what it rests on. The table between the markers of
``docs/errata.md`` lists the formulas that the copies which were read have lost. A test holds both
to the statements, so that they cannot drift.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from mehler.proofs_checks import STATEMENTS
from mehler.statements import RESTORED_REFUTED, Statement

DOCS = Path(__file__).parent
BEGIN, END = "<!-- not legible: begin -->", "<!-- not legible: end -->"

# Prefix of the ids -> heading, and what the copy is.
PAPERS = {
    "maxout": (
        "Random maxout features",
        "Y. Mroueh, S. Rennie, V. Goel, *Random Maxout Features* (2015). The copy has all "
        "formulas.",
    ),
    "kitchen-sinks": (
        "Weighted sums of random kitchen sinks",
        "D. Sejdinovic's slides (2014) on A. Rahimi, B. Recht (2008). The copy has all formulas of "
        "the slides; the paper itself is not among the copies.",
    ),
    "leverage": (
        "Sampling by leverage scores",
        "S. Shahrampour, S. Kolouri, *On Sampling Random Features From Empirical Leverage Scores* "
        "(2019). The copy has the words and no formula, and ends in the proof of Lemma 7.",
    ),
    "fourier": (
        "Fourier features",
        "Known results and ours, stated here; no paper of this group is among the copies.",
    ),
    "features": (
        "Random features of any map",
        "Known results and ours, stated here; no paper of this group is among the copies.",
    ),
    "depth": (
        "Deep maxout networks",
        "Ours, and known results stated here; no paper of this group is among the copies.",
    ),
    "group-invariant": (
        "Group-invariant features",
        "Y. Mroueh, S. Voinea, T. Poggio, *Learning with Group Invariant Features: A Kernel "
        "Perspective* (2015). The copy has the words and no formula.",
    ),
}

HEAD = """# How published statements are read

Each published statement is checked under *all* of its stated hypotheses. A condition that the paper
does not state is not held against it.

The papers were read as plain text; line numbers are those of the text. Two of the four source texts
lack their formulas. Missing formulas are restored from context or from the literature, and judged
*as restored*: if your copy of the paper has the restored formula, the verdict is about it. Our own
statements, and well-known ones without a source text, are not verdicts on a paper.

- *refuted*: the source text has the formula, and a check inside its hypotheses excludes it.
  *Repaired*: another form is proved.
- *holds*: the source text has the formula, or it is our own statement, and no check excludes it.
  *With constant*: the formula leaves a constant open, and holds with one that is proved.
- *holds as restored*, *refuted as restored*: the source text has lost the formula. Of a formula
  that is refuted the entry says by which factor it fails and where first; *thin* is a factor below
  1.1. The paper may have had another formula.
"""

FOOT = """
This page is written by `python docs/_fairness.py` from the statements in `proofs_checks/`; a test
holds it to them.
"""


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
    parts = [HEAD, tally()]
    for family, (heading, copy) in PAPERS.items():
        own = [one for one in STATEMENTS if one.id.startswith(f"{family}.")]
        parts += [f"\n## {heading}\n\n{copy}\n", "\n\n".join(entry(one) for one in own)]
    return "\n".join([*parts, FOOT])


def not_legible() -> str:
    """The table of the formulas that the copies have lost."""
    rows = [
        f"| [{one.title}]({page_of(one)}) | {one.place} | {one.restored} | "
        f"{'refuted' if one.expected == RESTORED_REFUTED else 'holds'} |"
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
