"""Render a report for continuous integration: JUnit XML, and annotations of GitHub."""

from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from xml.etree import ElementTree

from mehler._files import require_file, write_whole
from mehler._text import printable
from mehler.report.model._outcomes import Outcome, outcomes
from mehler.report.model._report import Report
from mehler.report.model._verification import Verification


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

    See Also
    --------
    write : The page, the JSON and the summary.
    annotations : The same for GitHub.
    """
    path = Path(file)
    require_file(path, "--junit")
    write_whole(path, render_junit(report))
    return path


def render_junit(report: Report | Verification) -> str:
    """Render the outcomes as a ``testsuites`` document."""
    found = outcomes(report)
    root = ElementTree.Element("testsuites", _totals("mehler", found))
    for name in dict.fromkeys(one.group for one in found):
        inside = [one for one in found if one.group == name]
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
                said = {"type": one.status, "message": printable(one.message.partition("\n")[0])}
                tag = "error" if one.problem == "error" else "failure"
                ElementTree.SubElement(case, tag, said).text = printable(one.message)
    ElementTree.indent(root)
    body = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'


def _totals(name: str, found: Iterable[Outcome]) -> dict[str, str]:
    found = list(found)
    errors = sum(one.problem == "error" for one in found)
    return {
        "name": printable(name),
        "tests": str(len(found)),
        "failures": str(sum(bool(one.problem) for one in found) - errors),
        "errors": str(errors),
        "time": f"{sum(one.seconds for one in found):.3f}",
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

    See Also
    --------
    write_junit : The same as a file, for other systems.
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
