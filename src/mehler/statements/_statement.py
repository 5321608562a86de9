"""Statement: a claim in Markdown, as published and as proved (its forms), with their checks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

from mehler._text import html_table
from mehler._validate import (
    require_choice,
    require_flag,
    require_instance,
    require_iterable,
    require_mapping,
)
from mehler.statements._context import Context
from mehler.statements._evidence import FORMS, Evidence, Form

# Verdicts that a statement may expect; `verdict_of` says what each stands for.
RESTORED_HOLDS = "holds as restored"
RESTORED_REFUTED = "refuted as restored"
EXPECTATIONS = (
    "holds",
    "holds with constant",
    "refuted, repaired",
    "refuted",
    RESTORED_HOLDS,
    RESTORED_REFUTED,
    "not computable",
)
# Heading of the section with the claim, by the state of the source text: complete, without its
# formula, or absent, as for our own statements.
_CLAIMED = {"printed": "As printed", "lost": "As restored", "none": "Statement"}
_MISSING = {
    "place": "cite section, number and page or line, or say that the statement is ours",
    "hypotheses": "list all assumptions, or say that there are none",
    "ground": "give the basis of the verdict",
    "restored": "name the source of the restored formula",
    "fails": "say by which factor the restored form fails, and where first",
    "cause": "name the cause, in the same words for all statements that share it",
}
_REQUIRED = ("id", "source", "place", "expected", "hypotheses", "ground")
_KEYS = (*_REQUIRED, "copy", "restored", "fails", "cause", "note")
_ID = re.compile(r"[a-z0-9]+(?:[.-][a-z0-9]+)*")
_LINK = re.compile(r"\]\((?!\))([^)#\s]*)(#[^)\s]*)?\)")
_FORMULA = re.compile(r"\$\$(.+?)\$\$", re.DOTALL)
_FACTOR = re.compile(r"factor of (\d+\.?\d*)")  # in `fails`
_THIN = 1.1  # the paper may have had another formula, if a restored one fails by less
_STOP = re.compile(r"(?<!\\)\s*[.,;:]$")
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
        From a `Context`, the settings with all randomness, to `Evidence`, the measured interval.
    pays : bool
        Whether a call first pays for one test from the ledger, the budget of error rates. A check
        that computes, or that passes the ledger on, does not.
    """

    form: Form
    name: str
    run: Callable[[Context], Evidence]
    pays: bool = False

    def __post_init__(self) -> None:
        require_choice("form", self.form, FORMS)
        require_flag("pays", self.pays)

    def __call__(self, context: Context) -> Evidence:
        """Pay for the test, run it, and name form and check in the evidence."""
        if self.pays:
            context.pay(self.name)
        evidence = self.run(context)
        if not isinstance(evidence, Evidence):
            raise TypeError(f"the check returned {type(evidence).__name__}, not Evidence")
        if evidence.form not in ("", self.form):
            raise ValueError(f"a check of the {self.form} form returned {evidence.form} evidence")
        return replace(evidence, form=self.form, check=self.name)

    @property
    def origin(self) -> str:
        """Module and name of the function."""
        return f"{self.run.__module__}.{self.run.__qualname__}"


Run = TypeVar("Run", bound=Callable[..., Evidence])


def check(statement: str, *, form: Form, name: str, pays: bool = False) -> Callable[[Run], Run]:
    """Register ``run(context) -> Evidence`` as a check of the statement with this id.

    `Statement.read` gives it to the statement; `form`, `name` and `pays` are those of `Check`, and
    further arguments of the function need defaults.

    Examples
    --------
    >>> @check("paper.lemma-1", form="proved", name="at zero")
    ... def at_zero(context):
    ...     return Evidence.from_interval(
    ...         claim="cos 0 = 1", observed=1.0, interval=(1.0, 1.0), exact=1.0)
    """

    def register(run: Run) -> Run:
        new = Check(form=form, name=name, run=run, pays=pays)
        checks = _REGISTERED.setdefault(statement, {})
        first = checks.setdefault((form, name), new)
        if first.origin != new.origin:
            raise ValueError(
                f"{statement}: {new.origin} and {first.origin} are both the check {name!r} of the "
                f"{form} form: rename one"
            )
        checks[form, name] = new
        return run

    return register


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
        Section, number and equation, and the page or line in the source text.
    hypotheses : str
        All assumptions of the published statement, paraphrased; the checks satisfy them.
    ground : str
        Basis of the verdict, and how the checks satisfy the hypotheses.
    expected : str
        The expected verdict: ``"holds"``, ``"holds with constant"``, ``"refuted, repaired"``,
        ``"refuted"``, ``"holds as restored"``, ``"refuted as restored"`` or ``"not computable"``.
    sections : mapping
        Headings and Markdown with ``$math$``: ``"As printed"``, ``"As restored"`` or
        ``"Statement"``, by `copy`; then ``"What is wrong"``, ``"As it holds"`` and ``"Proof"``.
    checks : tuple of Check
        Checks of the forms.
    note : str
        Remarks; for a statement that is not computable, the reason.
    copy : {"printed", "lost", "none"}
        State of the published form in the source text. ``"lost"``: the formula is missing; its
        reconstruction is checked in the form ``"restored"`` and judged as restored.
        ``"none"``: there is no published form, as for our own statements.
    restored : str
        Source of a restored formula.
    fails : str
        Of a formula that is refuted as restored: by which factor it fails, and where first.
    cause : str
        Of such a formula: why it fails, in the same words for all statements that share the cause.

    Examples
    --------
    >>> Statement(id="paper.lemma-1", source="A paper, Lemma 1", place="Section 2, page 3",
    ...           hypotheses="x is positive.", title="A limit", expected="not computable",
    ...           ground="A proof.", note="No rate is claimed.",
    ...           sections={"As printed": r"For all such x, $$ x \to 0. $$"}).printed
    'x \\to 0'
    """

    id: str
    source: str
    place: str
    hypotheses: str
    title: str
    expected: str
    ground: str
    sections: Mapping[str, str]
    checks: tuple[Check, ...] = ()
    note: str = ""
    copy: str = "printed"
    restored: str = ""
    fails: str = ""
    cause: str = ""

    @property
    def printed(self) -> str:
        """The first display formula of the claim, in LaTeX on one line without a full stop."""
        return _formula(self.sections.get(_CLAIMED[self.copy], ""))

    @property
    def proved(self) -> str:
        """The first display formula of *As it holds*; empty without one."""
        return _formula(self.sections.get("As it holds", ""))

    def __repr__(self) -> str:
        return f"<Statement {self.id}: {self.title}; expected: {self.expected}>"

    def _repr_html_(self) -> str:
        """Return the source, the expected verdict and the formulas for a notebook."""
        rows = [("source", self.source), ("expected", self.expected)]
        rows += [(check.form, check.name) for check in self.checks]
        formulas = [f"$${latex}$$" for latex in (self.printed, self.proved) if latex]
        return html_table(f"{self.title} ({self.id})", rows, *formulas)

    @property
    def thin(self) -> bool:
        """Whether the first factor by which a restored formula fails is below 1.1."""
        factor = _FACTOR.search(self.fails)
        return factor is not None and float(factor[1]) < _THIN

    def __post_init__(self) -> None:
        object.__setattr__(self, "checks", require_iterable("checks", self.checks))
        object.__setattr__(self, "sections", dict(require_mapping("sections", self.sections)))
        require_instance("id", self.id, str)
        if not _ID.fullmatch(self.id):
            raise ValueError(
                f"id={self.id!r} is malformed: lower case words joined by dots and dashes, "
                "as in 'paper.theorem-1'"
            )
        for name in ("source", "place", "hypotheses", "title", "ground"):
            if not require_instance(name, getattr(self, name), str).strip():
                raise ValueError(f"{self.id}: {name} is empty: {_MISSING.get(name, 'say it')}")
        require_choice(f"{self.id}: copy", self.copy, tuple(_CLAIMED))
        if not self.printed:
            raise ValueError(
                f"{self.id}: section {_CLAIMED[self.copy]!r} has no display formula: give the "
                "claim between $$"
            )
        require_choice(f"{self.id}: expected", self.expected, EXPECTATIONS)
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
        """Reject the form "printed" for a formula that is missing from the source text."""
        forms = {check.form for check in self.checks}
        wrong = "printed" if self.copy == "lost" else "restored"
        if wrong in forms:
            raise ValueError(
                f"{self.id}: copy={self.copy!r} and a check of the {wrong} form: formulas missing "
                "from the source text are restored, all others printed or stated"
            )
        as_restored = self.expected in (RESTORED_HOLDS, RESTORED_REFUTED)
        if self.checks and as_restored != (self.copy == "lost"):
            raise ValueError(
                f"{self.id}: expected={self.expected!r} and copy={self.copy!r}: a formula is "
                "judged as restored if and only if the source text lacks it"
            )
        requirements = {
            "restored": self.copy == "lost",
            "fails": self.expected == RESTORED_REFUTED,
            "cause": self.expected == RESTORED_REFUTED,
        }
        for name, applies in requirements.items():
            if applies != bool(getattr(self, name).strip()):
                raise ValueError(
                    f"{self.id}: {name} is empty: {_MISSING[name]}"
                    if applies
                    else f"{self.id}: {name} belongs to restored formulas alone: leave it out"
                )

    @classmethod
    def read(cls, path: str | PathLike[str], checks: Iterable[Check] | None = None) -> Statement:
        """Read a statement from Markdown.

        Lines ``key: value`` between two lines ``---`` hold id, source, place, expected,
        hypotheses, ground, and where they apply copy, restored, fails, cause and note; indented
        lines continue a value. The first heading is the title, text below it the section
        ``"Setting"``. The section *Evidence* and what follows it are for the site alone.

        Links within the page and to other statements' files become ``#ID-SECTION`` and ``#ID``.

        Parameters
        ----------
        path : path
            The file, in UTF-8.
        checks : iterable of Check, optional
            By default those that `check` has registered for the id, printed forms first.
        """
        file = Path(path)
        values, body = _front_matter(file)
        missing = [key for key in _REQUIRED if not values.get(key)]
        unknown = [key for key in values if key not in _KEYS]
        if missing or unknown:
            words = f"lacks {', '.join(missing)}" if missing else f"has {', '.join(unknown)}"
            raise ValueError(f"{file}: the front matter {words}: its keys are {', '.join(_KEYS)}")
        if checks is None:
            registered = _REGISTERED.get(values["id"], {}).values()
            checks = sorted(registered, key=lambda check: FORMS.index(check.form))
        title, sections = _sections(file, body, values["id"])
        fields: dict[str, Any] = dict(values)
        return cls(title=title, sections=sections, checks=tuple(checks), **fields)


def _formula(text: str) -> str:
    first = _FORMULA.search(text)
    return _STOP.sub("", " ".join(first[1].split())) if first else ""


def _front_matter(path: Path) -> tuple[dict[str, str], list[str]]:
    """Return the values between the two lines ``---``, and the lines below them."""
    lines = path.read_text(encoding="utf-8").splitlines()
    if lines[:1] != ["---"] or "---" not in lines[1:]:
        raise ValueError(f"{path} has no front matter: begin with lines `key: value` between `---`")
    end = lines.index("---", 1)
    values: dict[str, str] = {}
    key = ""
    for line in lines[1:end]:
        if line[:1].isspace() and key:
            values[key] = f"{values[key]} {line.strip()}".strip()
            continue
        key, colon, value = line.partition(":")
        if not colon or key in values:
            raise ValueError(f"{path}: {line!r} is not a line `key: value` with a new key")
        values[key] = value.strip()
    return values, lines[end + 1 :]


def _sections(path: Path, lines: list[str], statement_id: str) -> tuple[str, dict[str, str]]:
    """Return the title, and the sections before *Evidence* by their headings."""
    title, heading, in_code = "", "Setting", False
    lines_of: dict[str, list[str]] = {heading: []}
    for line in lines:
        in_code ^= line.lstrip().startswith("```")
        if line.startswith("# ") and not in_code:
            title = title or line[2:].strip()
        elif line.startswith("## ") and not in_code:
            heading = line[3:].strip()
            if heading in lines_of:
                raise ValueError(f"{path}: section {heading!r} stands twice: rename one")
            if heading == "Evidence":
                break
            lines_of[heading] = []
        else:
            lines_of[heading].append(line)
    if not title:
        raise ValueError(f"{path}: no heading of the first level: give the title")
    texts = {heading: "\n".join(text).strip() for heading, text in lines_of.items()}
    return title, {name: _linked(text, path, statement_id) for name, text in texts.items() if text}


def _linked(text: str, path: Path, statement_id: str) -> str:
    """Replace links to files of statements, and within the page, by ``#ID`` and ``#ID-SECTION``."""

    def anchor(link: re.Match[str]) -> str:
        target = _id_of((path.parent / link[1]).resolve()) if link[1] else statement_id
        return f"](#{target}{(link[2] or '').replace('#', '-')})" if target else link[0]

    return _LINK.sub(anchor, text)


@cache
def _id_of(path: Path) -> str:
    """Return the id of the statement in a file; empty if it holds none."""
    if path.suffix != ".md" or not path.is_file():
        return ""
    has_values = path.read_text(encoding="utf-8").startswith("---\n")
    return _front_matter(path)[0].get("id", "") if has_values else ""


def verdict_of(evidence: Sequence[Evidence]) -> str:
    """Return the verdict on a statement from the evidence of all its checks.

    A refutation decides, whatever other checks of the same form left open. A check that raised is
    never hidden, nor an inconclusive one where the statement would hold without it.

    It is the first of these that applies:

    - ``"not computable"`` without evidence;
    - ``"proved form refuted"`` if a repair failed, which no statement expects;
    - ``"error"`` if a check raised;
    - ``"inconclusive"`` if a check of the proved form is, or one of the printed or restored form,
      and no other one of that form refutes;
    - ``"refuted, repaired"`` or ``"refuted"``, with a proved form that holds or without;
    - ``"refuted as restored"`` or ``"holds as restored"`` if the checked formula is a
      reconstruction of one missing in the source text;
    - ``"holds with constant"`` if only the proved form could be checked, because the printed one
      has a constant without a value; else ``"holds"``.

    Examples
    --------
    >>> printed = Evidence(form="printed", check="a", status="refuted", claim="x is 0")
    >>> proved = Evidence(form="proved", check="b", status="holds", claim="x is 1")
    >>> verdict_of([printed, proved])
    'refuted, repaired'
    >>> restored = Evidence(form="restored", check="a", status="refuted", claim="x is 0")
    >>> verdict_of([restored, proved])
    'refuted as restored'
    """
    statuses: dict[str, set[str]] = {"proved": set(), "printed": set(), "restored": set()}
    for i, item in enumerate(require_iterable("evidence", evidence)):
        if not require_instance(f"evidence[{i}]", item, Evidence).form:
            raise ValueError(f"evidence[{i}] has no form: take what a `Check` returns, or give it")
        statuses[item.form].add(item.status)
    proved, claimed = statuses["proved"], statuses["printed"] | statuses["restored"]
    if not proved | claimed:
        return "not computable"
    if "refuted" in proved:
        return "proved form refuted"
    if "error" in proved | claimed:
        return "error"
    refuted = "refuted" in claimed
    if "inconclusive" in proved or ("inconclusive" in claimed and not refuted):
        return "inconclusive"
    if statuses["restored"]:
        return RESTORED_REFUTED if refuted else RESTORED_HOLDS
    if refuted:
        return "refuted, repaired" if proved else "refuted"
    return "holds" if claimed else "holds with constant"
