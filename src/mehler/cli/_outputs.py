"""Outputs of `report` and `verify`: files and their names, and lines for continuous integration."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from mehler._files import destination
from mehler.cli._reading import option

Junit = Annotated[Path | None, option("FILE", "File to write JUnit XML to, one case per check.")]
Annotations = Annotated[
    str,
    option(
        "auto|github|none",
        "Whether to print GitHub workflow commands for unexpected outcomes; auto: in its workflows "
        "only.",
    ),
]


def require_outputs(junit: Path | None, annotations: str) -> None:
    """Require, before any work, that outputs can be written and are of a known kind."""
    from mehler import report

    if annotations not in ("auto", "github", "none"):
        raise ValueError(f"--annotations={annotations!r} is not one of auto, github, none")
    if junit is not None:
        if junit.is_dir():
            raise ValueError(f"--junit={str(junit)!r} is a directory: give a file")
        destination(junit)
        report.require_writable(junit.parent, option="--junit")


def write_outputs(found: Any, junit: Path | None, annotations: str) -> tuple[Path, ...]:
    """Write the JUnit file, and print the annotations."""
    from mehler import report

    github = os.environ.get("GITHUB_ACTIONS") == "true"
    if annotations == "github" or (annotations == "auto" and github):
        for line in report.annotations(found):
            typer.echo(line)
    return () if junit is None else (report.write_junit(found, junit),)


def shown(path: Path, here: Path) -> Path:
    """Return `path` below the working directory of the start without that directory."""
    return path.relative_to(here) if path.is_relative_to(here) else path
