"""Render the page: verdict first, one file, no script, no network."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import partial
from importlib.resources import files
from itertools import groupby
from typing import Any

from mehler._text import printable
from mehler.report._model import PlanRow, Report, Verification
from mehler.report._survey import ERRORS
from mehler.report.render._format import (
    case_cells,
    cells,
    count,
    deciding,
    explained,
    left,
    number,
    ratios,
)
from mehler.report.render._svg import draw

_TONES = {
    "holds": "good",
    "holds with constant": "good",
    "refuted": "bad",
    "proved form refuted": "bad",
    "error": "bad",
}
_MARKS = {"good": "✓", "bad": "✗", "known": "⊘", "open": "○"}
# Words for what is refuted, and is expected to be.
_KNOWN = {"refuted": "refuted, as expected", "refuted, repaired": "refuted as printed, repaired"}
# Columns of the data that the page shows; the JSON has all.
_MOST_COLUMNS = 200


def render_html(report: Report | Verification, certificates: str = "") -> str:
    """Render a report as one HTML file without scripts and addresses, outside text escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    from mehler.report.render._mathml import formula, mathml, prose
    from mehler.report.render._sections import anchor, anchors, markdown

    environment = Environment(
        loader=PackageLoader("mehler.report.render", "_templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=lambda value: type(value)(printable(value)) if isinstance(value, str) else value,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    style = page_style()
    extra: dict[str, Any]
    ids: frozenset[str] = frozenset()
    if isinstance(report, Verification):
        page, extra = "verification", {"explained": explained, "left": left}
    else:
        page = "report"
        extra = {
            "tally": _tally(report),
            "errors": ERRORS,
            "by_map": _by_map,
            "papers": Counter(one.id.partition(".")[0] for one in report.statements).items(),
            "most_columns": _MOST_COLUMNS,
            "case_cells": case_cells,
            "ratios": ratios,
            "anchor": anchor,
            "markdown": partial(markdown, targets=anchors(report.statements)),
        }
        ids = frozenset(one.id for one in report.statements)
    return environment.get_template(f"{page}.html.j2").render(
        report=report,
        certificates=certificates,
        overall={0: "good", 1: "bad"}.get(report.exit_status, "open"),
        day=str(report.provenance["date"])[:10],
        style=Markup(style),
        cells=cells,
        count=count,
        deciding=deciding,
        draw=draw,
        formula=formula,
        mark=lambda *verdict: _MARKS[_tone(*verdict)],
        mathml=mathml,
        number=number,
        prose=partial(prose, ids=ids),
        spoken=_spoken,
        tone=_tone,
        where=_where,
        **extra,
    )


def page_style() -> str:
    """Return the style sheet of all pages, light and dark.

    Returns
    -------
    str
        CSS, without any address.

    Examples
    --------
    >>> from mehler import report
    >>> "prefers-color-scheme: dark" in report.page_style()
    True
    """
    return (
        files("mehler.report.render")
        .joinpath("_templates", "style.css")
        .read_text(encoding="utf-8")
    )


def _tone(verdict: str, expected: bool = False) -> str:
    if expected and verdict in _KNOWN:
        return "known"
    return _TONES.get(verdict, "bad" if verdict in _KNOWN else "open")


def _spoken(verdict: str, expected: bool) -> str:
    return _KNOWN.get(verdict, verdict) if expected else verdict


def _tally(report: Report) -> str:
    verdicts = Counter(one.verdict for one in report.statements)
    return " · ".join(f"{n} {verdict}" for verdict, n in verdicts.most_common())


def _by_map(plan: Iterable[PlanRow]) -> list[tuple[str, list[PlanRow]]]:
    """Group by map in order; Jinja's own grouping would sort q = 16 before q = 2."""
    return [(label, list(rows)) for label, rows in groupby(plan, key=lambda row: row.map)]


def _where(place: Mapping[str, Any]) -> str:
    return ", ".join(
        f"{key} = {number(value) if isinstance(value, float) else value}"
        for key, value in place.items()
    )
