"""Render a report for continuous integration: JUnit XML, and annotations of GitHub."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Literal
from xml.etree import ElementTree

from mehler._files import require_file, write_whole
from mehler._text import printable
from mehler.report._model import Report, StatementResult, Verification
from mehler.statements import Evidence


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The outcome of one test case; `problem` is empty if it is as expected."""

    group: str
    name: str
    status: str
    problem: Literal["", "error", "failure", "open"]
    message: str
    seconds: float = 0.0


def write_junit(report: Report | Verification, file: str | PathLike[str]) -> Path:
    """Write the outcomes as JUnit XML, for the test page of a continuous integration.

    Each statement, each map on the data, or each check of a verification is a test case. What did
    not come out as expected is a failure, an inconclusive outcome too; what raised is an error.

    Parameters
    ----------
    report : Report or Verification
        The result to render.
    file : path
        Target file, replaced if it exists; its folder is created.

    Returns
    -------
    pathlib.Path
        The file written.

    Raises
    ------
    ValueError
        If its folder cannot be written to.
    """
    path = Path(file)
    require_file(path, "--junit")
    write_whole(path, render_junit(report))
    return path


def render_junit(report: Report | Verification) -> str:
    """Render the outcomes as a ``testsuites`` document."""
    cases = outcomes(report)
    root = ElementTree.Element("testsuites", _totals("mehler", cases))
    for name in dict.fromkeys(one.group for one in cases):
        inside = [one for one in cases if one.group == name]
        suite = ElementTree.SubElement(root, "testsuite", _totals(name, inside))
        suite.set("timestamp", str(report.provenance["date"])[:19])
        for one in inside:
            case = ElementTree.SubElement(
                suite,
                "testcase",
                {
                    "classname": f"mehler.{printable(one.group)}",
                    "name": printable(one.name),
                    "time": f"{one.seconds:.3f}",
                },
            )
            if one.problem:
                attributes = {
                    "type": one.status,
                    "message": printable(one.message.partition("\n")[0]),
                }
                tag = "error" if one.problem == "error" else "failure"
                ElementTree.SubElement(case, tag, attributes).text = printable(one.message)
    ElementTree.indent(root)
    body = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'


def _totals(name: str, cases: Iterable[Outcome]) -> dict[str, str]:
    cases = list(cases)
    errors = sum(one.problem == "error" for one in cases)
    return {
        "name": printable(name),
        "tests": str(len(cases)),
        "failures": str(sum(bool(one.problem) for one in cases) - errors),
        "errors": str(errors),
        "time": f"{sum(one.seconds for one in cases):.3f}",
    }


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
    return tuple(
        f"::{'warning' if one.problem == 'open' else 'error'} "
        f"title={_property(f'mehler: {one.name}')}::{_message(one.message)}"
        for one in outcomes(report)
        if one.problem
    )


def _message(text: str) -> str:
    # A percent sign first, since the others become one.
    return printable(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")


def outcomes(report: Report | Verification) -> tuple[Outcome, ...]:
    """Return the outcomes of a report, in order: the data's first."""
    if isinstance(report, Verification):
        return tuple(_of_check("verify", one) for one in report.evidence)
    return tuple(_of_report(report))


def _of_report(report: Report) -> Iterator[Outcome]:
    for one in report.data.evidence if report.data else ():
        yield _of_check("data", one)
    for statement in report.statements:
        yield _of_statement(statement)


def _of_check(group: str, one: Evidence) -> Outcome:
    message = "" if one.status == "holds" else f"{one.check}: {one.status}. {_said(one)}"
    return Outcome(
        group=group,
        name=one.check,
        status=one.status,
        problem=_problem(one.status),
        message=message,
    )


def _of_statement(one: StatementResult) -> Outcome:
    message = ""
    if not one.as_expected:
        reasons = [f"{e.form} form, {e.check}: {e.status}. {_said(e)}" for e in one.evidence]
        head = f"{one.id}: {one.verdict}, expected: {one.expected}"
        message = "\n".join([head, *reasons])
    return Outcome(
        group=one.id.partition(".")[0],
        name=one.id,
        status=one.verdict,
        # A statement that holds where another verdict is expected is a failure too.
        problem="" if one.as_expected else _problem(one.verdict) or "failure",
        message=message,
        seconds=one.seconds,
    )


def _problem(status: str) -> Literal["", "error", "failure", "open"]:
    if status == "holds":
        return ""
    if status in ("error", "inconclusive"):
        return "error" if status == "error" else "open"
    return "failure"


def _said(one: Evidence) -> str:
    parts = [one.claim]
    if one.observed is not None and one.exact is not None:
        parts.append(f"observed {one.observed:.6g} against {one.exact:.6g}")
    if one.interval is not None:
        parts.append("interval [{:.6g}, {:.6g}]".format(*one.interval))
    parts += [one.reason] if one.reason else []
    return "; ".join(parts) + (f"\nreplay: {one.replay}" if one.replay else "")
