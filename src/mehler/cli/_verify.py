"""The command `mehler verify`: check any map against a kernel."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from mehler.cli._options import (
    KINDS,
    Annotations,
    Certificate,
    Debug,
    FalseAlarm,
    Junit,
    Outputs,
    Seed,
    option,
    read,
    reads_data,
    switch,
    tell,
)
from mehler.cli._process import answer, packed


@reads_data
def verify(
    ctx: typer.Context,
    target: Annotated[
        str,
        typer.Argument(
            metavar="MODULE:FACTORY",
            help="The map to check: a scikit-learn transformer (class or instance), a class whose "
            "objects are called with X, a function of a seed that returns a map, or a map X -> Z "
            "itself. MODULE is a dotted name, or the path of a .py file.",
        ),
    ],
    kernel: Annotated[
        str,
        option(
            "NAME",
            "The kernel that the map should have: rbf, exp, laplacian, matern, linear, "
            "polynomial, arc-cosine, maxout, collision, skewed-chi2, additive-chi2, or "
            "MODULE:FUNCTION for one of your own.",
        ),
    ],
    param: Annotated[
        list[str] | None, option("K=V", "A parameter of the kernel, as in gamma=0.5; repeatable.")
    ] = None,
    arg: Annotated[
        list[str] | None, option("K=V", "An argument for FACTORY, as in gamma=0.5; repeatable.")
    ] = None,
    features: Annotated[
        int | None,
        option("M", "Number of features of each map, if FACTORY leaves it open; default 250."),
    ] = None,
    inputs: Annotated[
        int | None, option("D", "Number of columns of the random rows; default 5.")
    ] = None,
    data: Annotated[
        str | None, option("FILE", f"Rows to check on instead of random ones: {KINDS}.")
    ] = None,
    claim: Annotated[
        str | None,
        option(
            "mean|close",
            "What should hold: the average over all seeds is the kernel (mean), or every single "
            "map is close to it (close); default: mean for maps that have a seed.",
        ),
    ] = None,
    also: Annotated[
        list[str] | None,
        option(
            "convergence",
            "One more check, for maps of a seed and a size: whether the error falls with the size.",
        ),
    ] = None,
    resolution: Annotated[
        float,
        option("R", "Smallest deviation that must be found, in units of sqrt(k(x,x) k(y,y))."),
    ] = 0.02,
    false_alarm: FalseAlarm = 1e-9,
    law: Annotated[
        str | None,
        option(
            "NAME",
            "How the map makes its features, from which their variance follows: cos-offset or "
            "cos-sin (rbf, laplacian, matern, skewed-chi2, and cos-sin of exp); positive or "
            "positive-pairs (exp); gaussian or signs (linear); sketch (polynomial); rectified "
            "(arc-cosine). With -orthogonal after the name if directions come in orthogonal "
            "blocks.",
        ),
    ] = None,
    bounds: Annotated[
        tuple[float, float] | None,
        option("LO HI", "Smallest and largest value that one sample of the kernel can have."),
    ] = None,
    independent_features: Annotated[
        bool,
        switch("--independent-features", "Take the features of one map for independent and alike."),
    ] = False,
    max_features: Annotated[
        int | None, option("N", "Largest number of features to draw, over all maps.")
    ] = None,
    time_limit: Annotated[
        float,
        option(
            "SECONDS",
            "Seconds of computing for all checks together, 0 for no limit; seconds of waiting "
            "count a quarter. What is undecided by then is inconclusive.",
        ),
    ] = 60.0,
    jobs: Annotated[
        int,
        option(
            "N",
            "Number of threads that draw maps, -1 for one per core; the verdict is the same.",
        ),
    ] = 1,
    seed: Seed = 0,
    out: Annotated[
        Path | None,
        option(
            "DIR",
            "Directory to write report.html, report.json and summary.md to, by the extra report.",
        ),
    ] = None,
    json: Annotated[
        Path | None, option("FILE", "File to write the numbers of the report to, as JSON.")
    ] = None,
    certificate: Certificate = None,
    junit: Junit = None,
    annotations: Annotations = "auto",
    debug: Debug = False,
    how: Any = None,
) -> int:
    """Check any map against a kernel, and print the verdict.

    Exit status: 0 if it holds, 1 if it is refuted, 2 if it could not run, 3 if it is inconclusive.

    Example: mehler verify maps.py:draw --kernel rbf --param gamma=0.5 --certificate rbf.json, then
    python -m mehler.recheck rbf.json.
    """
    files = [spec.rpartition(":")[0] for spec in (target, kernel)]
    outputs = Outputs.requested(
        {"DATA": data, **{each: each for each in files if each.endswith(".py")}},
        out=out,
        json=json,
        junit=junit,
        certificate=certificate,
        annotations=annotations,
    )
    matrix, rows, described = read(data, optional=True, **how), None, ""
    if matrix is not None:
        from mehler.cli._rows import data_rows

        values, described = data_rows(matrix)
        rows = packed(values)
    options = {
        "target": target,
        "kernel": kernel,
        "parameters": _parsed(param, "--param", _number),
        "arguments": _parsed(arg, "--arg", _value),
        "n_features": features,
        "inputs": inputs,
        "described": described,
        "claim": claim,
        "also": also or (),
        "resolution": resolution,
        "false_alarm": false_alarm,
        "law": law,
        "bounds": bounds,
        "independent_features": independent_features,
        "max_features": max_features,
        "time_limit": time_limit,
        "n_jobs": jobs,
        "seed": seed,
        "picture": out is not None or json is not None,
        "command": ctx.find_root().obj,
    }
    request = {"do": "verify", "rows": rows, "outputs": vars(outputs), "options": options}
    # Waiting counts a quarter; the rest is for imports, the last draws, and pages.
    seconds = 4.0 * time_limit + 30.0 if time_limit > 0.0 else None
    content = answer({**request, "debug": debug or "--debug" in ctx.find_root().obj}, seconds)
    if "error" in content:
        raise ChildProcessError(content["error"])
    return tell(content)


def _number(text: str) -> float:
    return int(text) if text.lstrip("+-").isdecimal() else float(text)


def _value(text: str) -> Any:
    """Parse a literal of Python, or else keep the text."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def _parsed(pairs: list[str] | None, option: str, parse: Callable[[str], Any]) -> dict[str, Any]:
    values = {}
    for pair in pairs or ():
        key, equals, text = pair.partition("=")
        if not key or not equals:
            raise ValueError(f"{option} {pair!r} is not K=V: as in {option} gamma=0.5")
        try:
            values[key] = parse(text)
        except ValueError:
            raise ValueError(f"{option} {key}={text!r} is not a number") from None
    return values
