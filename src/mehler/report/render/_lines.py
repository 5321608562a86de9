"""Render results as lines for a terminal, and as JUnit for continuous integration."""

import re
from collections.abc import Iterator, Sequence
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


def render_junit(report: Report | Verification) -> str:
    """Render the outcomes as a ``testsuites`` document of one suite."""
    root = ElementTree.Element("testsuites")
    suite = ElementTree.SubElement(
        root, "testsuite", name="mehler", timestamp=str(report.provenance["date"])[:19]
    )
    for name, group, status, good, text, seconds in _outcomes(report):
        place = {"classname": f"mehler.{printable(group)}", "name": printable(name)}
        case = ElementTree.SubElement(suite, "testcase", place, time=f"{seconds:.3f}")
        if not good:
            text = printable(text)
            about = {"type": status, "message": text.partition("\n")[0]}
            tag = "error" if status == "error" else "failure"
            ElementTree.SubElement(case, tag, about).text = text
    for tag in ("testcase", "error", "failure"):
        name = "tests" if tag == "testcase" else f"{tag}s"
        for one in (root, suite):
            one.set(name, str(len(list(suite.iter(tag)))))
    ElementTree.indent(root)
    body = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'


def _outcomes(
    report: Report | Verification,
) -> Iterator[tuple[str, str, str, bool, str, float]]:
    """Yield name, group, status, whether it is as expected, a message, and seconds."""
    if isinstance(report, Verification):
        group, checks = "verify", report.evidence
    else:
        group, checks = "data", report.data.evidence if report.data else ()
    for one in checks:
        message = f"{one.check}: {one.status}. {_details(one)}"
        yield one.check, group, one.status, one.status == "holds", message, 0.0
    for result in report.statements if isinstance(report, Report) else ():
        head = f"{result.id}: {result.verdict}, expected: {result.expected}"
        reasons = [f"{e.form} form, {e.check}: {e.status}. {_details(e)}" for e in result.evidence]
        group, text = result.id.partition(".")[0], "\n".join([head, *reasons])
        yield result.id, group, result.verdict, result.as_expected, text, result.seconds


def _details(evidence: Evidence) -> str:
    parts = [evidence.claim]
    if evidence.observed is not None and evidence.exact is not None:
        parts.append(f"observed {evidence.observed:.6g} against {evidence.exact:.6g}")
    if evidence.interval is not None:
        parts.append("interval [{:.6g}, {:.6g}]".format(*evidence.interval))
    parts += [evidence.reason] if evidence.reason else []
    return "; ".join(parts) + (f"\nreplay: {evidence.replay}" if evidence.replay else "")
