"""Render the Markdown summary, for a pull request or a terminal."""

from __future__ import annotations

import re

from mehler._text import printable
from mehler.report._model import Comparison, DataResult, Report, Verification
from mehler.report._survey import ERRORS
from mehler.report.render._format import cells, count, deciding, explained, left, number
from mehler.statements import FORMS

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#~!&$])")


def render_markdown(report: Report | Verification) -> str:
    """Render a report as a page of Markdown."""
    lines = _verification(report) if isinstance(report, Verification) else _report(report)
    return printable("\n".join(lines) + "\n")


def _report(report: Report) -> list[str]:
    origin = report.provenance
    lines = [
        f"# {plain_text(report.headline)}",
        "",
        f"mehler {origin['mehler']}, level {origin['level']}, {origin['backend']}, seed "
        f"{origin['seed']}, {origin['date']}. Chance that correct code shows any of these alarms: "
        f"at most {number(report.ledger['spent'], digits=2)}.",
        "",
    ]
    if report.data is not None:
        lines += [*_data(report.data), ""]
    if report.compared is not None:
        lines += [*_compared(report.compared), ""]
    lines += [
        "## Statements",
        "",
        "| statement | verdict | expected | form | observed | claimed | interval | features |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for one in report.statements:
        first = [plain_text(one.title), f"**{one.verdict}**", one.expected]
        shown = [e for form in FORMS if (e := deciding(one.evidence, form))]
        if not shown:
            lines.append(_row([*first, "", "", "", "", ""]))
        for evidence in shown:
            c = cells(evidence)
            numbers = [c["observed"], c["exact"], c["interval"], c["features"]]
            form = f"{one.spoken(evidence.form)}: {evidence.status}"
            lines.append(_row([*first, form, *numbers]))
            first = ["", "", ""]
    failed = [e for one in report.statements for e in one.evidence if e.status == "error"]
    lines += [line for e in failed for line in ("", f"{plain_text(e.check)} {plain_text(e.claim)}")]
    replay = [one.evidence[0].replay for one in report.unexpected if one.evidence]
    if replay:
        lines += ["", "Replay what did not come out as expected:", ""]
        lines += [f"    {line}" for line in replay]
    return lines


def _data(data: DataResult) -> list[str]:
    size = f"{count(data.n_rows)} rows of {count(data.n_columns)} columns"
    text = "; ".join(plain_text(one) for one in (size, *data.choices))
    text = " ".join([f"{text}.", *map(plain_text, data.notes)])
    lines = [
        f"## Your rows: {plain_text(data.name)}",
        "",
        text,
        *(line for one in data.warnings for line in ("", f"- {plain_text(one)}")),
        "",
        "| map | outcome | observed | exact | interval | features |",
        "|---|---|---|---|---|---|",
    ]
    for one in data.evidence:
        c = cells(one)
        lines.append(
            _row([one.check, one.status, c["observed"], c["exact"], c["interval"], c["features"]])
        )
    lines += ["", f"Features needed. {plain_text(data.plan_method)}", ""]
    lines.append(_row(["map", *(f"error {number(error)}" for error in ERRORS)]))
    lines.append("|---" * (1 + len(ERRORS)) + "|")
    for label in dict.fromkeys(row.map for row in data.plan):
        counts = [count(row.n_features) for row in data.plan if row.map == label]
        lines.append(_row([label, *counts]))
    if data.scores:
        lines += ["", f"Target {plain_text(data.target or '')}. {plain_text(data.score_method)}"]
        lines += ["", "| features | score | interval |", "|---|---|---|"]
    for score in data.scores:
        interval = "" if score.interval is None else _interval(*score.interval)
        value = plain_text(score.reason) if score.value is None else number(score.value, digits=3)
        lines.append(_row([score.map, value, interval]))
    return lines


def _interval(low: float, high: float) -> str:
    return f"[{number(low, digits=3)}, {number(high, digits=3)}]"


def _compared(comparison: Comparison) -> list[str]:
    lines = [f"## Changed since {plain_text(comparison.date)}", ""]
    if not comparison.changes:
        return [*lines, f"Nothing, against {plain_text(comparison.file)}."]
    lines += ["| kind | of | before | now |", "|---|---|---|---|"]
    for change in comparison.changes:
        lines.append(
            _row([plain_text(x) for x in (change.kind, change.what, change.before, change.after)])
        )
    return lines


def _verification(report: Verification) -> list[str]:
    origin = report.provenance
    chance = report.chance(number(report.ledger["spent"], digits=2))
    lines = [
        f"# {plain_text(report.headline)}",
        "",
        f"mehler {origin['mehler']}, seed {origin['seed']}, {origin['date']}. {chance}",
        "",
        f"Map: {plain_text(report.target)}, taken for {plain_text(report.assumed)}. "
        f"Inputs: {plain_text(report.inputs)}. Declared: {plain_text(report.declared)}.",
        "",
        "| check | outcome | observed | claimed | interval | features |",
        "|---|---|---|---|---|---|",
    ]
    for each in report.evidence:
        c = cells(each)
        numbers = [c["observed"], c["exact"], c["interval"], c["features"]]
        lines.append(_row([plain_text(each.check), f"**{each.status}**", *numbers]))
    lines += [line for e in report.evidence if e.reason for line in ("", plain_text(e.reason))]
    if report.causes:
        lines += ["", "Likely cause (a suggestion, which did not enter the outcome):", ""]
        lines += [
            f"- {plain_text(each.text)}"
            + (f"; explained {explained(each)}, residual {left(each)}" if each.explained else "")
            for each in report.causes
        ]
    if report.replay:
        lines += ["", "Replay:", "", f"    {report.replay}"]
    return lines


def _row(cells_: list[str]) -> str:
    return "| " + " | ".join(cells_) + " |"


def plain_text(text: str) -> str:
    """Escape all markup of Markdown and HTML."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))
