"""The options that several commands share: how DATA is read, the seed, tracebacks."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from mehler.report import DataMatrix

# GiB, as of `mehler.report.load_rows`, which is imported by the commands alone.
LIMIT = 1.0
KINDS = ".csv, .tsv, .parquet, .feather, .arrow, .npy or .npz"


def option(metavar: str, help: str, *flags: str, **more: Any) -> Any:
    """Return an option with a value, named like its parameter unless `flags` name it."""
    return typer.Option(*flags, metavar=metavar, help=help, **more)


def switch(flag: str, help: str, **more: Any) -> Any:
    """Return an option without a value."""
    return typer.Option(flag, help=help, **more)


Seed = Annotated[int, option("N", "Seed of all random numbers.")]
FalseAlarm = Annotated[float, option("A", "Probability that a check refutes a true claim.")]
Debug = Annotated[bool, switch("--debug", "Show tracebacks.")]
_HOW: dict[str, tuple[Any, Any, Any]] = {
    "columns": (str | None, None, option("A,B", "Columns to use, as height,weight; default all.")),
    "drop": (str | None, None, option("A,B", "Columns to leave out, as id,name.")),
    "labels": (
        str | None,
        None,
        option(
            "NAME", "Column of labels or values, as price; it is no part of the rows.", "--target"
        ),
    ),
    "standardize": (bool, False, switch("--standardize", "Scale columns to mean 0, deviation 1.")),
    "drop_missing": (bool, False, switch("--drop-missing", "Leave out rows with missing values.")),
    "header": (
        bool | None,
        None,
        switch(
            "--header/--no-header",
            "Whether the first line of a text file names the columns; default: if it has no "
            "number.",
            show_default=False,
        ),
    ),
    "delimiter": (
        str | None,
        None,
        option("C", "What separates cells of a text file, as ';'; default ',', of .tsv a tab."),
    ),
    "decimal": (str, ".", option("C", "Decimal mark of a text file: . or ,")),
    "encoding": (str, "utf-8", option("NAME", "Encoding of a text file, as latin-1 or utf-16.")),
    "skip_lines": (int, 0, option("N", "Lines above the header of a text file, as 2.")),
    "array": (str | None, None, option("NAME", "Array to use of a .npz file, as rows; default X.")),
    "unpack_limit": (
        float,
        LIMIT,
        option("GIB", "Largest size of packed files once unpacked, as 4."),
    ),
}


def reads_data(command: Callable[..., int]) -> Callable[..., int]:
    """Give a command the options that say how DATA is read, and `read` what they say, as `how`."""
    own = inspect.signature(command, eval_str=True)
    taken = [one for one in own.parameters.values() if one.name != "how"]
    for name, (kind, default, declared) in _HOW.items():
        declared.rich_help_panel = "How DATA is read"
        taken.append(
            inspect.Parameter(
                name, taken[0].kind, default=default, annotation=Annotated[kind, declared]
            )
        )

    @functools.wraps(command)
    def called(**values: Any) -> int:
        how = {name: values.pop(name) for name in _HOW}
        return command(**values, how={"target": how.pop("labels"), **how})

    called.__signature__ = own.replace(parameters=taken)  # type: ignore[attr-defined]  # for typer
    called.__annotations__ = {one.name: one.annotation for one in taken}
    return called


def read(data: Any, *, optional: bool = False, **options: Any) -> DataMatrix | None:
    """Read rows, and print on standard error what they are and what was decided.

    Where DATA is `optional` and not given, nothing is read, and options about it are refused. The
    rows that stand in for it elsewhere are not announced.
    """
    from mehler import report

    if data is None and optional:
        default = {"target": None, **{name: how[1] for name, how in _HOW.items()}}
        foreign = [name for name, value in options.items() if value != default[name]]
        if foreign:
            option = foreign[0].replace("_", "-")
            raise ValueError(f"--{option} says how to read DATA, which is not given")
        return None
    rows = report.load_rows(data, **options)
    for line in rows.lines() if data is not None else ():
        typer.echo(line if line.startswith(" ") else f"mehler: {line}", err=True)
    return rows
