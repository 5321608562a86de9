"""Render the page, one file without script or network, and its summary in Markdown."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache, partial
from importlib.resources import files
from itertools import groupby
from typing import Any

from mehler._text import printable
from mehler.report._model import Report, Score, Verification
from mehler.report.render import _format
from mehler.report.render._svg import draw
from mehler.statements import FORMS

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#~!&$])")
_MARKS = {"good": "✓", "bad": "✗", "known": "⊘", "open": "○"}
# Words for what is refuted, and is expected to be; functions that the templates call.
_KNOWN = {"refuted": "refuted, as expected", "refuted, repaired": "refuted as printed, repaired"}
_FORMATS = (
    "case_cells", "cells", "count", "deciding", "explained", "interval", "left", "number", "ratios"
)  # fmt: skip
# Columns of the data that the page shows; the JSON has all.
_MOST_COLUMNS = 200


def render_html(report: Report | Verification, certificates: str = "") -> str:
    """Render a report as one HTML file without scripts and addresses, outside text escaped."""
    from markupsafe import Markup

    from mehler.report.render._texts import anchor, anchors, formula, markdown, prose

    names: dict[str, Any] = {
        "certificates": certificates,
        "day": str(report.provenance["date"])[:10],
        "formula": formula,
        "overall": {0: "good", 1: "bad"}.get(report.exit_status, "open"),
        "style": Markup(page_style()),
    }
    page, ids = "verification", frozenset[str]()
    if isinstance(report, Report):
        if report.data is not None and report.data.no_score and report.data.target:
            names["overall"] = "open"
        page, ids = "report", frozenset(one.id for one in report.statements)
        names |= {
            "anchor": anchor,
            "markdown": partial(markdown, targets=anchors(report.statements)),
            "papers": Counter(one.id.partition(".")[0] for one in report.statements).items(),
        }
    template = _environment(autoescape=True).get_template(f"{page}.html.j2")
    return with_glyphs(template.render(report=report, prose=partial(prose, ids=ids), **names))


def render_markdown(report: Report | Verification) -> str:
    """Render a report as a page of Markdown, for a pull request or a terminal."""
    return _environment(autoescape=False).get_template("summary.md.j2").render(report=report)


@cache
def _environment(*, autoescape: bool) -> Any:
    """Return Jinja's environment with all that the templates call."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("mehler.report.render", "_templates"),
        autoescape=autoescape,
        undefined=StrictUndefined,
        finalize=lambda value: type(value)(printable(value)) if isinstance(value, str) else value,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=not autoescape,
    )
    environment.filters["text"] = plain_text
    environment.globals |= {
        **{name: getattr(_format, name) for name in _FORMATS},
        "best_first": _best_first,
        "draw": draw,
        "mark": lambda *verdict: _MARKS[_tone(*verdict)],
        "most_columns": _MOST_COLUMNS,
        "decided": lambda e: [*filter(None, (_format.deciding(e, form) for form in FORMS))],
        "spoken": lambda verdict, expected: _KNOWN.get(verdict, verdict) if expected else verdict,
        "tone": _tone,
        "where": _where,
    }
    return environment


def plain_text(text: str) -> str:
    """Escape all markup of Markdown and HTML."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def page_style() -> str:
    """Return the style sheet of all pages, light and dark."""
    return (files(__package__) / "_templates" / "style.css").read_text(encoding="utf-8")


def page_text(text: str) -> Any:
    """Return Markdown as HTML that is safe; links and pictures become their text."""
    from mehler.report.render._texts import markdown

    return markdown(text, "page", frozenset())


def with_glyphs(html: str) -> str:
    """Return a page with a font of its characters in its style sheet."""
    from mehler.report.render._texts import glyphs

    return html.replace("</style>", f"{glyphs(html)}\n</style>", 1)


def _tone(verdict: str, expected: bool = False) -> str:
    if verdict in _KNOWN:
        return "known" if expected else "bad"
    tones = {"holds": "good", "holds with constant": "good"}
    return tones.get(verdict, "bad" if verdict in ("proved form refuted", "error") else "open")


def _best_first(scores: Iterable[Score]) -> list[tuple[str, Score | None, list[Score]]]:
    """Group by learner with the best of each, the highest score first and failures last."""
    groups = [list(group) for _, group in groupby(scores, key=lambda one: one.map)]
    best = [max(group, key=lambda one: one.rank) for group in groups]
    order = sorted(range(len(best)), key=lambda i: -best[i].rank)
    return [(best[i].map, None if best[i].value is None else best[i], groups[i]) for i in order]


def _where(place: Mapping[str, Any]) -> str:
    return ", ".join(
        f"{key} = {_format.number(value) if isinstance(value, float) else value}"
        for key, value in place.items()
    )
