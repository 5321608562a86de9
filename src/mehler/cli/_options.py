"""Shared by several commands: options, reading DATA, writing files."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from mehler._files import require_file
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
_READING: dict[str, Any] = {"rich_help_panel": "How DATA is read"}
COLUMNS = option(None, "A,B", "Columns to use, as height,weight.", **_READING)
DROP = option(None, "A,B", "Columns to leave out, as id,name.", **_READING)
TARGET = option(None, "NAME", "Column of labels or values.", "--target", **_READING)
STANDARDIZE = switch("--standardize", "Scale columns to mean 0, deviation 1.", **_READING)
DROP_MISSING = switch("--drop-missing", "Leave out rows with missing values.", **_READING)
# Parameters of these options in a command, where `target` is an argument of `verify`.
HOW = ("columns", "drop", "labels", "standardize", "drop_missing")


def read(parameters: Mapping[str, Any], *, optional: bool = False) -> DataMatrix | None:
    """Read DATA, and print a summary and the decisions on standard error.

    `parameters` are those of the command; without an `optional` DATA its options are refused.
    """
    from mehler import report

    data, words = parameters["data"], {name: parameters[name] for name in HOW if parameters[name]}
    options = {name.replace("labels", "target"): word for name, word in words.items()}
    if data is None and optional:
        for name in options:
            flag = f"--{name.replace('_', '-')}"
            raise ValueError(f"{flag} is an option for reading DATA: give a file")
        return None
    try:
        rows = report.load_rows(data, **options)
    except ValueError as error:
        raise ValueError(report.as_options(str(error))) from error
    for line in rows.lines() if data is not None else ():
        echo(line if line.startswith(" ") else f"mehler: {line}", error=True)
    return rows


def outputs(inputs: Mapping[str, str | None], files: Mapping[str, Path | None]) -> dict[str, str]:
    """Require, before any work, that files can be written and differ; return options of `write`."""
    from mehler import report as reports

    places: list[tuple[str, Path]] = []
    for name, path in files.items():
        if path is not None and name != "out":
            require_file(path, f"--{name}")
        inside = reports.FILES if name == "out" else ("",)
        places += [(f"--{name}", path / file) for file in inside] if path is not None else []
    require_different(places, inputs)
    if (out := files["out"]) is not None:
        reports.require_writable(out)
        reports.require_renderers()
    full = {name: str(path.absolute()) if path else "" for name, path in files.items()}
    return {"here": str(Path.cwd()), **full}


def write(
    result: Any, *, here: str, out: str, junit: str, certificate: str, json: str = ""
) -> dict[str, Any]:
    """Write the files; return the exit status of a result and the lines for `tell`."""
    from mehler import report as reports

    single = {"json": json, "junit": junit, "certificates": certificate}
    files = reports.write(result, out or None, **{k: v for k, v in single.items() if v})
    below = (f.relative_to(here) if f.is_relative_to(here) else f for f in files)
    lines = [*reports.lines(result), *(f"  {path}" for path in below)]
    if getattr(result, "data", None) and not result.data.example:
        lines.append(lines.pop(0))  # the scores, where a terminal ends
    return {"status": result.exit_status, "lines": lines}


def sources(*specs: str | None) -> dict[str, str | None]:
    """Return the files that MODULE:NAME reads, for `require_different`, by how they are named."""
    modules = [spec.rpartition(":")[0] for spec in specs if spec]
    files = [name if name.endswith(".py") else name.replace(".", "/") + ".py" for name in modules]
    return {file: file for file in files}


def tell(outcome: Mapping[str, Any]) -> int:
    """Print the lines from `write`, and return the exit status."""
    if "error" in outcome:
        raise ChildProcessError(outcome["error"])
    for line in outcome["lines"]:
        echo(line)
    return int(outcome["status"])


def require_different(
    outputs: Sequence[tuple[str, Path]], inputs: Mapping[str, str | None]
) -> None:
    """Raise ValueError for an output that would replace an input or another, or be its folder."""
    names = {_place(file): name for name, file in inputs.items() if file}
    folders: dict[Any, str] = {}
    for flag, path in outputs:
        place, parents = _place(path), [_place(p) for p in Path(os.path.realpath(path)).parents]
        owner = folders.get(place) or next((names[p] for p in (place, *parents) if p in names), "")
        if owner:
            raise ValueError(f"{flag}={path} would replace {owner}: name another file")
        names[place] = f"what {flag} writes"
        folders |= dict.fromkeys(parents, f"the folder of {flag}")


def _place(path: str | Path) -> Any:
    """Return what two names of one file have in common, links of both kinds included."""
    full = os.path.realpath(path)
    return (os.stat(full).st_dev, os.stat(full).st_ino) if os.path.exists(full) else full
