"""Render results as lines for a terminal."""

from __future__ import annotations

from typing import Any

from mehler._text import printable
from mehler.report._model import Report, Verification
from mehler.report.render._format import cells, count
from mehler.statements import Evidence


def lines(report: Report | Verification) -> tuple[str, ...]:
    """Render a result as lines of text, the headline first.

    Of a verification, checks that hold are named; others are shown with numbers and reason. The
    first check, that of the kernel, always has its numbers. Of a report: what changed since the
    report that it was compared with.

    Parameters
    ----------
    report : Report or Verification
        The result of `run` or `verify_map`.

    Returns
    -------
    tuple of str
        The lines, without line ends.
    """
    texts = _of_report(report) if isinstance(report, Report) else _of_verification(report)
    # A name of the user's may hold a line end.
    return tuple(printable(" ".join(line.splitlines())) for line in texts)


def _of_verification(report: Verification) -> list[str]:
    kernel = next((one for one in report.evidence if one.check in _KERNEL), None)
    shown = [one for one in report.evidence if one is kernel or one.status != "holds"]
    texts = [report.headline, f"  map: {report.target}, taken for {report.assumed}"]
    texts.append(f"  rows: {report.inputs}")
    for one in shown:
        texts += [f"  {line}" for line in _of(one)]
    quiet = [one.check for one in report.evidence if one not in shown]
    if quiet:
        texts.append(f"  {'also ' if kernel else ''}holds: {', '.join(quiet)}")
    # Remarks on how a map is built, and tests that it did not allow.
    structure = next((one for one in report.evidence if one.check == "structure"), None)
    if structure is not None and structure.check in quiet and structure.assumptions:
        texts.append(f"  structure: {'; '.join(structure.assumptions)}")
    texts.append(f"  declared: {report.declared}")
    rest = dict.fromkeys(word for one in shown for word in one.assumptions)
    if rest:
        texts.append(f"  assumed: {'; '.join(rest)}")
    texts += [f"  or: {cause.text}" for cause in report.causes[1:]]
    return texts


def _of_report(report: Report) -> list[str]:
    texts = [report.headline]
    if report.compared is not None:
        changes = report.compared.changes
        texts.append(f"  since {report.compared.date}: {len(changes) or 'no'} changes")
        texts += [f"    {one.kind}: {one.what}: {one.before} -> {one.after}" for one in changes]
        texts += [f"    {note}" for note in report.compared.notes]
    return texts


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
