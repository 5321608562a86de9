"""The command `mehler plan`: features needed for an accuracy."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import typer

from mehler._files import require_file, write_whole
from mehler._validate import require_choice
from mehler.cli import _options as common
from mehler.cli._options import option, read, reads_data, require_different, switch
from mehler.cli._target import load, read_target
from mehler.cli._verify import parsed
from mehler.kernels import make

if TYPE_CHECKING:
    from mehler.planning import Plan
    from mehler.report import DataMatrix


@reads_data
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
        "the rows as they are; for --task ridge some of maxout, centred-maxout, fourier, relu.",
    ),
    arg: list[str] | None = option(None, "K=V", "An argument for FACTORY; repeatable."),
    pool_size: int = option(4, "Q", "Projections whose maximum is one maxout unit."),
    n_inputs: int | None = option(None, "D", "Number of columns; default that of DATA."),
    n_samples: int | None = option(None, "N", "Number of rows; default that of DATA."),
    dimension: float | None = option(None, "K", "Upper bound on the doubling dimension of rows."),
    diameter: float | None = option(None, "R", "Largest distance of two rows of norm 1."),
    lipschitz: float = option(1.0, "L", "Lipschitz constant of the loss."),
    scale: float = option(1.0, "C", "Weights on M features are at most C/M."),
    loss_bound: float = option(1.0, "B", "Largest value of the loss; the least is 0."),
    ridge: float | None = option(
        None,
        "L",
        "Plan also the spectral error of the Gram matrix relative to this ridge, and the "
        "approximation.",
    ),
    group_order: int | None = option(None, "N", "Order of a finite group, to plan its elements."),
    measure: bool = switch(
        "--measure/--no-measure", "Draw features and measure their error.", True
    ),
    max_rows: int = option(128, "N", "Largest number of rows to measure on."),
    task: str = option("kernel", "kernel|ridge", "Plan the kernel and the risk, or regression."),
    noise: float | None = option(None, "S", "Noise of the target; default: estimated, or 0.1."),
    norm: float | None = option(None, "B", "Norm of the function; default: estimated, or 1."),
    gamma: float = option(1.0, "G", "gamma of exp(-gamma |x - y|^2), for --task ridge."),
    seed: int = common.SEED,
    as_json: bool = switch("--json", "Print the plan as JSON."),
    out: Path | None = option(None, "FILE", "Write the plan to this file, too."),
    debug: bool = common.DEBUG,
    how: Any = None,
) -> int:
    """Plan the number of features for an accuracy: measured, in the limit, and by each bound.

    With --task ridge: the ridge, and the number of features at which the risk of ridge regression
    exceeds that of the exact kernel by a factor of 1 + eps at most.

    Exit status: 0, or 2 if it could not run.

    Example: mehler plan rows.npy --eps 0.05 --delta 0.01 --pool-size 4
    """
    require_choice("--task", task, ("kernel", "ridge"))
    if data is None and (task == "ridge" or map not in (None, "maxout")):
        flag = "--task ridge" if task == "ridge" else f"--map {map}"
        raise ValueError(f"{flag} needs DATA: the numbers are those of your rows")
    if out is not None:
        require_file(out, "--out")
        require_different([("--out", out)], {"DATA": data})
    matrix = read(data, optional=True, **how)
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


def _planned(matrix: DataMatrix | None, *, task: str, map: str | None, **given: Any) -> Plan:
    """Return the plan of a task for a map, on rows if there are any."""
    from mehler import planning

    rows: Any = None if matrix is None else matrix.values
    arguments = parsed(given.pop("arg"), "--arg")
    noise, norm, gamma = given.pop("noise"), given.pop("norm"), given.pop("gamma")
    if task == "ridge":
        notes: tuple[str, ...] = ()
        if matrix is not None and matrix.target is not None and None in (noise, norm):
            estimate = _noise_and_norm(matrix, gamma)
            noise, norm = noise or estimate[0], norm or estimate[1]
            notes = (
                f"Of the target {matrix.target_name}, by the ridge of the least leave-one-out "
                f"error: noise {noise:.3g}, norm {norm:.3g}.",
            )
        common = {key: given[key] for key in ("eps", "pool_size", "seed", "measure")}
        if map is not None:
            common["maps"] = tuple(map.split(","))
        planned = planning.plan_ridge(
            rows, noise=noise or 0.1, norm=norm or 1.0, gamma=gamma, **common
        )
        return replace(planned, notes=(*planned.notes, *notes))
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
    return planning.plan_map(phi, rows, **{k: given[k] for k in ("eps", "delta", "n_samples")})


def _noise_and_norm(matrix: DataMatrix, gamma: float) -> tuple[float, float]:
    """Return the leave-one-out error of the best ridge, and the norm of its function.

    Of unit rows and a centred target, at most 2000 of them, with the exact kernel.
    """
    if matrix.target is None or matrix.target.dtype.kind not in "fiub":
        raise ValueError("--task ridge is regression: --target is of labels, give numbers")
    step = -(-matrix.n_rows // 2000)
    X, y = matrix.values[::step], matrix.target[::step].astype(float)
    X = X / np.linalg.norm(X, axis=1, keepdims=True)
    values, vectors = np.linalg.eigh(make("rbf", gamma=gamma)(X, X))
    rotated = vectors.T @ (y - y.mean())
    best = math.inf, 0.0
    for ridge in len(X) * 10.0 ** np.arange(-8.0, 3.0):
        left = ridge / (np.maximum(values, 0.0) + ridge)
        error = (vectors @ (left * rotated)) / (vectors**2 @ left)
        norm = np.sqrt(np.sum(values * (left * rotated / ridge) ** 2))
        best = min(best, (float(np.sqrt(np.mean(error**2))), float(norm)))
    return best
