"""The command `mehler verify`: check any map against a kernel."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from mehler._files import require_file
from mehler.cli._outputs import (
    Annotations,
    Certificate,
    Junit,
    require_outputs,
    shown,
    write_outputs,
)
from mehler.cli._progress import prints_elsewhere, progress_bar, warnings_once
from mehler.cli._reading import KINDS, Debug, FalseAlarm, Seed, option, read, reads_data, switch


@reads_data
def verify(
    ctx: typer.Context,
    target: Annotated[
        str,
        typer.Argument(
            metavar="MODULE:FACTORY",
            help="The map to check: a scikit-learn transformer (class or instance), a function "
            "from a seed to a map, or a map X -> Z itself. MODULE is a dotted name, or the path of "
            "a .py file.",
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
            "convergence|reproducible|finite",
            "One more check, for maps that have a seed; repeatable. Each takes up to a minute.",
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
    from mehler import audit
    from mehler import report as reports
    from mehler.cli._guest import report_limit

    # The target may change the working directory.
    here = Path.cwd()
    if out is not None:
        reports.require_writable(out)
        reports.require_renderers()
    if json is not None:
        require_file(json, "--json")
    require_outputs(junit, annotations, certificate)
    rows = read(data, optional=True, **how)
    if time_limit > 0.0:
        # Waiting counts a fourth; the rest is for imports, the last draws, and plots.
        report_limit(8.0 * time_limit + 60.0)
    with progress_bar() as progress, warnings_once(), prints_elsewhere():
        verification = audit.verify_map(
            target,
            kernel,
            parameters=_numbers(param or []),
            arguments=_values(arg or []),
            n_features=features,
            inputs=inputs,
            data=rows,
            claim=cast(Any, claim),  # other words are refused there
            also=cast(Any, also or ()),
            resolution=resolution,
            false_alarm=false_alarm,
            law=law,
            bounds=bounds,
            independent_features=independent_features,
            max_features=max_features,
            time_limit=time_limit,
            n_jobs=jobs,
            seed=seed,
            picture=out is not None or json is not None,
            command=ctx.find_root().obj,
            progress=progress,
        )
    written: tuple[Path, ...] = ()
    if out is not None:
        link = None if certificate is None else here / certificate
        written = reports.write(verification, here / out, certificates=link)
    if json is not None:
        written += (reports.write_json(verification, here / json),)
    written += write_outputs(verification, junit, annotations, certificate, here)
    for line in (*reports.lines(verification), *(f"  {shown(path, here)}" for path in written)):
        typer.echo(line)
    return verification.exit_status


def _numbers(pairs: list[str]) -> dict[str, float]:
    values: dict[str, float] = {}
    for key, text in _split(pairs, "--param"):
        try:
            values[key] = int(text) if text.lstrip("+-").isdecimal() else float(text)
        except ValueError:
            raise ValueError(f"--param {key}={text!r} is not a number") from None
    return values


def _values(pairs: list[str]) -> dict[str, Any]:
    """Parse values as Python literals, or else keep them as strings."""
    values: dict[str, Any] = {}
    for key, text in _split(pairs, "--arg"):
        try:
            values[key] = ast.literal_eval(text)
        except (ValueError, SyntaxError):
            values[key] = text
    return values


def _split(pairs: list[str], option: str) -> list[tuple[str, str]]:
    for pair in pairs:
        if not pair.partition("=")[0] or "=" not in pair:
            raise ValueError(f"{option} {pair!r} is not K=V: as in {option} gamma=0.5")
    return [(key, value) for key, _, value in (pair.partition("=") for pair in pairs)]
