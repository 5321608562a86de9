"""Write reports to disk, all files or none."""

from __future__ import annotations

import json
import os
from importlib.util import find_spec
from os import PathLike
from pathlib import Path

from mehler._files import destination, require_file, require_folder, write_all, write_whole
from mehler._text import install_command, printable_json
from mehler.report._model import Report, Verification
from mehler.report.render._lines import render_junit
from mehler.report.render._pages import render_html, render_markdown
from mehler.verify import certificates_text


def render_json(report: Report | Verification) -> str:
    """Render a report as strictly standard JSON; see `Report.to_dict`."""
    text = json.dumps(report.to_dict(), indent=1, ensure_ascii=False, allow_nan=False)
    return printable_json(text) + "\n"


FILES = ("report.html", "report.json", "summary.md")
_RENDERERS = ("fontTools", "jinja2", "latex2mathml", "markdown_it", "matplotlib", "mdit_py_plugins")


def write(
    report: Report | Verification,
    out_dir: str | PathLike[str],
    *,
    certificates: str | PathLike[str] | None = None,
) -> tuple[Path, ...]:
    """Write ``report.html``, ``report.json`` and ``summary.md`` into a directory, all or none.

    Parameters
    ----------
    report : Report or Verification
        The result to render.
    out_dir : path
        Target directory, created with its parents; other files in it are left alone.
    certificates : path, optional
        The file of `write_certificates`, which the page links.

    Returns
    -------
    tuple of pathlib.Path
        The files written.

    Raises
    ------
    ValueError
        If ``out_dir`` cannot be written to.
    """
    out = Path(out_dir)
    require_writable(out)
    link = "" if certificates is None else os.path.relpath(certificates, out)
    texts = (render_html(report, link), render_json(report), render_markdown(report))
    files = tuple(out / name for name in FILES)
    write_all(dict(zip(files, texts)))
    return files


def write_json(report: Report | Verification, file: str | PathLike[str]) -> Path:
    """Write only the JSON of `write`, which needs no optional dependency.

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
    """
    return _written(file, "--json", render_json(report))


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
    """
    return _written(file, "--junit", render_junit(report))


def write_certificates(report: Report | Verification, file: str | PathLike[str]) -> Path:
    """Write the evidence for all statistical checks, which ``mehler/recheck.py`` decides again.

    Parameters
    ----------
    report : Report or Verification
        The result, from this run: certificates are not read from files.
    file : path
        Target file, replaced if it exists; its folder is created.

    Returns
    -------
    pathlib.Path
        The file written.
    """
    if isinstance(report, Verification):
        listed = [(report.target, one) for one in report.evidence]
    else:
        listed = [(each.id, one) for each in report.statements for one in each.evidence]
        listed += [("data", one) for one in report.data.evidence] if report.data else []
    verdicts = [(name, one.verdict) for name, one in listed if one.verdict is not None]
    # Verdicts without statistics cannot be decided again: beside others they are left out.
    verdicts = [each for each in verdicts if each[1].statistics] or verdicts
    text = certificates_text([(name, each.certificate()) for name, each in verdicts])
    return _written(file, "--certificate", text)


def _written(file: str | PathLike[str], option: str, text: str) -> Path:
    require_file(Path(file), option)
    write_whole(Path(file), text)
    return Path(file)


def require_renderers() -> None:
    """Require the dependencies that render a page, before any work.

    Raises
    ------
    ModuleNotFoundError
        If one is not installed; the message names the extra to install.
    """
    for name in _RENDERERS:
        if find_spec(name) is None:
            raise ModuleNotFoundError(
                f"{name} is not installed: {install_command('cli,report')}", name=name
            )


def require_writable(out: Path, *, option: str = "--out") -> None:
    """Require that a directory, which need not exist, can be written to, before any work.

    Links of its files are followed; links to missing directories are refused. `option` names the
    directory in the message of the ValueError.
    """
    require_folder(out, option)
    for name in FILES:
        if (out / name).is_symlink() or (out / name).exists():
            require_folder(destination(out / name).parent, option)
