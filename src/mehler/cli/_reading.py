"""The options that say how DATA is read, shared by the commands, and saying what was read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from mehler.report import DataMatrix

# GiB, as of `mehler.report.load_rows`, which is imported by the commands alone.
LIMIT = 1.0
KINDS = ".csv, .tsv, .parquet, .feather, .arrow, .npy or .npz"

Columns = Annotated[
    str | None,
    typer.Option("--columns", metavar="A,B", help="Columns of DATA to use; default all."),
]
Drop = Annotated[
    str | None, typer.Option("--drop", metavar="A,B", help="Columns of DATA to leave out.")
]
Target = Annotated[
    str | None,
    typer.Option(
        "--target", metavar="NAME", help="Column of labels or values, no part of the rows."
    ),
]
Standardize = Annotated[
    bool, typer.Option("--standardize", help="Scale columns to mean 0 and deviation 1.")
]
DropMissing = Annotated[
    bool, typer.Option("--drop-missing", help="Leave out rows with missing values.")
]
Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="Whether a text file's first line names the columns; default: judged by its cells.",
        show_default=False,
    ),
]
Array = Annotated[
    str | None,
    typer.Option("--array", metavar="NAME", help="Name of the array in a .npz; default X."),
]
UnpackLimit = Annotated[
    float, typer.Option("--unpack-limit", metavar="GIB", help="Largest size of an unpacked .npz.")
]


def read(data: Any, *, optional: bool = False, **options: Any) -> DataMatrix | None:
    """Read rows, and print on standard error what they are and what was decided.

    Where DATA is `optional` and not given, nothing is read, and options about it are refused. The
    rows that stand in for it elsewhere are not announced.
    """
    from mehler import report

    if data is None and optional:
        usual = {"standardize": False, "drop_missing": False, "unpack_limit": LIMIT}
        given = [name for name, value in options.items() if value != usual.get(name)]
        if given:
            option = given[0].replace("_", "-")
            raise ValueError(f"--{option} says how to read DATA, which is not given")
        return None
    found = report.load_rows(data, **options)
    for line in found.lines() if data is not None else ():
        typer.echo(line if line.startswith(" ") else f"mehler: {line}", err=True)
    return found
