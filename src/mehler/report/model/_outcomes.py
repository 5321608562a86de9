"""Outcomes, one a statement, a map or a check, as continuous integration counts them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from mehler.report.model._report import Report, StatementResult
from mehler.report.model._verification import Verification
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
        told = [f"{e.form} form, {e.check}: {e.status}. {_said(e)}" for e in one.evidence]
        head = f"{one.id}: {one.verdict}, expected: {one.expected}"
        message = "\n".join([head, *told])
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
