"""The commands: parse arguments, call the library, print text."""

from __future__ import annotations

import json
import os
import re
from functools import partial
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import typer

from mehler._files import require_file, write_whole
from mehler._version import __version__
from mehler.cli import _options as common
from mehler.cli._console import progress
from mehler.cli._options import option, require_different, switch
from mehler.cli._target import load, read_target
from mehler.cli._verify import parse, verify

app = typer.Typer(
    name="mehler",
    help="Test whether a random feature map behaves as its theory predicts.",
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
GLOBS = option(None, "GLOB", "Ids of statements, such as 'maxout.*', or all.", "--statements")


def run_app(arguments: list[str]) -> int:
    """Run a command line and return its exit status; usage errors are raised as `ValueError`."""
    if not arguments and "_MEHLER_COMPLETE" not in os.environ:
        app(["--help"], standalone_mode=False, prog_name="mehler")
        return 2
    try:
        status = app(arguments, standalone_mode=False, prog_name="mehler", obj=tuple(arguments))
    except typer.Abort as error:
        raise KeyboardInterrupt from error
    except SystemExit as error:
        # Completion exits by itself.
        if "_MEHLER_COMPLETE" in os.environ or arguments[0].endswith("-completion"):
            return int(error.code or 0)
        raise
    except Exception as error:
        # click's own classes, or those of the click that newer typers carry inside.
        if hasattr(error, "format_message"):
            raise ValueError(f"{error.format_message()} (mehler --help shows the usage)") from error
        raise
    if status == 130:  # of typer, for an interruption
        raise KeyboardInterrupt
    return status if isinstance(status, int) else 0


def _version(show: bool) -> None:
    if show:
        typer.echo(f"mehler {__version__}")
        raise typer.Exit


@app.callback()
def _common(
    debug: bool = switch("--debug", "Show tracebacks; also MEHLER_DEBUG=1."),
    version: bool = switch("--version", "Show the version.", is_eager=True, callback=_version),
) -> None:
    """Check random feature maps against their theory."""


@app.command()
def report(
    ctx: typer.Context,
    data: str | None = typer.Argument(
        None, metavar="DATA", help=f"Your rows: {common.KINDS}; default: report on the statements."
    ),
    out: Path = option(Path("mehler-report"), "DIR", "Directory of the three files."),
    level: str = option("quick", "quick|full", "Level of effort."),
    statements: list[str] | None = GLOBS,
    backend: str = option("numpy", "numpy|torch|jax|dask|cupy", "Array library of the maps."),
    seed: int = common.SEED,
    false_alarm: float = common.FALSE_ALARM,
    jobs: int = option(-1, "N", "Processes, -1: one per core. Results do not depend on it."),
    certificate: Path | None = common.CERTIFICATE,
    junit: Path | None = common.JUNIT,
    columns: str | None = common.COLUMNS,
    drop: str | None = common.DROP,
    labels: str | None = common.TARGET,
    standardize: bool = common.STANDARDIZE,
    drop_missing: bool = common.DROP_MISSING,
    debug: bool = common.DEBUG,
) -> int:
    """Report on your rows, or check all statements.

    With DATA: which map and how many features predict --target best, compared with the raw columns
    and gradient boosting. Without DATA: all statements, with digits as the example.

    Exit status: 0 all as expected, 1 unexpected verdict, 2 could not run, 3 inconclusive.

    Example: mehler report rows.csv --target label --out report
    """
    from mehler import report as reports

    files = {"out": out, "junit": junit, "certificate": certificate}
    outputs = common.outputs({"DATA": data}, files)
    globs = [glob for text in statements or [] for glob in text.split(",")]
    # Without DATA the report is about the statements, with it about the rows.
    selection = _match(["*" if g == "all" else g for g in globs]) if globs or data is None else ()
    with progress(lines=True) as show:
        result = reports.run(
            selection,
            data=partial(common.read, ctx.params),  # and announced, once all else is valid
            level=level,  # type: ignore[arg-type]  # run says what levels there are
            seed=seed,
            backend=backend,  # type: ignore[arg-type]  # and what backends
            false_alarm=false_alarm,
            n_jobs=jobs,
            progress=show,
            command=ctx.find_root().obj,
            with_data=data is not None or not globs,
        )
    return common.tell(common.write(result, **outputs))


app.command()(verify)


@app.command()
def plan(
    ctx: typer.Context,
    data: str | None = typer.Argument(
        None, metavar="DATA", help=f"Your rows: {common.KINDS}; or give --n-inputs."
    ),
    eps: float = option(0.1, "E", "Largest error of kernel values, and of the excess risk."),
    delta: float = option(0.01, "P", "Probability that the error is larger than E."),
    map: str | None = option(
        None, "NAME", "maxout (the default), fourier, kitchen-sinks, ..., or MODULE:FACTORY."
    ),
    arg: list[str] | None = option(None, "K=V", "An argument for FACTORY; repeatable."),
    pool_size: int = option(4, "Q", "Projections whose maximum is one maxout unit."),
    n_inputs: int | None = option(None, "D", "Number of columns; default that of DATA."),
    n_samples: int | None = option(None, "N", "Number of rows; default that of DATA."),
    dimension: float | None = option(None, "K", "Upper bound on the doubling dimension of rows."),
    lipschitz: float = option(1.0, "L", "Lipschitz constant of the loss."),
    scale: float = option(1.0, "C", "Bound C/M on the weights of M features."),
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
    from mehler import planning

    if data is None and map not in (None, "maxout"):
        raise ValueError(f"--map {map} needs DATA: the numbers are those of your rows")
    if out is not None:
        require_file(out, "--out")
        require_different([("--out", out)], {"DATA": data, **common.sources(map)})
    matrix = common.read(ctx.params, optional=True)
    rows: Any = None if matrix is None else matrix.values
    phi = None if map in (None, "maxout") else _map(map, rows, seed, parse(arg, "--arg"))
    values = {name: value for name, value in ctx.params.items() if name not in _COMMAND_OPTIONS}
    as_flag = lambda m: f"--{m[0].replace('_', '-')}" if m[0] in values else m[0]  # noqa: E731
    try:
        result = planning.plan(rows, map=phi, **values)
    except (ValueError, TypeError) as error:
        names = "|".join(values)
        words = re.sub(rf"\b({names})(?==|$)|\b\w+_\w+\b", as_flag, str(error))
        raise ValueError(re.sub(r"\bdata\b", "DATA", words)) from error
    text = json.dumps(result.to_dict(), indent=1, allow_nan=False) if as_json else str(result)
    if out is not None:
        write_whole(out, text + "\n")
    typer.echo(text)
    return 0


# Parameters of the command that are none of `mehler.planning.plan`.
_COMMAND_OPTIONS = {"data", "map", "arg", "as_json", "out", "debug", *common.HOW}


def _map(name: str, rows: Any, seed: int, arguments: dict[str, Any]) -> Any:
    """Draw a map of `mehler.features` by the beginning of its name, or one of MODULE:FACTORY."""
    from mehler import features

    ours = [n for n in features.__all__ if n.lower().startswith(name.replace("-", "").lower())]
    spec = f"mehler.features:{ours[0]}" if ours else name
    target = read_target(spec, load(spec, what="--map"), rows, n_features=64, arguments=arguments)
    phi = target.draw(seed)
    phi = getattr(phi, "__self__", phi)  # of a sampler it is the method `transform`
    if not (hasattr(phi, "map_") or (hasattr(phi, "kernel") and hasattr(phi, "gram_variance"))):
        raise ValueError(
            f"--map {name} is {target.assumed}, which declares no kernel and no variance: give "
            "a map or sampler of mehler, or a class of mehler.features.FeatureMap"
        )
    return phi


@app.command()
def statements(
    as_json: bool = switch("--json", "Print JSON."),
    parts: bool = switch("--parts", "List the parts of each statement."),
    globs: list[str] | None = GLOBS,
    debug: bool = common.DEBUG,
) -> int:
    """List the statements that can be checked, and the verdict expected of each.

    Example: mehler statements --statements 'maxout.*' --parts
    """
    from mehler.statements import entries, listing

    subset = _match(globs)
    fields = ("id", "source", "title", "expected", "printed", "proved")
    if as_json:
        values = [{name: getattr(statement, name) for name in fields} for statement in subset]
        typer.echo(json.dumps(entries(subset) if parts else values, indent=1, ensure_ascii=False))
    elif parts:
        typer.echo(listing(subset))
    else:
        wide, wider = (max(len(getattr(s, name)) for s in subset) for name in ("id", "expected"))
        for s in subset:
            typer.echo(f"{s.id:<{wide}}  {s.expected:<{wider}}  {s.title}")
    return 0


@app.command()
def reproduce(
    name: str | None = typer.Argument(
        None, metavar="NAME", help="Experiment to rerun; without it, list them."
    ),
    out: Path = option(
        Path("mehler-reproduce"), "DIR", "Directory of results; a run resumes from it."
    ),
    level: str = option("quick", "quick|full", "Size of the experiment."),
    seed: int = common.SEED,
    data: Path | None = option(None, "FOLDER", "Folder of MNIST's four files."),
    debug: bool = common.DEBUG,
) -> int:
    """Rerun an experiment of a paper, and compare its numbers with the published ones.

    Example: mehler reproduce maxout-figure-1 --out figures
    """
    from mehler import report

    experiments = {
        name: experiment
        for point in sorted(entry_points(group="mehler.experiments"))
        for name, experiment in point.load().EXPERIMENTS.items()
    }
    if name is None:
        for experiment in experiments.values():
            typer.echo(f"{experiment.name}: {experiment.title} ({experiment.source})")
        return 0
    if name not in experiments:
        raise ValueError(f"no experiment {name!r}: choose one of {', '.join(experiments)}")
    report.require_writable(out)
    report.require_renderers()
    try:
        with progress() as show:
            outcome = experiments[name].run(
                out=out / name, level=level, seed=seed, data=data, progress=show
            )
    except InterruptedError as error:
        raise ValueError(str(error)) from error
    typer.echo(outcome)
    return 0


def _match(globs: list[str] | None) -> tuple[Any, ...]:
    """Return the statements of all globs, each once; all statements without one."""
    from mehler.statements import discover

    return tuple({s.id: s for glob in globs or ["*"] for s in discover(glob)}.values())
