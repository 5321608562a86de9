"""The command `mehler plan`: features needed for an accuracy."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from mehler._files import destination, write_whole
from mehler._validate import choice
from mehler.cli._reading import (
    KINDS,
    LIMIT,
    Array,
    Columns,
    Drop,
    DropMissing,
    Header,
    Standardize,
    Target,
    UnpackLimit,
    read,
)


def plan(
    data: Annotated[
        str | None,
        typer.Argument(
            metavar="DATA",
            help=f"Your rows: {KINDS}; they are divided by their norms. Without it give numbers.",
        ),
    ] = None,
    eps: Annotated[
        float, typer.Option("--eps", metavar="E", help="Error of kernel values, and of the risk.")
    ] = 0.1,
    delta: Annotated[
        float, typer.Option("--delta", metavar="P", help="Chance of a larger error.")
    ] = 0.01,
    pool_size: Annotated[
        int, typer.Option("--pool-size", metavar="Q", help="Projections a unit.")
    ] = 4,
    n_inputs: Annotated[
        int | None, typer.Option("--n-inputs", metavar="D", help="Columns of the rows.")
    ] = None,
    n_samples: Annotated[
        int | None, typer.Option("--n-samples", metavar="N", help="Rows that are planned for.")
    ] = None,
    dimension: Annotated[
        float | None,
        typer.Option("--dimension", metavar="K", help="Upper bound of the doubling dimension."),
    ] = None,
    diameter: Annotated[
        float | None, typer.Option("--diameter", metavar="R", help="Of the set of unit rows.")
    ] = None,
    lipschitz: Annotated[
        float, typer.Option("--lipschitz", metavar="L", help="Of the loss.")
    ] = 1.0,
    scale: Annotated[
        float, typer.Option("--scale", metavar="C", help="Weights are at most C/m.")
    ] = 1.0,
    loss_bound: Annotated[
        float, typer.Option("--loss-bound", metavar="B", help="The loss lies in [0, B].")
    ] = 1.0,
    measure: Annotated[
        bool, typer.Option("--measure/--no-measure", help="Whether to draw features and measure.")
    ] = True,
    max_rows: Annotated[
        int, typer.Option("--max-rows", metavar="N", help="Rows that are measured at most.")
    ] = 128,
    task: Annotated[
        str,
        typer.Option("--task", metavar="kernel|ridge", help="What to plan for."),
    ] = "kernel",
    noise: Annotated[
        float, typer.Option("--noise", metavar="S", help="Ridge: deviation of the targets.")
    ] = 0.1,
    norm: Annotated[
        float, typer.Option("--norm", metavar="B", help="Ridge: norm of the regression function.")
    ] = 1.0,
    gamma: Annotated[
        float, typer.Option("--gamma", metavar="G", help="Ridge: of the Gaussian kernel.")
    ] = 1.0,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Of all random numbers.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, for machines.")] = False,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write it there as well.")
    ] = None,
    columns: Columns = None,
    drop: Drop = None,
    target: Target = None,
    standardize: Standardize = False,
    drop_missing: DropMissing = False,
    header: Header = None,
    array: Array = None,
    unpack_limit: UnpackLimit = LIMIT,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks.")] = False,
) -> int:
    """Plan the number of features for an accuracy: measured, in the limit, and by each bound.

    With --task ridge, plan the ridge, and the features at which the risk of ridge regression is
    within a part --eps of the exact kernel's.

    Exit status: 0, or 2 if it could not run.
    """
    from mehler import planning

    choice("--task", task, ("kernel", "ridge"))
    if task == "ridge" and data is None:
        raise ValueError("--task ridge needs DATA: the effective dimension is that of your rows")
    if out is not None:
        _require_file(out)
    rows, sampled = None, None
    found = read(
        data,
        optional=True,
        columns=columns,
        drop=drop,
        target=target,
        standardize=standardize,
        drop_missing=drop_missing,
        header=header,
        array=array,
        unpack_limit=unpack_limit,
    )
    if found is not None:
        if found.n_zero_rows:
            raise ValueError(
                f"DATA={data!r} has rows of zeros, {found.n_zero_rows} in all; they have no "
                "direction: remove them"
            )
        rows = found.values
        if found.n_not_held and task == "ridge":
            raise ValueError(
                f"DATA={data!r} has {found.n_rows} rows, too many to hold, and the effective "
                "dimension is that of all: give a file with some of them"
            )
        if found.n_not_held:
            sampled = (
                f"Dimension, diameter and errors are those of {len(rows)} rows, evenly spaced "
                f"among {found.n_rows}, and may be larger for all: proved rows hold if the first "
                "two are not."
            )
            n_samples = found.n_rows if n_samples is None else n_samples
    planned = (
        planning.plan_ridge(
            rows,
            noise=noise,
            norm=norm,
            eps=eps,
            pool_size=pool_size,
            gamma=gamma,
            seed=seed,
            measure=measure,
        )
        if task == "ridge"
        else planning.plan(
            rows,
            n_inputs=n_inputs,
            n_samples=n_samples,
            dimension=dimension,
            diameter=diameter,
            pool_size=pool_size,
            eps=eps,
            delta=delta,
            lipschitz=lipschitz,
            scale=scale,
            loss_bound=loss_bound,
            seed=seed,
            max_rows=max_rows,
            measure=measure,
        )
    )
    if sampled:
        planned = replace(planned, notes=(*planned.notes, sampled))
    text = json.dumps(planned.to_dict(), indent=1, allow_nan=False) if as_json else str(planned)
    if out is not None:
        write_whole(out, text + "\n")
    typer.echo(text)
    return 0


def _require_file(out: Path) -> None:
    """Require that a file can be written, before any work."""
    from mehler import report

    if out.is_dir():
        raise ValueError(f"--out={str(out)!r} is a directory: give a file")
    destination(out)
    report.require_writable(out.parent)
