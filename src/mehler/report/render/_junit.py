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
    for name in dict.fromkeys(outcome.group for outcome in cases):
        inside = [outcome for outcome in cases if outcome.group == name]
        suite = ElementTree.SubElement(root, "testsuite", _totals(name, inside))
        suite.set("timestamp", str(report.provenance["date"])[:19])
        for outcome in inside:
            case = ElementTree.SubElement(
                suite,
                "testcase",
                {
                    "classname": f"mehler.{printable(outcome.group)}",
                    "name": printable(outcome.name),
                    "time": f"{outcome.seconds:.3f}",
                },
            )
            if outcome.problem:
                attributes = {
                    "type": outcome.status,
                    "message": printable(outcome.message.partition("\n")[0]),
                }
                tag = "error" if outcome.problem == "error" else "failure"
                ElementTree.SubElement(case, tag, attributes).text = printable(outcome.message)
    ElementTree.indent(root)
    body = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'


def _totals(name: str, cases: Iterable[Outcome]) -> dict[str, str]:
    cases = list(cases)
    errors = sum(outcome.problem == "error" for outcome in cases)
    return {
        "name": printable(name),
        "tests": str(len(cases)),
        "failures": str(sum(bool(outcome.problem) for outcome in cases) - errors),
        "errors": str(errors),
        "time": f"{sum(outcome.seconds for outcome in cases):.3f}",
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
        f"::{'warning' if outcome.problem == 'open' else 'error'} "
        f"title={_property(f'mehler: {outcome.name}')}::{_message(outcome.message)}"
        for outcome in outcomes(report)
        if outcome.problem
    )


def _message(text: str) -> str:
    # A percent sign first, since the others become percent signs and digits.
    return printable(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")


def outcomes(report: Report | Verification) -> tuple[Outcome, ...]:
    """Return the outcomes of a report, in order: the data's first."""
    if isinstance(report, Verification):
        return tuple(_of_check("verify", evidence) for evidence in report.evidence)
    return tuple(_of_report(report))


def _of_report(report: Report) -> Iterator[Outcome]:
    for evidence in report.data.evidence if report.data else ():
        yield _of_check("data", evidence)
    for statement in report.statements:
        yield _of_statement(statement)


def _of_check(group: str, evidence: Evidence) -> Outcome:
    message = f"{evidence.check}: {evidence.status}. {_details(evidence)}"
    return Outcome(
        group=group,
        name=evidence.check,
        status=evidence.status,
        problem=_problem(evidence.status),
        message="" if evidence.status == "holds" else message,
    )


def _of_statement(result: StatementResult) -> Outcome:
    message = ""
    if not result.as_expected:
        reasons = [f"{e.form} form, {e.check}: {e.status}. {_details(e)}" for e in result.evidence]
        head = f"{result.id}: {result.verdict}, expected: {result.expected}"
        message = "\n".join([head, *reasons])
    return Outcome(
        group=result.id.partition(".")[0],
        name=result.id,
        status=result.verdict,
        # A statement that holds where another verdict is expected is a failure too.
        problem="" if result.as_expected else _problem(result.verdict) or "failure",
        message=message,
        seconds=result.seconds,
    )


def _problem(status: str) -> Literal["", "error", "failure", "open"]:
    if status == "holds":
        return ""
    if status in ("error", "inconclusive"):
        return "error" if status == "error" else "open"
    return "failure"


def _details(evidence: Evidence) -> str:
    parts = [evidence.claim]
    if evidence.observed is not None and evidence.exact is not None:
        parts.append(f"observed {evidence.observed:.6g} against {evidence.exact:.6g}")
    if evidence.interval is not None:
        parts.append("interval [{:.6g}, {:.6g}]".format(*evidence.interval))
    parts += [evidence.reason] if evidence.reason else []
    return "; ".join(parts) + (f"\nreplay: {evidence.replay}" if evidence.replay else "")
