"""Statement: the printed and the proved form of a claim, with checks of both."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from mehler._validate import require_instance, require_iterable
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
# State of the print in the copy that was read: complete, without its formula, or absent, as for our
# own statements.
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
        The form that is measured.
    name : str
        Short name of the check.
    run : callable
        ``run(context) -> Evidence``; takes all randomness from the context.

    See Also
    --------
    Statement : A statement with its checks.
    Context : The argument of `run`.
    """

    form: Form
    name: str
    run: Callable[[Context], Evidence]

    def __post_init__(self) -> None:
        if self.form not in FORMS:
            raise ValueError(f"form={self.form!r} is not one of {', '.join(FORMS)}")


@dataclass(frozen=True, kw_only=True)
class Statement:
    r"""A numbered statement: its printed and proved forms, and their checks.

    Parameters
    ----------
    id : str
        Lower case words joined by dots and dashes, such as ``"maxout.theorem-1-kernel"``.
    source : str
        Paper, number and equation.
    title : str
        A short title.
    place : str
        Section, number and equation, and the page or line of the copy that was read.
    hypotheses : str
        All assumptions of the print, paraphrased; the checks satisfy them.
    ground : str
        Basis of the verdict, and how the checks satisfy the hypotheses.
    copy : {"printed", "lost", "none"}
        State of the print in the copy that was read. ``"lost"``: its formula is missing;
        ``printed`` is then a reconstruction, its checks are of the form ``"restored"``, and the
        verdict is undecided. ``"none"``: there is no print to judge, as for our own statements.
    expected : str
        The expected verdict, one of `EXPECTATIONS`.
    printed, proved : str
        LaTeX mathematics without dollar signs; ``proved`` is empty if the print is right.
    printed_text, proved_text : str
        The same in a sentence of our own; like all texts below it may contain ``$math$``.
    flaw : str
        The error in the printed proof or formula; empty if there is none.
    proof : str
        A sketch of the proof of the proved form.
    checks : tuple of Check
        Checks of the forms.
    note : str
        Remarks; for a statement that is not computable, the reason.

    Raises
    ------
    ValueError
        If the id is malformed, a text is empty, the expectation is unknown or the checks cannot
        lead to it, or a missing formula is called printed.

    See Also
    --------
    Check : A check of one form.
    discover : Find the installed statements.

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
        object.__setattr__(self, "checks", require_iterable("checks", self.checks))
        require_instance("id", self.id, str)
        if not _ID.fullmatch(self.id):
            raise ValueError(
                f"id={self.id!r} is malformed: lower case words joined by dots and dashes, "
                "as in 'paper.theorem-1'"
            )
        for name in ("source", "place", "hypotheses", "title", "ground", "printed"):
            if not require_instance(name, getattr(self, name), str).strip():
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
        """Refuse to call a formula printed if the copy that was read does not show it."""
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
