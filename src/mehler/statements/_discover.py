"""Find the statements (claims, with their checks) of installed packages, and list them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from mehler._validate import require_instance, require_iterable
from mehler.statements._statement import Statement

GROUP = "mehler.statements"
# The form (version of the claim) that a verdict is about, by `copy`, the state of the source text.
_OF = {
    "printed": "the published form",
    "lost": "a restored form: the formula is not in the source text",
    "none": "our own form: there is no published one",
}
# Words of `summary`: by `copy`; by the verdict (see `verdict_of`), in singular and plural.
_HEADS = {"printed": "published form{} judged", "lost": "restored", "none": "of our own"}
_PLURALS = {
    "holds": ("holds", "hold"),
    "holds as restored": ("holds", "hold"),
    "holds with constant": ("with a constant",) * 2,
    "refuted, repaired": ("refuted and repaired",) * 2,
    "refuted as restored": ("does not", "do not"),
}
_NUMERALS = ("no", "one", "two", "three", "four", "five", "six")
_LABEL = re.compile(
    r"(?P<paper>.*?\(\d{4}\)), (?P<label>(?:Theorem|Lemma|Corollary|Proposition|Definition|"
    r"Remark|Algorithm|Example) \d+)"
)


def discover(glob: str = "*", *, sources: Iterable[EntryPoint] | None = None) -> list[Statement]:
    """Find the installed statements whose id matches a glob.

    A package provides statements through an entry point of the group ``mehler.statements`` that
    names a module with ``STATEMENTS``, a sequence of `Statement`.

    Parameters
    ----------
    glob : str
        Shell pattern over ids, such as ``"maxout.*"``.
    sources : iterable of importlib.metadata.EntryPoint, optional
        Sources to use instead of the installed ones.

    Returns
    -------
    list of Statement
        Sorted by entry point name, then in the order of the module.

    Examples
    --------
    >>> discover("no.such-*", sources=())
    Traceback (most recent call last):
        ...
    ValueError: statements='no.such-*' is a glob that matches no id; sources are empty
    """
    statements: dict[str, Statement] = {}
    origin: dict[str, str] = {}
    require_instance("glob", glob, str)
    points = entry_points(group=GROUP) if sources is None else require_iterable("sources", sources)
    for i, point in enumerate(points):
        if not all(hasattr(point, part) for part in ("name", "value", "load")):
            raise TypeError(f"sources[{i}] is {type(point).__name__}: give entry points")
    for point in sorted(points, key=lambda point: (point.name, point.value)):
        label = f"{point.name} = {point.value}"
        for statement in _load(point, label):
            if statement.id in statements:
                raise ValueError(
                    f"statement id {statement.id!r} is defined twice, by {origin[statement.id]} "
                    f"and by {label}: rename one or uninstall its package"
                )
            statements[statement.id] = statement
            origin[statement.id] = label
    matches = [statements[key] for key in statements if fnmatchcase(key, glob)]
    if not matches:
        none = "no statements are installed" if sources is None else "sources are empty"
        ids = f"the ids are {', '.join(statements)}" if statements else none
        raise ValueError(f"statements={glob!r} is a glob that matches no id; {ids}")
    return matches


def _load(point: EntryPoint, label: str) -> tuple[Statement, ...]:
    try:
        module = point.load()
    except Exception as error:  # a third party's import may raise anything
        raise ValueError(
            f"the statements of {label} do not import ({type(error).__name__}: {error}): "
            "repair or uninstall that package"
        ) from error
    statements = tuple(getattr(module, "STATEMENTS", ()))
    if not statements or not all(isinstance(statement, Statement) for statement in statements):
        raise ValueError(
            f"the module of {label} has no STATEMENTS, a sequence of mehler.statements.Statement: "
            "repair or uninstall that package"
        )
    return statements


def entries(statements: Sequence[Statement]) -> list[dict[str, Any]]:
    """Return one entry for each published statement, since several of ours may be its parts.

    Each part has its id, title, expected verdict, what that is about, and the checks by their form;
    of a restored claim that is refuted, by how much it fails, and the cause.
    """
    parts_of: dict[str, list[dict[str, Any]]] = {}
    for statement in statements:
        match = None if statement.copy == "none" else _LABEL.match(statement.source)
        source = f"{match['paper']}, {match['label']}" if match else statement.source
        checks: dict[str, list[str]] = {}
        for check in statement.checks:
            checks.setdefault(check.form, []).append(check.name)
        part = {name: getattr(statement, name) for name in ("id", "title", "expected", "place")}
        if statement.copy == "lost":
            part |= {"formula": statement.printed, "restored": statement.restored}
        if statement.fails:
            part |= {"fails": statement.fails, "cause": statement.cause}
        parts_of.setdefault(source, []).append(
            {**part, "of": _OF[statement.copy], "checks": checks}
        )
    return [{"statement": name, "parts": parts} for name, parts in parts_of.items()]


def summary(verdicts: Iterable[tuple[str, str, str]]) -> str:
    """Count verdicts, triples of a state of the source text, a verdict and its cause, on one line.

    Published forms, restored ones and our own statements are counted apart. Refutations of restored
    forms have the number of their causes, since one slip may be behind several.
    """
    cases = list(verdicts)
    computable = [case for case in cases if case[1] != "not computable"]
    texts = []
    for copy, head in _HEADS.items():
        counter = Counter(verdict for state, verdict, _ in computable if state == copy)
        if not counter:
            continue
        causes = len({cause for state, _, cause in computable if state == copy and cause})
        plural = "s" * (counter.total() != 1)
        counts = [f"{n} {_PLURALS.get(v, (v, v))[n > 1]}" for v, n in sorted(counter.items())]
        number = _NUMERALS[causes] if causes < len(_NUMERALS) else causes
        why = f", for {number} reason{'s' * (causes > 1)}" * (causes > 0)
        texts.append(f"{counter.total()} {head.format(plural)}: {', '.join(counts)}{why}")
    if len(computable) < len(cases):
        texts.append(f"{len(cases) - len(computable)} not computable")
    return ". ".join(texts)


def listing(statements: Sequence[Statement]) -> str:
    """Return the entries as indented lines, below a line that counts the expected verdicts."""
    lines = [summary((s.copy, s.expected, s.cause) for s in statements)]
    for entry in entries(statements):
        lines.append(entry["statement"])
        for part in entry["parts"]:
            lines += [
                f"  {part['id']}: {part['title']}",
                f"    {part['expected']}; the verdict is of {part['of']}",
                *(f"    {form}: {'; '.join(names)}" for form, names in part["checks"].items()),
                *([f"    if your copy reads {part['formula']}"] if "formula" in part else []),
                *(f"    {word}: {part[word]}" for word in ("restored", "fails") if word in part),
            ]
    return "\n".join(lines)
