"""Render results as lines for a terminal, and for continuous integration: JUnit, annotations."""

import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple
from xml.etree import ElementTree

from mehler._text import printable
from mehler.report._model import Report, Verification
from mehler.report.render._format import cells, count
from mehler.statements import Evidence


def lines(report: Report | Verification) -> tuple[str, ...]:
    """Render a result as lines of text, the headline first.

    Of a verification, checks that hold are named, and the kernel's and others have their numbers.
    """
    texts = [report.headline] if isinstance(report, Report) else _of_verification(report)
    # A name of the user's may hold a line end.
    return tuple(printable(" ".join(line.splitlines())) for line in texts)


def _of_verification(report: Verification) -> list[str]:
    kernel = next((one for one in report.evidence if one.check in ("kernel", "closeness")), None)
    shown = [one for one in report.evidence if one is kernel or one.status != "holds"]
    texts = [report.headline, f"  map: {report.target}, taken for {report.assumed}"]
    texts.append(f"  rows: {report.inputs}")
    texts += [f"  {line}" for one in shown for line in _of(one)]
    quiet = {one.check: one for one in report.evidence if one not in shown}
    if quiet:
        texts.append(f"  {'also ' if kernel else ''}holds: {', '.join(quiet)}")
    if structure := quiet.get("structure"):
        remarks = [structure.reason.removesuffix("."), *_by_reason(structure.assumptions)]
        texts += [f"  structure: {text}" for text in ["; ".join(filter(None, remarks))] if text]
    texts.append(f"  declared: {report.declared}")
    if rest := dict.fromkeys(word for one in shown for word in one.assumptions):
        texts.append(f"  assumed: {'; '.join(rest)}")
    return texts + [f"  or: {cause.text}" for cause in report.causes[1:]]


def _by_reason(remarks: Sequence[str]) -> Iterator[str]:
    """Join what was not tried for one and the same reason."""
    parts = [re.fullmatch(r"not tried: (.*?) \((.*)\)", remark) for remark in remarks]
    reasons = dict.fromkeys(part[2] for part in parts if part)
    yield from (remark for remark, part in zip(remarks, parts) if not part)
    for reason in reasons:
        names = ", ".join(part[1] for part in parts if part and part[2] == reason)
        yield f"not tried: {names} ({reason})"


def _of(one: Evidence) -> list[str]:
    """Return one line of numbers, and the reason if there is one."""
    numbers = cells(one)
    line = f"{one.check}: {one.status}"
    if one.observed is not None:
        line += f"; observed {numbers['observed']}"
        line += f" against {numbers['exact']}" if one.exact is not None else ""
        line += f", interval {numbers['interval']}" if one.interval is not None else ""
        if one.status == "refuted" and one.where:
            places = one.where.items()
            short = (f"{k}={v:.4g}" if isinstance(v, float) else f"{k}={v}" for k, v in places)
            line += f", at {', '.join(short)}"
        line += f", {count(one.n_features)} features" if one.n_features else ""
        line += f", false alarm {one.false_alarm:g}" if one.false_alarm else ""
    return [line, f"  {one.reason}"] if one.reason else [line]


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
    failures = sum(bool(case.problem) for case in cases) - errors
    totals = {"name": "mehler", "tests": str(len(cases)), "errors": str(errors)}
    totals |= {"failures": str(failures), "time": f"{sum(case.seconds for case in cases):.3f}"}
    root = ElementTree.Element("testsuites", totals)
    date = str(report.provenance["date"])[:19]
    suite = ElementTree.SubElement(root, "testsuite", totals, timestamp=date)
    for case in cases:
        place = {"classname": f"mehler.{printable(case.group)}", "name": printable(case.name)}
        element = ElementTree.SubElement(suite, "testcase", place, time=f"{case.seconds:.3f}")
        if case.problem:
            text = printable(case.message)
            tag = "error" if case.problem == "error" else "failure"
            about = {"type": case.status, "message": text.partition("\n")[0]}
            ElementTree.SubElement(element, tag, about).text = text
    ElementTree.indent(root)
    body = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'


def annotations(report: Report | Verification) -> tuple[str, ...]:
    """Render each outcome that is not as expected as ``::error`` or ``::warning`` of GitHub."""
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
        problem = "" if result.as_expected else odd
        group, text = result.id.partition(".")[0], "\n".join([head, *reasons])
        yield Outcome(group, result.id, result.verdict, problem, text, result.seconds)


def _details(evidence: Evidence) -> str:
    parts = [evidence.claim]
    if evidence.observed is not None and evidence.exact is not None:
        parts.append(f"observed {evidence.observed:.6g} against {evidence.exact:.6g}")
    if evidence.interval is not None:
        parts.append("interval [{:.6g}, {:.6g}]".format(*evidence.interval))
    parts += [evidence.reason] if evidence.reason else []
    return "; ".join(parts) + (f"\nreplay: {evidence.replay}" if evidence.replay else "")
