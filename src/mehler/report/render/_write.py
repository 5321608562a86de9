"""Write reports to disk, all files or none."""

from __future__ import annotations

import os
from importlib.util import find_spec
from json import dumps
from os import PathLike
from pathlib import Path

from mehler._files import destination, require_file, require_folder, write_all
from mehler._text import install_command, printable_json
from mehler.report._model import Report, Verification
from mehler.report.render._lines import render_junit
from mehler.report.render._pages import render_html, render_markdown
from mehler.verify import certificates_text

FILES = ("report.html", "report.json", "summary.md")
_RENDERERS = ("fontTools", "jinja2", "latex2mathml", "markdown_it", "matplotlib", "mdit_py_plugins")


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
    json : path, optional
        File of the JSON alone, which needs no optional dependency.
    junit : path, optional
        File of JUnit XML, for continuous integration: each statement, map on the data, or check of
        a verification is a test case. An inconclusive one is a failure, one that raised an error.
    certificates : path, optional
        File of the evidence for all statistical checks, which ``mehler/recheck.py`` checks again;
        the page links it.

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
    rendered = [("json", json, render_json), ("junit", junit, render_junit)]
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
        listed = [(report.target, one.verdict) for one in report.evidence]
    else:
        listed = [(each.id, one.verdict) for each in report.statements for one in each.evidence]
        listed += [("data", one.verdict) for one in report.data.evidence] if report.data else []
    verdicts = [(name, verdict) for name, verdict in listed if verdict is not None]
    # Verdicts without statistics cannot be decided again: beside others they are left out.
    verdicts = [each for each in verdicts if each[1].statistics] or verdicts
    return certificates_text([(name, verdict.certificate()) for name, verdict in verdicts])


def require_renderers() -> None:
    """Require the dependencies that render a page; ModuleNotFoundError names the extra."""
    for name in _RENDERERS:
        if find_spec(name) is None:
            raise ModuleNotFoundError(
                f"{name} is not installed: {install_command('cli,report')}", name=name
            )


def require_writable(out: Path) -> None:
    """Require that a directory, which need not exist, can be written to; ValueError if not.

    Links of its files are followed; links to missing directories are refused.
    """
    require_folder(out, "--out")
    for name in FILES:
        if (out / name).is_symlink() or (out / name).exists():
            require_folder(destination(out / name).parent, "--out")
