"""A statement of a paper: as printed, as proved, and the checks of both."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from mehler.statements._context import Context
from mehler.statements._evidence import FORMS, Evidence, Form
from mehler.statements._verdict import RESTORED_HOLDS, RESTORED_REFUTED

EXPECTATIONS = (
    "holds",
    "holds with constant",
    "refuted, repaired",
    "refuted",
    RESTORED_HOLDS,
    RESTORED_REFUTED,
    "not computable",
)
# What the copy that was read has of the print: all of it, all but its formula, or nothing, as
# where the statement is ours.
COPIES = ("printed", "lost", "none")
_MISSING = {
    "place": "say where it stands, by section, number and page or line, or that it is ours",
    "hypotheses": "say all that is assumed, or that nothing is",
    "ground": "say what the verdict rests on",
}
_ID = re.compile(r"[a-z0-9]+(?:[.-][a-z0-9]+)*")


@dataclass(frozen=True, kw_only=True)
class Check:
    """A named function that measures one form of a statement.

    Parameters
    ----------
    form : {"printed", "restored", "proved"}
    name : str
        What is checked, in a few words.
    run : callable
        ``run(context) -> Evidence``. All its randomness comes from the context.
    """

    form: Form
    name: str
    run: Callable[[Context], Evidence]

    def __post_init__(self) -> None:
        if self.form not in FORMS:
            raise ValueError(f"form={self.form!r} is not one of {', '.join(FORMS)}")


@dataclass(frozen=True, kw_only=True)
class Statement:
    r"""One numbered statement: what is printed, what is proved, and how both are checked.

    Parameters
    ----------
    id : str
        Lower case words joined by dots and dashes, such as ``"maxout.theorem-1-kernel"``.
    source : str
        Paper, number and equation.
    title : str
    place : str
        Section, number and equation, and the page or line of the copy that was read.
    hypotheses : str
        All that the print assumes, in our own words; the checks run inside it.
    ground : str
        What the verdict rests on, and how the checks keep to the hypotheses.
    copy : {"printed", "lost", "none"}
        What the copy that was read has of the print. ``"lost"``: its formula is not there;
        ``printed`` then holds what was put back, its checks are of the form ``"restored"``, and
        the verdict is undecided. ``"none"``: nobody's print is judged, as where it is ours.
    expected : str
        One of `EXPECTATIONS`: the verdict that the checks must come to.
    printed, proved : str
        LaTeX mathematics without dollar signs; ``proved`` is empty where the print stands.
    printed_text, proved_text : str
        The same in a sentence of our own words; like all texts below it may hold ``$math$``.
    flaw : str
        Where the printed proof or formula fails; empty where it does not.
    proof : str
        A sketch of the proof of what is proved.
    checks : tuple of Check
    note : str
        Anything else; says why, where the statement is not computable.

    Raises
    ------
    ValueError
        A malformed id, an empty text, an unknown expectation, checks that cannot lead to it, or a
        formula that is lost and nevertheless called printed.

    Examples
    --------
    >>> Statement(id="paper.lemma-1", source="A paper, Lemma 1", place="Section 2, page 3",
    ...           hypotheses="x is positive.", title="A limit", expected="not computable",
    ...           ground="A proof.", printed=r"x \\to 0", note="No rate is claimed.").checks
    ()
    """

    id: str
    source: str
    place: str
    hypotheses: str
    title: str
    expected: str
    ground: str
    printed: str
    proved: str = ""
    printed_text: str = ""
    proved_text: str = ""
    flaw: str = ""
    proof: str = ""
    checks: tuple[Check, ...] = ()
    note: str = ""
    copy: str = "printed"

    def __post_init__(self) -> None:
        object.__setattr__(self, "checks", tuple(self.checks))
        if not _ID.fullmatch(self.id):
            raise ValueError(
                f"id={self.id!r} is malformed: lower case words joined by dots and dashes, "
                "as in 'paper.theorem-1'"
            )
        for name in ("source", "place", "hypotheses", "title", "ground", "printed"):
            if not getattr(self, name).strip():
                raise ValueError(f"{self.id}: {name} is empty: {_MISSING.get(name, 'say it')}")
        if self.expected not in EXPECTATIONS:
            raise ValueError(
                f"{self.id}: expected={self.expected!r} is not one of {'; '.join(EXPECTATIONS)}"
            )
        if (self.expected == "not computable") != (not self.checks):
            raise ValueError(
                f"{self.id}: a statement has checks, or is expected to be 'not computable', "
                f"not both or neither; it has {len(self.checks)} checks and expects "
                f"{self.expected!r}"
            )
        if self.expected == "not computable" and not self.note:
            raise ValueError(f"{self.id}: note is empty: say why the statement is not computable")
        self._require_fair_forms()

    def _require_fair_forms(self) -> None:
        """Refuse to call a formula printed that the copy that was read does not show."""
        if self.copy not in COPIES:
            raise ValueError(f"{self.id}: copy={self.copy!r} is not one of {', '.join(COPIES)}")
        forms = {check.form for check in self.checks}
        wrong = "printed" if self.copy == "lost" else "restored"
        if wrong in forms:
            raise ValueError(
                f"{self.id}: copy={self.copy!r} and a check of the {wrong} form: what the copy has "
                "lost is restored, everything else is printed or stated"
            )
        undecided = self.expected in (RESTORED_HOLDS, RESTORED_REFUTED)
        if self.checks and undecided != (self.copy == "lost"):
            raise ValueError(
                f"{self.id}: expected={self.expected!r} and copy={self.copy!r}: the verdict is "
                "undecided exactly where the formula is lost"
            )
