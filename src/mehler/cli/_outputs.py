"""Options for continuous integration, shared by `report` and `verify`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from mehler._files import destination

Junit = Annotated[
    Path | None,
    typer.Option("--junit", metavar="FILE", help="Write JUnit XML, one test case per check."),
]
Annotations = Annotated[
    str,
    typer.Option(
        "--annotations",
        metavar="auto|github|none",
        help="Print GitHub workflow commands for unexpected outcomes; auto: in its workflows only.",
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
