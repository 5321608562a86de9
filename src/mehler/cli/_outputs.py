"""Outputs of `report` and `verify`: files and their names, and lines for continuous integration."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from mehler._files import require_file
from mehler.cli._reading import option

Junit = Annotated[Path | None, option("FILE", "File to write JUnit XML to, one case per check.")]
Certificate = Annotated[
    Path | None,
    option(
        "FILE",
        "File to write to what each verdict rests on, as JSON: python -m mehler.recheck FILE "
        "decides it again.",
    ),
]
Annotations = Annotated[
    str,
    option(
        "auto|github|none",
        "Whether to print GitHub workflow commands for unexpected outcomes; auto: in its workflows "
        "only.",
    ),
]


def require_outputs(junit: Path | None, annotations: str, certificate: Path | None) -> None:
    """Require, before any work, that outputs can be written and are of a known kind."""
    if annotations not in ("auto", "github", "none"):
        raise ValueError(f"--annotations={annotations!r} is not one of auto, github, none")
    for name, file in (("--junit", junit), ("--certificate", certificate)):
        if file is not None:
            require_file(file, name)


def write_outputs(
    result: Any, junit: Path | None, annotations: str, certificate: Path | None, here: Path
) -> tuple[Path, ...]:
    """Write the JUnit file and the certificates, and print the annotations."""
    from mehler import report

    github = os.environ.get("GITHUB_ACTIONS") == "true"
    if annotations == "github" or (annotations == "auto" and github):
        for line in report.annotations(result):
            typer.echo(line)
    written: tuple[Path, ...] = ()
    if junit is not None:
        written += (report.write_junit(result, here / junit),)
    if certificate is not None:
        written += (report.write_certificates(result, here / certificate),)
    return written


def shown(path: Path, here: Path) -> Path:
    """Return `path` below the working directory of the start without that directory."""
    return path.relative_to(here) if path.is_relative_to(here) else path
