"""The command `mehler reproduce`: rerun the papers' experiments."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mehler.cli._progress import progress_bar


def reproduce(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="Experiment to rerun; without it, list them."),
    ] = None,
    out: Annotated[
        Path,
        typer.Option(
            "--out", metavar="DIR", help="Directory for the page, JSON and finished cells."
        ),
    ] = Path("mehler-reproduce"),
    level: Annotated[
        str, typer.Option("--level", metavar="quick|full", help="Size of the experiment.")
    ] = "quick",
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", help="Seed of all random numbers.")
    ] = 0,
    data: Annotated[
        Path | None,
        typer.Option(
            "--data",
            metavar="FOLDER",
            help="Folder of MNIST, as `mehler data fetch` fills it; of leverage, UCI's files.",
        ),
    ] = None,
    partial: Annotated[
        bool,
        typer.Option("--partial", help="Measure nothing; write up the finished cells."),
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks.")] = False,
) -> int:
    """Rerun an experiment of a paper; write its numbers beside the printed ones, and JSON.

    The same command resumes a run that was killed.
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
                partial=partial,
                progress=progress,
            )
    except room.Stopped as stopped:
        raise ValueError(str(stopped)) from stopped
    for verdict in outcome.page.verdicts:
        typer.echo(verdict)
    for ending in ("html", "json"):
        typer.echo(f"  {out / name / f'{name}.{ending}'}")
    return 0
