"""What several commands share: options, how DATA is read, and which files are written."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mehler._files import require_file
from mehler._validate import require_choice

if TYPE_CHECKING:
    from mehler.report import DataMatrix

KINDS = ".csv, .tsv, .parquet, .feather, .npy or .npz"


def option(metavar: str, help: str, *flags: str, **more: Any) -> Any:
    """Return an option with a value, named like its parameter unless `flags` name it."""
    return typer.Option(*flags, metavar=metavar, help=help, **more)


def switch(flag: str, help: str, **more: Any) -> Any:
    """Return an option without a value."""
    return typer.Option(flag, help=help, **more)


Seed = Annotated[int, option("N", "Seed of all random numbers.")]
FalseAlarm = Annotated[float, option("A", "Probability that a check refutes a true claim.")]
Debug = Annotated[bool, switch("--debug", "Show tracebacks.")]
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
# How DATA is read: types of the options, which `load_rows` documents and has defaults for.
_HOW: dict[str, tuple[Any, Any]] = {
    "columns": (str | None, option("A,B", "Columns to use, as height,weight; default all.")),
    "drop": (str | None, option("A,B", "Columns to leave out, as id,name.")),
    "labels": (  # not `target`, which is an argument of `verify`
        str | None,
        option(
            "NAME", "Column of labels or values, as price; it is no part of the rows.", "--target"
        ),
    ),
    "standardize": (bool, switch("--standardize", "Scale columns to mean 0, deviation 1.")),
    "drop_missing": (bool, switch("--drop-missing", "Leave out rows with missing values.")),
}


def reads_data(command: Callable[..., int]) -> Callable[..., int]:
    """Give a command the options that say how DATA is read; it gets their values as `how`."""
    own = inspect.signature(command, eval_str=True)
    parameters = [each for each in own.parameters.values() if each.name != "how"]
    for name, (kind, declared) in _HOW.items():
        declared.rich_help_panel = "How DATA is read"
        default = False if kind is bool else None
        annotation: Any = Annotated[kind, declared]
        keyword = parameters[0].kind
        parameters.append(inspect.Parameter(name, keyword, default=default, annotation=annotation))

    @functools.wraps(command)
    def called(**values: Any) -> int:
        how = {name: values.pop(name) for name in _HOW}
        return command(**values, how={"target": how.pop("labels"), **how})

    called.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]  # for typer
    called.__annotations__ = {each.name: each.annotation for each in parameters}
    return called


def read(data: Any, *, optional: bool = False, **options: Any) -> DataMatrix | None:
    """Read rows, and print on standard error what they are and what was decided.

    Where DATA is `optional` and not given, nothing is read, and options about it are refused. The
    rows that stand in for it elsewhere are not announced.
    """
    from mehler import report

    options = {name: value for name, value in options.items() if value is not None}
    if data is None and optional:
        for name, value in options.items():
            if value:
                option = f"--{name.replace('_', '-')}"
                raise ValueError(f"{option} says how to read DATA, which is not given")
        return None
    rows = report.load_rows(data, **options)
    for line in rows.lines() if data is not None else ():
        typer.echo(line if line.startswith(" ") else f"mehler: {line}", err=True)
    return rows


@dataclass(frozen=True, kw_only=True)
class Outputs:
    """What a command writes and prints beside its verdict; refused before any work.

    Paths are those below the working directory of the start, which code of others may change.
    """

    out: Path | None = None
    json: Path | None = None
    junit: Path | None = None
    certificate: Path | None = None
    annotations: str = "auto"
    here: Path = field(default_factory=Path.cwd)

    def __post_init__(self) -> None:
        from mehler import report as reports

        if self.out is not None:
            reports.require_writable(self.out)
            reports.require_renderers()
        for name in ("json", "junit", "certificate"):
            if (file := getattr(self, name)) is not None:
                require_file(file, f"--{name}")
        require_choice("--annotations", self.annotations, ("auto", "github", "none"))

    def write(self, result: Any) -> int:
        """Write the files, print the lines of a result, and return its exit status."""
        from mehler import report as reports

        files: list[Path] = []
        if self.out is not None:
            link = None if self.certificate is None else self.here / self.certificate
            files += reports.write(result, self.here / self.out, certificates=link)
        if self.json is not None:
            files.append(reports.write_json(result, self.here / self.json))
        github = os.environ.get("GITHUB_ACTIONS") == "true"
        if self.annotations == "github" or (self.annotations == "auto" and github):
            for line in reports.annotations(result):
                typer.echo(line)
        if self.junit is not None:
            files.append(reports.write_junit(result, self.here / self.junit))
        if self.certificate is not None:
            files.append(reports.write_certificates(result, self.here / self.certificate))
        below = (f.relative_to(self.here) if f.is_relative_to(self.here) else f for f in files)
        for line in (*reports.lines(result), *(f"  {path}" for path in below)):
            typer.echo(line)
        return int(result.exit_status)
