"""Render the Markdown summary, for a pull request or a terminal."""

from __future__ import annotations

import re

from mehler.report.model._report import DataResult, Report
from mehler.report.model._verification import Verification
from mehler.report.on_data._plan import ERRORS
from mehler.report.render._format import cells, count, deciding, explained, left, number
from mehler.statements import FORMS

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#~!&$])")


def render_markdown(report: Report | Verification) -> str:
    """Render a report as a page of Markdown."""
    if isinstance(report, Verification):
        return _verification(report)
    where = report.provenance
    lines = [
        f"# {plain_text(report.headline)}",
        "",
        f"mehler {where['mehler']}, level {where['level']}, {where['backend']}, seed "
        f"{where['seed']}, {where['date']}. Chance that correct code shows any of these alarms: "
        f"at most {number(report.ledger['spent'], digits=2)}.",
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
    if report.data is not None:
        lines += ["", *_data(report.data)]
    replay = [one.evidence[0].replay for one in report.unexpected if one.evidence]
    if replay:
        lines += ["", "Replay what did not come out as expected:", ""]
        lines += [f"    {line}" for line in replay]
    return "\n".join(lines) + "\n"


def _data(data: DataResult) -> list[str]:
    lines = [
        f"## On the data: {plain_text(data.name)}",
        "",
        f"{count(data.n_rows)} rows of {count(data.n_columns)} columns. "
        + " ".join(plain_text(note) for note in data.notes),
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
    labels = dict.fromkeys(row.label for row in data.plan)
    for label in labels:
        counts = [count(row.n_features) for row in data.plan if row.label == label]
        lines.append(_row([label, *counts]))
    return lines


def _verification(found: Verification) -> str:
    where = found.provenance
    chance = found.chance(number(found.ledger["spent"], digits=2))
    lines = [
        f"# {plain_text(found.headline)}",
        "",
        f"mehler {where['mehler']}, seed {where['seed']}, {where['date']}. {chance}",
        "",
        f"Map: {plain_text(found.target)}, taken for {plain_text(found.assumed)}. "
        f"Inputs: {plain_text(found.inputs)}. Told of the map: {plain_text(found.declared)}.",
        "",
        "| check | outcome | observed | claimed | interval | features |",
        "|---|---|---|---|---|---|",
    ]
    for one in found.evidence:
        c = cells(one)
        numbers = [c["observed"], c["exact"], c["interval"], c["features"]]
        lines.append(_row([plain_text(one.check), f"**{one.status}**", *numbers]))
    lines += [line for e in found.evidence if e.reason for line in ("", plain_text(e.reason))]
    if found.causes:
        lines += ["", "Likely cause (a suggestion, which did not enter the outcome):", ""]
        lines += [
            f"- {plain_text(one.text)}"
            + (f"; explained {explained(one)}, left {left(one)}" if one.explained else "")
            for one in found.causes
        ]
    if found.replay:
        lines += ["", "Replay:", "", f"    {found.replay}"]
    return "\n".join(lines) + "\n"


def _row(cells_: list[str]) -> str:
    return "| " + " | ".join(cells_) + " |"


def plain_text(text: str) -> str:
    """Escape all markup of Markdown and HTML."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))
