"""Write reports to disk, all files or none."""

from __future__ import annotations

import os
import shutil
import tempfile
from importlib.util import find_spec
from os import PathLike
from pathlib import Path

from mehler._files import write_whole
from mehler.report.model._report import Report
from mehler.report.model._verification import Verification
from mehler.report.render._html import render_html
from mehler.report.render._json import render_json
from mehler.report.render._markdown import render_markdown

_RENDERERS = ("jinja2", "matplotlib", "latex2mathml")


def write(report: Report | Verification, out_dir: str | PathLike[str]) -> tuple[Path, ...]:
    """Write ``report.html``, ``report.json`` and ``summary.md`` into a directory.

    Files are rendered, written to a temporary directory beside the target, and then moved, so that
    an interruption or a full disk leaves the previous files in place.

    Parameters
    ----------
    report : Report or Verification
        The result to render.
    out_dir : path
        Target directory, created with its parents; other files in it are left alone.

    Returns
    -------
    tuple of pathlib.Path
        The files written.

    Raises
    ------
    ValueError
        If ``out_dir`` cannot be written to.

    See Also
    --------
    write_json : The JSON alone.
    require_writable : Test the directory before a long run.
    """
    out = Path(out_dir)
    require_writable(out)
    texts = {
        "report.html": render_html(report),
        "report.json": render_json(report),
        "summary.md": render_markdown(report),
    }
    out.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=".mehler-", dir=out))
    try:
        for name, text in texts.items():
            (temporary / name).write_text(text, encoding="utf-8", newline="\n")
        _move_all(temporary, out, tuple(texts))
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return tuple(out / name for name in texts)


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

    Raises
    ------
    ValueError
        If its folder cannot be written to.

    See Also
    --------
    write : All files of a report.
    """
    path = Path(file)
    require_writable(path.parent, option="--json")
    write_whole(path, render_json(report))
    return path


def require_renderers() -> None:
    """Require the dependencies that render a page, before any work.

    Raises
    ------
    ModuleNotFoundError
        If one is not installed; the message names the extra to install.

    See Also
    --------
    require_writable : Require a writable directory.
    """
    for name in _RENDERERS:
        if find_spec(name) is None:
            raise ModuleNotFoundError(
                f"{name} is not installed: pip install 'mehler[cli,report]'", name=name
            )


def require_writable(out: Path, *, option: str = "--out") -> None:
    """Require that a directory can be written to, before any work.

    An entry is made and removed in the nearest existing directory, since permission bits reveal
    neither read-only file systems nor the superuser's rights.

    Parameters
    ----------
    out : path
        The directory, which need not exist.
    option : str
        The option that names it, for the message.

    Raises
    ------
    ValueError
        If it cannot be written to.

    See Also
    --------
    write : Write a report there.
    require_renderers : Require the dependencies of a page.
    """
    place = out
    while not place.exists() and place != place.parent:
        place = place.parent
    if not place.is_dir():
        raise ValueError(
            f"{option}={out} cannot be made: {place} is not a directory; choose another"
        )
    try:
        os.rmdir(tempfile.mkdtemp(prefix=".mehler-", dir=place))
    except OSError as error:
        raise ValueError(
            f"{option}={out} cannot be written to ({error.strerror}): choose another directory"
        ) from error


def _move_all(source: Path, target: Path, names: tuple[str, ...]) -> None:
    """Move files into place; on any failure restore the previous ones."""
    kept = source / "before"
    kept.mkdir()
    moved: list[str] = []
    try:
        for name in names:
            if (target / name).exists():
                os.replace(target / name, kept / name)
            moved.append(name)
            os.replace(source / name, target / name)
    except BaseException:
        for name in names:
            if (kept / name).exists():
                os.replace(kept / name, target / name)
            elif name in moved:
                (target / name).unlink(missing_ok=True)
        raise
