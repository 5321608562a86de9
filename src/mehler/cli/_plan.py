"""The command `mehler plan`: features needed for an accuracy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from mehler._files import require_file, write_whole
from mehler._validate import require_choice
from mehler.cli._options import (
    KINDS,
    Debug,
    Seed,
    option,
    read,
    reads_data,
    require_different,
    switch,
)


@reads_data
def plan(
    data: Annotated[
        str | None,
        typer.Argument(
            metavar="DATA",
            help=f"Your rows: {KINDS}; they are divided by their norms. Without DATA give "
            "at least --n-inputs.",
        ),
    ] = None,
    eps: Annotated[
        float, option("E", "Largest error wanted of kernel values, and of the excess risk.")
    ] = 0.1,
    delta: Annotated[float, option("P", "Probability that the error is larger than E.")] = 0.01,
    pool_size: Annotated[int, option("Q", "Projections whose maximum is one maxout unit.")] = 4,
    n_inputs: Annotated[int | None, option("D", "Number of columns; default that of DATA.")] = None,
    n_samples: Annotated[int | None, option("N", "Number of rows; default that of DATA.")] = None,
    dimension: Annotated[
        float | None,
        option("K", "Upper bound on the doubling dimension of the rows; default from DATA."),
    ] = None,
    diameter: Annotated[
        float | None,
        option("R", "Largest distance of two rows of norm 1; default from DATA, else 2."),
    ] = None,
    lipschitz: Annotated[float, option("L", "Lipschitz constant of the loss.")] = 1.0,
    scale: Annotated[float, option("C", "Weights on M features are at most C/M.")] = 1.0,
    loss_bound: Annotated[float, option("B", "Largest value of the loss; the least is 0.")] = 1.0,
    ridge: Annotated[
        float | None,
        option(
            "L",
            "Ridge, as in mehler.learn.ridge: plan the spectral error of the Gram matrix of DATA "
            "relative to it, and the nearest function, too.",
        ),
    ] = None,
    group_order: Annotated[
        int | None,
        option("N", "Order of a finite group: plan the elements to sample, too."),
    ] = None,
    measure: Annotated[
        bool, switch("--measure/--no-measure", "Whether to draw features and measure their error.")
    ] = True,
    max_rows: Annotated[int, option("N", "Largest number of rows to measure on.")] = 128,
    task: Annotated[
        str,
        option(
            "kernel|ridge",
            "What to plan: features for the kernel and the risk, or ridge regression.",
        ),
    ] = "kernel",
    noise: Annotated[
        float, option("S", "For --task ridge: standard deviation of the noise of the targets.")
    ] = 0.1,
    norm: Annotated[float, option("B", "For --task ridge: norm of the regression function.")] = 1.0,
    gamma: Annotated[
        float, option("G", "For --task ridge: gamma of the kernel exp(-gamma |x - y|^2).")
    ] = 1.0,
    seed: Seed = 0,
    as_json: Annotated[bool, switch("--json", "Print the plan as JSON.")] = False,
    out: Annotated[Path | None, option("FILE", "File to write the plan to as well.")] = None,
    debug: Debug = False,
    how: Any = None,
) -> int:
    """Plan the number of features for an accuracy: measured, in the limit, and by each bound.

    With --task ridge, plan the ridge, and the features at which the risk of ridge regression is
    within a part --eps of the exact kernel's.

    Exit status: 0, or 2 if it could not run.

    Example: mehler plan rows.npy --eps 0.05 --delta 0.01 --pool-size 4
    """
    from mehler import planning

    require_choice("--task", task, ("kernel", "ridge"))
    if task == "ridge" and data is None:
        raise ValueError("--task ridge needs DATA: the effective dimension is that of your rows")
    if out is not None:
        require_different([("--out", out)], {"DATA": data})
        require_file(out, "--out")
    rows = None
    matrix = read(data, optional=True, **how)
    if matrix is not None:
        if matrix.n_zero_rows:
            raise ValueError(
                f"DATA={data!r} has rows of zeros, {matrix.n_zero_rows} in all; they have no "
                "direction: remove them"
            )
        rows = matrix.values
    common: dict[str, Any] = {"eps": eps, "pool_size": pool_size, "seed": seed, "measure": measure}
    if task == "ridge":
        planned = planning.plan_ridge(rows, noise=noise, norm=norm, gamma=gamma, **common)
    else:
        planned = planning.plan(
            rows,
            n_inputs=n_inputs,
            n_samples=n_samples,
            dimension=dimension,
            diameter=diameter,
            delta=delta,
            lipschitz=lipschitz,
            scale=scale,
            loss_bound=loss_bound,
            ridge=ridge,
            group_order=group_order,
            max_rows=max_rows,
            **common,
        )
    text = json.dumps(planned.to_dict(), indent=1, allow_nan=False) if as_json else str(planned)
    if out is not None:
        write_whole(out, text + "\n")
    typer.echo(text)
    return 0
