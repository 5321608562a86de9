"""The options that say how DATA is read, shared by the commands, and saying what was read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from mehler.report import DataMatrix

KINDS = ".csv, .tsv, .parquet, .feather, .arrow, .npy or .npz"

Columns = Annotated[
    str | None,
    typer.Option("--columns", metavar="A,B", help="The columns of DATA to take; default all."),
]
Drop = Annotated[
    str | None, typer.Option("--drop", metavar="A,B", help="Columns of DATA to leave out.")
]
Target = Annotated[
    str | None,
    typer.Option(
        "--target", metavar="NAME", help="The column of labels or values, left out of the rows."
    ),
]
Standardize = Annotated[
    bool, typer.Option("--standardize", help="Shift and scale columns to mean 0 and deviation 1.")
]
DropMissing = Annotated[
    bool, typer.Option("--drop-missing", help="Leave out rows with missing values.")
]
Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="Whether the first line of a text file holds names; default: told from its cells.",
        show_default=False,
    ),
]
Array = Annotated[
    str | None,
    typer.Option("--array", metavar="NAME", help="Which array of a .npz; default X."),
]
UnpackLimit = Annotated[
    float, typer.Option("--unpack-limit", metavar="GIB", help="Most that a .npz may unpack to.")
]


def read(data: Any, **options: Any) -> DataMatrix:
    """Read rows, and print on standard error what they are and what was decided."""
    from mehler import report

    found = report.load_rows(data, **options)
    for line in found.lines():
        typer.echo(f"mehler: {line}" if not line.startswith(" ") else line, err=True)
    return found
