"""Render a report or a verification as HTML, JSON and Markdown; write all files or none."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache, partial
from importlib.resources import files
from importlib.util import find_spec
from itertools import groupby
from json import dumps
from os import PathLike
from pathlib import Path
from typing import Any

from mehler._files import destination, require_file, require_folder, write_all
from mehler._text import install_command, printable, printable_json
from mehler.report._model import Report, Score, Verification
from mehler.report.render import _format
from mehler.report.render._svg import plot_svg
from mehler.statements import FORMS
from mehler.verify import certificates_text

FILES = ("report.html", "report.json", "summary.md")
_RENDERERS = ("fontTools", "jinja2", "latex2mathml", "markdown_it", "matplotlib", "mdit_py_plugins")
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#~!&$])")
# Signs of verdicts by their tone (`_tone`), and words for refutations that are expected.
_MARKS = {"good": "✓", "bad": "✗", "known": "⊘", "open": "○"}
_KNOWN = {"refuted": "refuted, as expected", "refuted, repaired": "refuted as printed, repaired"}
_FORMATS = (  # functions that the templates call
    "case_cells", "cells", "count", "deciding", "fit_cells", "interval", "number", "ratios"
)  # fmt: skip
# Columns of the data that the page shows; the JSON has all.
_MOST_COLUMNS = 200


def write(
    report: Report | Verification,
    out_dir: str | PathLike[str] | None = None,
    *,
    json: str | PathLike[str] | None = None,
    junit: str | PathLike[str] | None = None,
    certificates: str | PathLike[str] | None = None,
) -> tuple[Path, ...]:
    """Write a report as pages, JSON, JUnit XML or certificates, all files or none.

    Parameters
    ----------
    report : Report or Verification
        The result to render.
    out_dir : path, optional
        Directory of ``report.html``, ``report.json`` and ``summary.md``, created with its parents;
        other files in it are left alone.
    json, junit, certificates : path, optional
        Files of the JSON alone, which needs no optional dependency; of JUnit XML, with a test case
        for each statement, map on the data or check; and of the evidence for all statistical
        checks, which ``mehler/recheck.py`` checks again and the page links.

    Returns
    -------
    tuple of pathlib.Path
        The files written.

    Raises
    ------
    ValueError
        If a place cannot be written to.
    """
    texts: dict[Path, str] = {}
    if out_dir is not None:
        out = Path(out_dir)
        require_writable(out)
        link = "" if certificates is None else os.path.relpath(certificates, out)
        pages = (render_html(report, link), render_json(report), render_markdown(report))
        texts |= {out / name: page for name, page in zip(FILES, pages)}
    rendered = [("json", json, render_json), ("junit", junit, _format.render_junit)]
    for option, file, render in [*rendered, ("certificate", certificates, render_certificates)]:
        if file is not None:
            require_file(Path(file), f"--{option}")
            texts[Path(file)] = render(report)
    write_all(texts)
    return tuple(texts)


def render_json(report: Report | Verification) -> str:
    """Render a report as strictly standard JSON; see `Report.to_dict`."""
    text = dumps(report.to_dict(), indent=1, ensure_ascii=False, allow_nan=False)
    return printable_json(text) + "\n"


def render_certificates(report: Report | Verification) -> str:
    """Render the certificates of the verdicts of this run."""
    if isinstance(report, Verification):
        pairs = [(report.target, e.verdict) for e in report.evidence]
    else:
        pairs = [(s.id, e.verdict) for s in report.statements for e in s.evidence]
        pairs += [("data", e.verdict) for e in report.data.evidence] if report.data else []
    verdicts = [(name, verdict) for name, verdict in pairs if verdict is not None]
    # Verdicts without statistics cannot be rechecked: left out if there are others.
    verdicts = [pair for pair in verdicts if pair[1].statistics] or verdicts
    return certificates_text([(name, verdict.certificate()) for name, verdict in verdicts])


def require_renderers() -> None:
    """Require the dependencies that render a page; ModuleNotFoundError names the extra."""
    for name in _RENDERERS:
        if find_spec(name) is None:
            raise ModuleNotFoundError(
                f"{name} is not installed: {install_command('cli,report')}", name=name
            )


def require_writable(out: Path) -> None:
    """Require that a directory, which need not exist, can be written to; ValueError if not."""
    require_folder(out, "--out")
    for name in FILES:
        if (out / name).is_symlink() or (out / name).exists():
            require_folder(destination(out / name).parent, "--out")


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
        page, ids = "report", frozenset(s.id for s in report.statements)
        names |= {
            "anchor": anchor,
            "markdown": partial(markdown, targets=anchors(report.statements)),
            "papers": Counter(s.id.partition(".")[0] for s in report.statements).items(),
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
    environment.filters["text"] = lambda text: _SPECIAL.sub(r"\\\1", " ".join(text.split()))
    environment.globals |= {
        **{name: getattr(_format, name) for name in _FORMATS},
        "best_first": _best_first,
        "plot_svg": plot_svg,
        "mark": lambda *verdict: _MARKS[_tone(*verdict)],
        "most_columns": _MOST_COLUMNS,
        "decided": lambda e: [*filter(None, (_format.deciding(e, form) for form in FORMS))],
        "spoken": lambda verdict, expected: _KNOWN.get(verdict, verdict) if expected else verdict,
        "tone": _tone,
        "where": _where,
    }
    return environment


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


def _best_first(scores: Iterable[Score]) -> list[tuple[Score, list[Score]]]:
    """Group by learner with the best of each, the highest score first and failures last."""
    groups = [list(group) for _, group in groupby(scores, key=lambda score: score.map)]
    best = [(max(group, key=lambda score: score.rank), group) for group in groups]
    return sorted(best, key=lambda pair: -pair[0].rank)


def _where(place: Mapping[str, Any]) -> str:
    return ", ".join(
        f"{key} = {_format.number(value) if isinstance(value, float) else value}"
        for key, value in place.items()
    )
