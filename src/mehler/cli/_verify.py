"""The command `mehler verify`: check any map against a kernel."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Annotated, Any

import typer

from mehler.cli._outputs import Annotations, Junit, require_outputs, write_outputs
from mehler.cli._places import shown
from mehler.cli._prints import prints_elsewhere
from mehler.cli._progress import progress_bar
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
from mehler.cli._warnings import warnings_once


def verify(
    ctx: typer.Context,
    target: Annotated[
        str,
        typer.Argument(
            metavar="MODULE:FACTORY",
            help="A scikit-learn transformer (class or instance), a draw function seed -> map, or "
            "a callable X -> Z; MODULE is dotted, or a path to a .py file.",
        ),
    ],
    kernel: Annotated[
        str,
        typer.Option(
            "--kernel",
            metavar="NAME",
            help="rbf, exp, laplacian, matern, linear, polynomial, arc-cosine, maxout, collision, "
            "skewed-chi2, additive-chi2, or MODULE:FUNCTION.",
        ),
    ],
    param: Annotated[
        list[str] | None,
        typer.Option("--param", metavar="K=V", help="A parameter of the kernel; repeatable."),
    ] = None,
    arg: Annotated[
        list[str] | None,
        typer.Option("--arg", metavar="K=V", help="An argument of FACTORY; repeatable."),
    ] = None,
    features: Annotated[
        int | None,
        typer.Option(
            "--features", metavar="M", help="Of a draw, where FACTORY leaves it open; default 250."
        ),
    ] = None,
    inputs: Annotated[
        int | None,
        typer.Option("--inputs", metavar="D", help="Columns of the random rows; default 5."),
    ] = None,
    data: Annotated[
        str | None,
        typer.Option("--data", metavar="FILE", help=f"Your rows: {KINDS}."),
    ] = None,
    columns: Columns = None,
    drop: Drop = None,
    labels: Target = None,
    standardize: Standardize = False,
    drop_missing: DropMissing = False,
    header: Header = None,
    array: Array = None,
    unpack_limit: UnpackLimit = LIMIT,
    claim: Annotated[
        str | None,
        typer.Option(
            "--claim",
            metavar="mean|close",
            help="The mean over draws is the kernel, or each draw is close to it.",
        ),
    ] = None,
    also: Annotated[
        list[str] | None,
        typer.Option(
            "--also",
            metavar="convergence|reproducible|finite",
            help="A further check of a map that has a seed; repeatable. Each takes up to a minute.",
        ),
    ] = None,
    resolution: Annotated[
        float,
        typer.Option(
            "--resolution",
            metavar="R",
            help="Deviation not to be missed, in units of sqrt(k(x,x) k(y,y)).",
        ),
    ] = 0.02,
    false_alarm: Annotated[
        float,
        typer.Option("--false-alarm", metavar="A", help="Chance of refuting a correct map."),
    ] = 1e-9,
    law: Annotated[
        str | None,
        typer.Option(
            "--law",
            metavar="NAME",
            help="How the features are made, from which their variance follows: cos-offset or "
            "cos-sin (rbf, laplacian, matern, skewed-chi2, and cos-sin of exp); positive or "
            "positive-pairs (exp); gaussian or signs (linear); sketch (polynomial); rectified "
            "(arc-cosine). With -orthogonal after the name where directions come in orthogonal "
            "blocks.",
        ),
    ] = None,
    bounds: Annotated[
        tuple[float, float] | None,
        typer.Option("--bounds", metavar="LO HI", help="Range of one sample of the estimate."),
    ] = None,
    independent_features: Annotated[
        bool,
        typer.Option("--independent-features", help="Columns of a draw are independent and alike."),
    ] = False,
    max_features: Annotated[
        int | None,
        typer.Option("--max-features", metavar="N", help="Most features to draw in all."),
    ] = None,
    time_limit: Annotated[
        float,
        typer.Option(
            "--time-limit",
            metavar="SECONDS",
            help="Of work, for all checks together (of waiting every fourth counts); what is "
            "open then is inconclusive. 0 is no limit.",
        ),
    ] = 60.0,
    jobs: Annotated[
        int,
        typer.Option(
            "--jobs",
            metavar="N",
            help="Processes that draw maps, threads for maps that declare; -1: one a core.",
        ),
    ] = 1,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Of all random numbers.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="DIR",
            help="Write report.html, report.json and summary.md there; needs mehler[report].",
        ),
    ] = None,
    json: Annotated[
        Path | None,
        typer.Option("--json", metavar="FILE", help="Write the numbers of the report there."),
    ] = None,
    junit: Junit = None,
    annotations: Annotations = "auto",
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks.")] = False,
) -> int:
    """Check any map against a kernel, and print the verdict.

    Exit status: 0 if it holds, 1 if it is refuted, 2 if it could not run, 3 if it is inconclusive.
    """
    from mehler import report as reports
    from mehler.report.target._watch import Watch, as_errors

    # The target may change the working directory.
    here = Path.cwd()
    if out is not None:
        reports.require_writable(out)
        reports.require_renderers()
    if json is not None:
        reports.require_writable(json.parent, option="--json")
    require_outputs(junit, annotations)
    rows = read(
        data,
        optional=True,
        columns=columns,
        drop=drop,
        target=labels,
        standardize=standardize,
        drop_missing=drop_missing,
        header=header,
        array=array,
        unpack_limit=unpack_limit,
    )
    # Waiting counts a fourth; the rest is for imports, and for a draw that is slow once.
    watch = Watch(4.0 * time_limit + 20.0 if time_limit > 0.0 else None)
    with progress_bar() as progress, warnings_once(), prints_elsewhere(), as_errors(), watch:
        found = reports.verify_map(
            target,
            kernel,
            parameters=_numbers(param or []),
            arguments=_values(arg or []),
            n_features=features,
            inputs=inputs,
            data=rows,
            claim=claim,
            also=tuple(also or ()),
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
    written = reports.write(found, here / out) if out is not None else ()
    if json is not None:
        written += (reports.write_json(found, here / json),)
    written += write_outputs(found, None if junit is None else here / junit, annotations)
    for line in (*reports.lines(found), *(f"  {shown(path, here)}" for path in written)):
        typer.echo(line)
    return found.exit_status


def _numbers(pairs: list[str]) -> dict[str, float]:
    found: dict[str, float] = {}
    for key, text in _split(pairs, "--param"):
        try:
            found[key] = int(text) if text.lstrip("+-").isdecimal() else float(text)
        except ValueError:
            raise ValueError(f"--param {key}={text!r} is not a number") from None
    return found


def _values(pairs: list[str]) -> dict[str, Any]:
    """Parse values as Python literals, or else keep them as strings."""
    found: dict[str, Any] = {}
    for key, text in _split(pairs, "--arg"):
        try:
            found[key] = ast.literal_eval(text)
        except (ValueError, SyntaxError):
            found[key] = text
    return found


def _split(pairs: list[str], option: str) -> list[tuple[str, str]]:
    for pair in pairs:
        if not pair.partition("=")[0] or "=" not in pair:
            raise ValueError(f"{option} {pair!r} is not K=V: as in {option} gamma=0.5")
    return [(key, value) for key, _, value in (pair.partition("=") for pair in pairs)]
