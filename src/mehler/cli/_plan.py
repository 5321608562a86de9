"""The command `mehler plan`: features needed for an accuracy."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from mehler._files import require_file, write_whole
from mehler.cli import _options as common
from mehler.cli._options import option, require_different, switch
from mehler.cli._target import load, read_target
from mehler.cli._verify import parsed

if TYPE_CHECKING:
    from mehler.planning import Plan
    from mehler.report import DataMatrix


def plan(
    ctx: typer.Context,
    data: str | None = typer.Argument(
        None, metavar="DATA", help=f"Your rows: {common.KINDS}; without, give --n-inputs."
    ),
    eps: float = option(0.1, "E", "Largest error of kernel values, and of the excess risk."),
    delta: float = option(0.01, "P", "Probability that the error is larger than E."),
    map: str | None = option(
        None,
        "NAME",
        "The map: maxout, fourier, or MODULE:FACTORY for another with a kernel and a variance, on "
        "the rows as they are.",
    ),
    arg: list[str] | None = option(None, "K=V", "An argument for FACTORY; repeatable."),
    pool_size: int = option(4, "Q", "Projections whose maximum is one maxout unit."),
    n_inputs: int | None = option(None, "D", "Number of columns; default that of DATA."),
    n_samples: int | None = option(None, "N", "Number of rows; default that of DATA."),
    dimension: float | None = option(None, "K", "Upper bound on the doubling dimension of rows."),
    lipschitz: float = option(1.0, "L", "Lipschitz constant of the loss."),
    scale: float = option(1.0, "C", "Weights on M features are at most C/M."),
    loss_bound: float = option(1.0, "B", "Largest value of the loss; the least is 0."),
    measure: bool = switch(
        "--measure/--no-measure", "Draw features and measure their error.", True
    ),
    max_rows: int = option(128, "N", "Largest number of rows to measure on."),
    seed: int = common.SEED,
    as_json: bool = switch("--json", "Print the plan as JSON."),
    out: Path | None = option(None, "FILE", "Write the plan to this file, too."),
    columns: str | None = common.COLUMNS,
    drop: str | None = common.DROP,
    labels: str | None = common.TARGET,
    standardize: bool = common.STANDARDIZE,
    drop_missing: bool = common.DROP_MISSING,
    debug: bool = common.DEBUG,
) -> int:
    """Plan the number of features for an accuracy: measured, in the limit, and by each bound.

    Exit status: 0, or 2 if it could not run.

    Example: mehler plan rows.npy --eps 0.05 --delta 0.01 --pool-size 4
    """
    if data is None and map not in (None, "maxout"):
        raise ValueError(f"--map {map} needs DATA: the numbers are those of your rows")
    if out is not None:
        require_file(out, "--out")
        require_different([("--out", out)], {"DATA": data})
    matrix = common.read(ctx.params, optional=True)
    given = {name: value for name, value in ctx.params.items() if name not in _OWN}
    as_flag = lambda m: f"--{m[0].replace('_', '-')}" if m[0] in given else m[0]  # noqa: E731
    try:
        planned = _planned(matrix, **given)
    except (ValueError, TypeError) as error:
        names = "|".join(given)
        words = re.sub(rf"\b({names})(?==|$)|\b\w+_\w+\b", as_flag, str(error))
        raise ValueError(re.sub(r"\bdata\b", "DATA", words)) from error
    text = json.dumps(planned.to_dict(), indent=1, allow_nan=False) if as_json else str(planned)
    if out is not None:
        write_whole(out, text + "\n")
    typer.echo(text)
    return 0


_OWN = {"data", "as_json", "out", "debug", *common.HOW}


def _planned(matrix: DataMatrix | None, *, map: str | None, **given: Any) -> Plan:
    """Return the plan for a map, on rows if there are any."""
    from mehler import planning

    rows: Any = None if matrix is None else matrix.values
    arguments = parsed(given.pop("arg"), "--arg")
    if map in (None, "maxout"):
        return planning.plan(rows, **given)
    spec = {"fourier": "mehler:FourierFeatures"}.get(map, map)
    read = read_target(spec, load(spec, what="--map"), rows, n_features=64, arguments=arguments)
    phi = read.draw(given["seed"])
    if not (hasattr(phi, "kernel") and hasattr(phi, "gram_variance")):
        raise ValueError(
            f"--map {map} is {read.assumed}, which declares no kernel and no variance: give a map "
            "of mehler, or a class of mehler.features.FeatureMap"
        )
    return planning.plan(rows, map=phi, **given)
