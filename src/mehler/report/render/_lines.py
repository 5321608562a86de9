"""Render results as lines for a terminal, and for continuous integration: JUnit, annotations."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple
from xml.etree import ElementTree

from mehler._plural import counted
from mehler._text import printable
from mehler.report._model import Report, Verification
from mehler.report.render._format import cells, count
from mehler.statements import Evidence


def lines(report: Report | Verification) -> tuple[str, ...]:
    """Render a result as lines of text, the headline first.

    Of a verification, checks that hold are named, and the kernel's and others have their numbers;
    of a report, what changed since the earlier one.

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
    structure = next((one for one in report.evidence if one.check == "structure"), None)
    if structure is not None and structure.check in quiet:
        remarks = (structure.reason.removesuffix("."), *_by_reason(structure.assumptions))
        texts += [f"  structure: {text}" for text in ["; ".join(filter(None, remarks))] if text]
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
        number = counted(len(changes), "change") if changes else "no changes"
        texts.append(f"  since {report.compared.date}: {number}")
        texts += [f"    {one.kind}: {one.what}: {one.before} -> {one.after}" for one in changes]
        texts += [f"    {note}" for note in report.compared.notes]
    return texts


def _by_reason(remarks: Sequence[str]) -> Iterator[str]:
    """Join what was not tried for one and the same reason."""
    parts = [re.fullmatch(r"not tried: (.*?) \((.*)\)", remark) for remark in remarks]
    reasons = dict.fromkeys(part[2] for part in parts if part)
    yield from (remark for remark, part in zip(remarks, parts) if not part)
    for reason in reasons:
        names = ", ".join(part[1] for part in parts if part and part[2] == reason)
        yield f"not tried: {names} ({reason})"


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
            places = (f"{key}={_short(value)}" for key, value in one.where.items())
            line += f", at {', '.join(places)}"
        line += f", {count(one.n_features)} features" if one.n_features else ""
        line += f", false alarm {one.false_alarm:g}" if one.false_alarm else ""
    return [line, f"  {one.reason}"] if one.reason else [line]


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


_Problem = Literal["", "error", "failure", "open"]
# All other outcomes are failures.
_PROBLEMS: dict[str, _Problem] = {"holds": "", "error": "error", "inconclusive": "open"}


class Outcome(NamedTuple):
    """The outcome of one test case; `problem` is empty if it is as expected."""

    group: str
    name: str
    status: str
    problem: _Problem
    message: str
    seconds: float = 0.0


def render_junit(report: Report | Verification) -> str:
    """Render the outcomes as a ``testsuites`` document of one suite."""
    cases = list(outcomes(report))
    errors = sum(case.problem == "error" for case in cases)
    numbers = {"tests": len(cases), "errors": errors}
    numbers["failures"] = sum(bool(case.problem) for case in cases) - errors
    totals = {"name": "mehler", **{name: str(n) for name, n in numbers.items()}}
    totals["time"] = f"{sum(case.seconds for case in cases):.3f}"
    root = ElementTree.Element("testsuites", totals)
    date = str(report.provenance["date"])[:19]
    suite = ElementTree.SubElement(root, "testsuite", totals, timestamp=date)
    for case in cases:
        place = {"classname": f"mehler.{printable(case.group)}", "name": printable(case.name)}
        element = ElementTree.SubElement(suite, "testcase", place, time=f"{case.seconds:.3f}")
        if case.problem:
            text = printable(case.message)
            tag = "error" if case.problem == "error" else "failure"
            said = {"type": case.status, "message": text.partition("\n")[0]}
            ElementTree.SubElement(element, tag, said).text = text
    ElementTree.indent(root)
    body = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'


def annotations(report: Report | Verification) -> tuple[str, ...]:
    """Render one line for each outcome that is not as expected, as GitHub's annotations.

    Parameters
    ----------
    report : Report or Verification
        The result to render.

    Returns
    -------
    tuple of str
        Lines to print in a workflow: ``::error`` for refutations and what could not run,
        ``::warning`` for what was not decided.
    """
    lines = []
    for outcome in outcomes(report):
        if outcome.problem:
            level = "warning" if outcome.problem == "open" else "error"
            title = _escaped(f"mehler: {outcome.name}").replace(":", "%3A").replace(",", "%2C")
            lines.append(f"::{level} title={title}::{_escaped(outcome.message)}")
    return tuple(lines)


def _escaped(text: str) -> str:
    # A percent sign first, since the others become percent signs and digits.
    return printable(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def outcomes(report: Report | Verification) -> Iterator[Outcome]:
    """Yield the outcomes of a report in order: those on the data, or of a map's checks, first."""
    if isinstance(report, Verification):
        group, checks = "verify", report.evidence
    else:
        group, checks = "data", report.data.evidence if report.data else ()
    for one in checks:
        message = f"{one.check}: {one.status}. {_details(one)}"
        problem = _PROBLEMS.get(one.status, "failure")
        yield Outcome(group, one.check, one.status, problem, message)
    for result in report.statements if isinstance(report, Report) else ():
        head = f"{result.id}: {result.verdict}, expected: {result.expected}"
        reasons = [f"{e.form} form, {e.check}: {e.status}. {_details(e)}" for e in result.evidence]
        # A statement that holds where another verdict is expected is a failure too.
        odd = _PROBLEMS.get(result.verdict, "failure") or "failure"
        yield Outcome(
            result.id.partition(".")[0],
            result.id,
            result.verdict,
            "" if result.as_expected else odd,
            "\n".join([head, *reasons]),
            result.seconds,
        )


def _details(evidence: Evidence) -> str:
    parts = [evidence.claim]
    if evidence.observed is not None and evidence.exact is not None:
        parts.append(f"observed {evidence.observed:.6g} against {evidence.exact:.6g}")
    if evidence.interval is not None:
        parts.append("interval [{:.6g}, {:.6g}]".format(*evidence.interval))
    parts += [evidence.reason] if evidence.reason else []
    return "; ".join(parts) + (f"\nreplay: {evidence.replay}" if evidence.replay else "")
