"""Statement: the printed and the proved form of a claim, with checks of both."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

from mehler._validate import require_flag, require_instance, require_iterable
from mehler.statements._context import Context
from mehler.statements._evidence import FORMS, Evidence, Form
from mehler.statements._page import Page
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
# Checks by the id of their statement, in the order in which their modules were imported.
_REGISTERED: dict[str, dict[tuple[str, str], Check]] = {}


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
    pays : bool
        Whether calling the check pays for one test from the ledger before it runs. A check that
        computes, or that passes the ledger on, does not.

    See Also
    --------
    check : Register a function as a check.
    Context : The argument of `run`.
    """

    form: Form
    name: str
    run: Callable[[Context], Evidence]
    pays: bool = False

    def __post_init__(self) -> None:
        if self.form not in FORMS:
            raise ValueError(f"form={self.form!r} is not one of {', '.join(FORMS)}")
        require_flag("pays", self.pays)

    def __call__(self, context: Context) -> Evidence:
        """Pay for the test and run it."""
        if self.pays:
            context.pay(self.name)
        return self.run(context)


Run = TypeVar("Run", bound=Callable[..., Evidence])


def check(statement: str, *, form: Form, name: str, pays: bool = False) -> Callable[[Run], Run]:
    """Register a function as a check of a statement.

    The function itself is returned as it is. `Statement.read` takes what is registered for its id.

    Parameters
    ----------
    statement : str
        Id of the statement.
    form, name, pays
        As of `Check`.

    Returns
    -------
    callable
        A decorator of ``run(context) -> Evidence``; further arguments need defaults.

    Raises
    ------
    ValueError
        If another function has this name and form, or the form is unknown.

    Examples
    --------
    >>> @check("paper.lemma-1", form="proved", name="at zero")
    ... def at_zero(context):
    ...     return Evidence.exact_comparison(
    ...         form="proved", claim="cos 0 = 1", observed=1.0, interval=(1.0, 1.0), exact=1.0,
    ...         method="computed")
    """

    def register(run: Run) -> Run:
        checks = _REGISTERED.setdefault(statement, {})
        first = checks.get((form, name))
        if first is not None and _origin(first.run) != _origin(run):
            raise ValueError(
                f"{statement}: {_origin(run)} and {_origin(first.run)} are both the check "
                f"{name!r} of the {form} form: rename one"
            )
        checks[form, name] = Check(form=form, name=name, run=run, pays=pays)
        return run

    return register


def _origin(run: Callable[..., Evidence]) -> str:
    return f"{run.__module__}.{run.__qualname__}"


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
    sections : sequence of (str, str)
        Headings and texts in Markdown with ``$math$``, up to the proof, as reports show them; by
        default made of the texts above.

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
    sections: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "checks", require_iterable("checks", self.checks))
        object.__setattr__(self, "sections", tuple(self.sections) or self._made_of_texts())
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

    def _made_of_texts(self) -> tuple[tuple[str, str], ...]:
        texts = {
            _CLAIMED.get(self.copy, ""): _with_formula(self.printed_text, self.printed),
            "What is wrong": self.flaw,
            "As it holds": _with_formula(self.proved_text, self.proved),
            "Proof": self.proof,
        }
        return tuple((heading, text) for heading, text in texts.items() if text)

    @classmethod
    def read(cls, path: str | PathLike[str], checks: Iterable[Check] | None = None) -> Statement:
        r"""Read a statement from Markdown.

        Lines ``key: value`` between two lines ``---`` hold id, source, place, expected,
        hypotheses, ground, and where they apply copy and note; indented lines continue a value.
        The first heading is the title. The sections are *As printed*, *As restored* or
        *Statement*, then *What is wrong*, *As it holds*, *Proof* and *Evidence*. The first
        display formula of a section is its short form, `printed` or `proved`.

        Parameters
        ----------
        path : path
            The file, in UTF-8.
        checks : iterable of Check, optional
            By default those that `check` has registered for the id.

        Returns
        -------
        Statement
            Its `sections` end with the proof; links to other statements are ``#ID``.

        Raises
        ------
        ValueError
            If the file has no front matter, or lacks a key or a section, or says a thing twice.
        """
        page = Page.read(Path(path))
        heading = _CLAIMED.get(page.values.get("copy", "printed"), "")
        registered = _REGISTERED.get(page.values["id"], {}).values()
        claimed, proved = page.section(heading), page.section("As it holds")
        values: dict[str, Any] = dict(page.values)
        return cls(
            **values,
            title=page.title,
            printed=claimed.formula,
            printed_text=claimed.prose,
            proved=proved.formula,
            proved_text=proved.prose,
            flaw=page.section("What is wrong").text,
            proof=page.section("Proof").text,
            sections=tuple((one.heading or "Setting", one.text) for one in page.until("Proof")),
            checks=tuple(
                sorted(registered, key=lambda one: FORMS.index(one.form))
                if checks is None
                else checks
            ),
        )


# Heading of the section with the claim, by the state of the print in the copy that was read.
_CLAIMED = {"printed": "As printed", "lost": "As restored", "none": "Statement"}


def _with_formula(text: str, formula: str) -> str:
    return "\n\n".join(part for part in (text, formula and f"$$ {formula} $$") if part)
