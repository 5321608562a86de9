"""What several commands share: options, how DATA is read, and which files are written."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from mehler._files import require_file
from mehler._validate import require_choice
from mehler.cli._console import echo

if TYPE_CHECKING:
    from mehler.report import DataMatrix

KINDS = ".csv, .tsv, .parquet, .feather, .arrow, .npy or .npz"


def option(default: Any, metavar: str, help: str, *flags: str, **more: Any) -> Any:
    """Return an option with a value, named like its parameter unless `flags` name it."""
    return typer.Option(default, *flags, metavar=metavar, help=help, **more)


def switch(flag: str, help: str, default: bool = False, **more: Any) -> Any:
    """Return an option without a value."""
    return typer.Option(default, flag, help=help, **more)


SEED = option(0, "N", "Seed of all random numbers.")
FALSE_ALARM = option(1e-9, "A", "Probability that a check refutes a true claim.")
DEBUG = switch("--debug", "Show tracebacks.")
JUNIT = option(None, "FILE", "Write JUnit XML, one case per check.")
CERTIFICATE = option(
    None, "FILE", "Write the evidence for each verdict, for python -m mehler.recheck FILE."
)
ANNOTATIONS = option(
    "auto", "auto|github|none", "Annotate unexpected outcomes; auto: in workflows of GitHub."
)
# How DATA is read: types of the options, which `load_rows` documents and has defaults for.
HOW: dict[str, tuple[Any, Any]] = {
    "columns": (str | None, option(None, "A,B", "Columns to use, as height,weight.")),
    "drop": (str | None, option(None, "A,B", "Columns to leave out, as id,name.")),
    # Not `target`, which is an argument of `verify`.
    "labels": (str | None, option(None, "NAME", "Column of labels or values.", "--target")),
    "standardize": (bool, switch("--standardize", "Scale columns to mean 0, deviation 1.")),
    "drop_missing": (bool, switch("--drop-missing", "Leave out rows with missing values.")),
}


def reads_data(command: Callable[..., int]) -> Callable[..., int]:
    """Give a command the options that say how DATA is read; it gets their values as `how`."""
    own = inspect.signature(command, eval_str=True)
    parameters = [each for each in own.parameters.values() if each.name != "how"]
    for name, (kind, declared) in HOW.items():
        declared.rich_help_panel = "How DATA is read"
        keyword = parameters[0].kind
        parameters.append(inspect.Parameter(name, keyword, default=declared, annotation=kind))

    @functools.wraps(command)
    def called(**values: Any) -> int:
        how = {name: values.pop(name) for name in HOW}
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

    options = {name: value for name, value in options.items() if value}
    if data is None and optional:
        for name in options:
            flag = f"--{name.replace('_', '-')}"
            raise ValueError(f"{flag} says how to read DATA, which is not given")
        return None
    try:
        rows = report.load_rows(data, **options)
    except ValueError as error:
        raise ValueError(report.as_options(str(error))) from error
    for line in rows.lines() if data is not None else ():
        echo(line if line.startswith(" ") else f"mehler: {line}", error=True)
    return rows


@dataclass(frozen=True, kw_only=True)
class Outputs:
    """Files that a command writes beside its verdict, by absolute path; empty for none."""

    here: str
    annotations: str
    out: str
    junit: str
    certificate: str
    json: str = ""

    @classmethod
    def requested(
        cls, inputs: Mapping[str, str | None], files: Mapping[str, Path | None], annotations: str
    ) -> Outputs:
        """Require, before any work, that the files can be written, and that all are different.

        `inputs` are files that are read, by how they are named.
        """
        from mehler import report as reports

        require_choice("--annotations", annotations, ("auto", "github", "none"))
        places: list[tuple[str, Path]] = []
        for name, path in files.items():
            if path is not None and name != "out":
                require_file(path, f"--{name}")
            inside = reports.FILES if name == "out" else ("",)
            places += [(f"--{name}", path / each) for each in inside] if path is not None else []
        require_different(places, inputs)
        if (out := files["out"]) is not None:
            reports.require_writable(out)
            reports.require_renderers()
        full = {name: str(path.absolute()) if path else "" for name, path in files.items()}
        return cls(here=str(Path.cwd()), annotations=annotations, **full)

    def write(self, result: Any) -> dict[str, Any]:
        """Write the files, and return the exit status of a result and what `tell` prints."""
        from mehler import report as reports

        single = {"json": self.json, "junit": self.junit, "certificates": self.certificate}
        files = reports.write(result, self.out or None, **{k: v for k, v in single.items() if v})
        github = os.environ.get("GITHUB_ACTIONS") == "true"
        shown = self.annotations == "github" or (self.annotations == "auto" and github)
        below = (f.relative_to(self.here) if f.is_relative_to(self.here) else f for f in files)
        lines = [*reports.lines(result), *(f"  {path}" for path in below)]
        if getattr(result, "data", None) and not result.data.example:
            lines.append(lines.pop(0))  # the scores, where a terminal ends
        return {
            "status": result.exit_status,
            "annotations": reports.annotations(result) if shown else (),
            "lines": lines,
        }


def tell(outcome: Mapping[str, Any]) -> int:
    """Print what `Outputs.write` returned, and return the exit status."""
    if "error" in outcome:
        raise ChildProcessError(outcome["error"])
    for line in outcome["annotations"]:
        typer.echo(line.replace("##[", "##%5B"))
    for line in outcome["lines"]:
        echo(line)
    return int(outcome["status"])


def require_different(
    outputs: Sequence[tuple[str, Path]], inputs: Mapping[str, str | None]
) -> None:
    """Raise ValueError for an output that would replace an input or another, or be its folder."""
    names = {_identity(Path(file)): name for name, file in inputs.items() if file}
    folders: dict[Any, str] = {}
    for flag, path in outputs:
        parents = [_identity(each) for each in Path(os.path.realpath(path)).parents]
        here = [_identity(path), *parents]
        taken = folders.get(here[0]) or next((names[p] for p in here if p in names), None)
        if taken:
            raise ValueError(f"{flag}={path} would replace {taken}: name another file")
        names[here[0]] = f"what {flag} writes"
        folders |= dict.fromkeys(parents, f"the folder of {flag}")


def _identity(path: Path) -> Any:
    """Return what a file is, by whatever name or link."""
    try:
        status = path.stat()
    except OSError:
        return os.path.normcase(os.path.realpath(path))
    return status.st_dev, status.st_ino
