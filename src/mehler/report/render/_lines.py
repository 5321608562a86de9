"""Render results as lines for a terminal."""

from __future__ import annotations

from typing import Any

from mehler._text import printable
from mehler.report._model import Report, Verification
from mehler.report.render._format import cells, count
from mehler.statements import Evidence


def lines(found: Report | Verification) -> tuple[str, ...]:
    """Render a result as lines of text, the headline first.

    Of a verification, checks that hold are named; others are shown with numbers and reason. The
    first check, that of the kernel, always has its numbers. Of a report: what changed since the
    report that it was compared with.

    Parameters
    ----------
    found : Report or Verification
        The result of `run` or `verify_map`.

    Returns
    -------
    tuple of str
        The lines, without line ends.

    See Also
    --------
    run : Makes a report.
    verify_map : Makes a verification.
    """
    said = _of_report(found) if isinstance(found, Report) else _of_verification(found)
    # A name of the user's may hold a line end.
    return tuple(printable(" ".join(line.splitlines())) for line in said)


def _of_verification(found: Verification) -> list[str]:
    kernel = next((one for one in found.evidence if one.check in _KERNEL), None)
    shown = [one for one in found.evidence if one is kernel or one.status != "holds"]
    said = [found.headline, f"  map: {found.target}, taken for {found.assumed}"]
    said.append(f"  rows: {found.inputs}")
    for one in shown:
        said += [f"  {line}" for line in _of(one)]
    quiet = [one.check for one in found.evidence if one not in shown]
    if quiet:
        said.append(f"  {'also ' if kernel else ''}holds: {', '.join(quiet)}")
    # Remarks on how a map is built, and tests that it did not allow.
    structure = next((one for one in found.evidence if one.check == "structure"), None)
    if structure is not None and structure.check in quiet and structure.assumptions:
        said.append(f"  structure: {'; '.join(structure.assumptions)}")
    said.append(f"  told of the map: {found.declared}")
    rest = dict.fromkeys(word for one in shown for word in one.assumptions)
    if rest:
        said.append(f"  rests on: {'; '.join(rest)}")
    said += [f"  or: {cause.text}" for cause in found.causes[1:]]
    return said


def _of_report(found: Report) -> list[str]:
    said = [found.headline]
    if found.compared is not None:
        changes = found.compared.changes
        said.append(f"  since {found.compared.date}: {len(changes) or 'no'} changes")
        said += [f"    {one.kind}: {one.what}: {one.before} -> {one.after}" for one in changes]
        said += [f"    {note}" for note in found.compared.notes]
    return said


_KERNEL = ("kernel", "closeness")


def _of(one: Evidence) -> list[str]:
    """Return one line of numbers, and the reason if there is one."""
    numbers = cells(one)
    line = f"{one.check}: {one.status}"
    if one.observed is not None:
        line += f"; observed {numbers['observed']}"
        line += f" against {numbers['exact']}" if one.exact is not None else ""
        line += f", interval {numbers['interval']}" if one.interval is not None else ""
        if one.status == "refuted" and one.where:
            line += (
                f", at {', '.join(f'{key}={_short(value)}' for key, value in one.where.items())}"
            )
        line += f", {count(one.n_features)} features" if one.n_features else ""
        line += f", false alarm {one.false_alarm:g}" if one.false_alarm else ""
    return [line, f"  {one.reason}"] if one.reason else [line]


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
