"""The command `mehler verify`: check any map against a kernel."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import numpy as np
import typer

from mehler.cli import _options as common
from mehler.cli._options import option, switch
from mehler.cli._process import answer

# Most rows of DATA that are compared, evenly spaced in the file.
_MOST_ROWS = 20


def verify(
    ctx: typer.Context,
    target: str = typer.Argument(
        metavar="MODULE:FACTORY",
        help="The map to check: a transformer (class or instance), a class whose objects are "
        "called with X, a function of a seed that returns a map, or a map X -> Z. MODULE is a "
        "dotted name, or the path of a .py file.",
    ),
    kernel: str = option(
        ...,
        "NAME",
        "The kernel that the map should have: rbf, exp, laplacian, matern, linear, polynomial, "
        "arc-cosine, maxout, collision, skewed-chi2, additive-chi2, or MODULE:FUNCTION.",
    ),
    param: list[str] | None = option(None, "K=V", "A parameter of the kernel; repeatable."),
    arg: list[str] | None = option(None, "K=V", "An argument for FACTORY; repeatable."),
    n_features: int | None = option(None, "M", "Number of features of a map.", "--features"),
    inputs: int | None = option(None, "D", "Number of columns of the random rows; default 5."),
    data: str | None = option(None, "FILE", f"Rows instead of random ones: {common.KINDS}."),
    resolution: float = option(
        0.02, "R", "Smallest deviation that must be found, in units of sqrt(k(x,x) k(y,y))."
    ),
    false_alarm: float = common.FALSE_ALARM,
    law: str | None = option(
        None,
        "NAME",
        "Construction of the features, which implies their variance: cos-offset or cos-sin (rbf, "
        "laplacian, matern, skewed-chi2, and cos-sin of exp); positive or positive-pairs (exp); "
        "gaussian or signs (linear); sketch (polynomial); rectified (arc-cosine). Append "
        "-orthogonal for directions in orthogonal blocks.",
    ),
    bounds: tuple[float, float] | None = option(None, "LO HI", "Range of a sample of the kernel."),
    independent_features: bool = switch(
        "--independent-features", "Declare the features of a map i.i.d."
    ),
    max_features: int | None = option(None, "N", "Largest number of features drawn."),
    time_limit: float = option(
        60.0,
        "SECONDS",
        "Limit on CPU seconds of all checks, 0 for none. Checks that are undecided by then are "
        "inconclusive.",
    ),
    seed: int = common.SEED,
    out: Path | None = option(None, "DIR", "Directory for report.html, report.json, summary.md."),
    json: Path | None = option(None, "FILE", "Write the numbers of the report as JSON."),
    certificate: Path | None = common.CERTIFICATE,
    junit: Path | None = common.JUNIT,
    columns: str | None = common.COLUMNS,
    drop: str | None = common.DROP,
    labels: str | None = common.TARGET,
    standardize: bool = common.STANDARDIZE,
    drop_missing: bool = common.DROP_MISSING,
    debug: bool = common.DEBUG,
) -> int:
    """Check any map against a kernel, and print the verdict.

    Exit status: 0 if it holds, 1 if it is refuted, 2 if it could not run, 3 if it is inconclusive.

    Example: mehler verify maps.py:draw --kernel rbf --param gamma=0.5 --certificate rbf.json, then
    python -m mehler.recheck rbf.json.
    """
    outputs = common.outputs(
        {"DATA": data, **common.sources(target, kernel)},
        {"out": out, "json": json, "junit": junit, "certificate": certificate},
    )
    matrix, rows, description = common.read(ctx.params, optional=True), None, ""
    if matrix is not None:
        n = len(matrix.values)
        index = np.unique(np.linspace(0, n - 1, min(n, _MOST_ROWS)).round().astype(int))
        rows = matrix.values[index].tolist()
        description = f"{matrix.name}: {index.size} of {matrix.n_rows} rows that are not zero, "
        description += "evenly spaced"
    words = ctx.find_root().obj
    options = {
        **{name: ctx.params[name] for name in _SAME},
        "parameters": parse(param, "--param", numbers=True),
        "arguments": parse(arg, "--arg"),
        "description": description,
        "command": words,
    }
    request = {"rows": rows, "outputs": outputs, "options": options, "debug": "--debug" in words}
    # Waiting counts a quarter; the rest is for imports, the last draws, and pages.
    return common.tell(answer(request, 4.0 * time_limit + 30.0 if time_limit > 0.0 else None))


# Options that `verify_map` has by the same names.
_SAME = (
    *("target", "kernel", "n_features", "inputs", "resolution", "false_alarm", "law"),
    *("bounds", "independent_features", "max_features", "time_limit", "seed"),
)


def parse(pairs: list[str] | None, flag: str, *, numbers: bool = False) -> dict[str, Any]:
    """Return the values of K=V options: numbers, or literals of Python and else texts."""
    values: dict[str, Any] = {}
    for pair in pairs or ():
        key, equals, text = pair.partition("=")
        if not key or not equals:
            raise ValueError(f"{flag} {pair!r} is not K=V: as in {flag} gamma=0.5")
        try:
            values[key] = ast.literal_eval(text)
        except (ValueError, SyntaxError):
            values[key] = text
        if numbers:
            try:
                values[key] = values[key] if type(values[key]) is int else float(text)
            except ValueError:
                raise ValueError(f"{flag} {key}={text!r} is not a number") from None
    return values
