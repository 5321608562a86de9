"""Verifying one map of anybody's against one kernel."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from time import perf_counter
from typing import Any

import numpy as np

from mehler import verify
from mehler.report._closeness import check_closeness
from mehler.report._inputs import data_rows, random_rows
from mehler.report._provenance import provenance
from mehler.report._target import Target, load, read_target
from mehler.report._third_party import declared_for
from mehler.report._verification import Verification
from mehler.statements import Context, Evidence, Plot, Series
from mehler.verify import Cause, Ledger, check_kernel, diagnose
from mehler.verify._diagnose import observe
from mehler.verify.kernels import NamedKernel, make

CLAIMS = ("mean", "close")
EXTRA = ("convergence", "reproducible", "finite")
# Draws that are each held against the resolution where the claim is closeness.
CLOSE_DRAWS = 8


def verify_map(
    target: str,
    kernel: str,
    *,
    parameters: Mapping[str, float] | None = None,
    arguments: Mapping[str, Any] | None = None,
    n_features: int | None = None,
    inputs: int | None = None,
    data: str | PathLike[str] | Any | None = None,
    claim: str | None = None,
    also: Sequence[str] = (),
    resolution: float = 0.02,
    false_alarm: float = 1e-9,
    bounds: tuple[float, float] | None = None,
    independent_features: bool = False,
    max_features: int | None = None,
    seed: int = 0,
    command: Sequence[str] | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> Verification:
    """Hold the map that MODULE:FACTORY names against a kernel.

    Parameters
    ----------
    target : str
        MODULE:FACTORY; MODULE dotted or the path of a ``.py`` file. FACTORY is a scikit-learn
        transformer (class or instance), a class with ``draw``, a draw function seed -> map, a
        callable X -> Z, or a function without arguments that returns one of these.
    kernel : str
        A name of `mehler.verify.kernels`, or MODULE:FUNCTION, (X, Y) -> (n, k).
    parameters : mapping, optional
        Of the kernel.
    arguments : mapping, optional
        Of FACTORY.
    n_features : int, optional
        Of a draw; default 1000 where FACTORY leaves it open.
    inputs : int, optional
        Columns of the random rows; default 5.
    data : path or array, optional
        The user's rows instead; at most 20 of them are looked at.
    claim : {"mean", "close"}, optional
        ``"mean"``: the mean over draws is the kernel. ``"close"``: each of 8 draws, or the one
        fixed map, is within `resolution` of it: a computation. Default ``"mean"`` for what has a
        seed, or columns that are declared independent.
    also : sequence of {"convergence", "reproducible", "finite"}
        Further checks of `mehler.verify` at their own resolutions, for maps that have a seed.
    resolution : float
        In units of sqrt(k(x,x) k(y,y)).
    false_alarm : float
        Chance of refuting a correct map, a check.
    bounds : (low, high), optional
        See `check_kernel`.
    independent_features : bool
        See `check_kernel`.
    max_features : int, optional
        See `check_kernel`.
    seed : int
    command : sequence of str, optional
        The command line's arguments, for the record.
    progress : callable, optional
        ``progress(label, done, total)``.

    Returns
    -------
    Verification

    Raises
    ------
    ValueError, TypeError
        For bad input, before any draw; whatever the map raises comes out as it is.
    """
    start = perf_counter()
    show = progress or (lambda label, done, total: None)
    if data is not None and inputs is not None:
        raise ValueError("inputs and data exclude each other: give the rows or their dimension")
    if claim is not None and claim not in CLAIMS:
        raise ValueError(f"claim={claim!r} is not one of {', '.join(CLAIMS)}")
    for one in also:
        if one not in EXTRA:
            raise ValueError(f"also={one!r} is not one of {', '.join(EXTRA)}")
    claimed = _kernel(kernel, parameters or {})
    context = Context(
        ledger=Ledger(budget=min(0.5, 100 * false_alarm)) if 0 < false_alarm < 1 else Ledger(),
        seed=seed,
        false_alarm=false_alarm,
        statement="verify",
    )
    if data is None:
        d = 5 if inputs is None else inputs
        rows = random_rows(d, claimed, context.rng("rows"))
        words = f"{rows.shape[0]} random rows of {d} columns, at several lengths and correlations"
    else:
        rows, words = data_rows(data)
    found = read_target(
        target,
        load(target, what="MODULE:FACTORY"),
        rows,
        n_features=n_features,
        arguments=arguments or {},
    )
    kind = claim or ("mean" if found.random or independent_features else "close")
    show(f"kernel of {target}", 0, 2)
    evidence, told = _check(
        found, claimed, rows, context, kind, resolution, bounds, independent_features, max_features
    )
    evidence += [_extra(one, found, rows, context) for one in also]
    show("diagnosis", 1, 2)
    # A suggestion is about a mean: a map that only has to be close may be off by what it costs.
    causes: tuple[Cause, ...] = ()
    if found.random and kind == "mean":
        causes = diagnose(found.draw, claimed, rows, resize=found.resize, seed=seed)
    plots = (_picture(found, claimed, rows, seed, 64 if kind == "mean" else CLOSE_DRAWS),)
    show("done", 2, 2)
    line = None if command is None else tuple(command)
    return Verification(
        target=target,
        assumed=found.assumed,
        kernel=str(claimed) if isinstance(claimed, NamedKernel) else kernel,
        latex=claimed.latex if isinstance(claimed, NamedKernel) else "",
        claim=kind,
        inputs=words,
        declared=told,
        evidence=tuple(replace(one, seed=seed) for one in evidence),
        causes=causes,
        plots=plots,
        replay=shlex.join(("mehler", *line)) if line else "",
        provenance=provenance(context, line),
        ledger=context.ledger.to_dict(),
        seconds=perf_counter() - start,
    )


def _kernel(kernel: str, parameters: Mapping[str, float]) -> Any:
    if ":" not in kernel:
        return make(kernel, **parameters)
    function = load(kernel, what="--kernel")
    if not callable(function):
        raise TypeError(f"--kernel={kernel!r} is not callable: (X, Y) -> the (n, k) matrix")
    if not parameters:
        return function
    return lambda X, Y: function(X, Y, **parameters)


def _check(
    target: Target,
    kernel: Any,
    rows: np.ndarray,
    context: Context,
    claim: str,
    resolution: float,
    bounds: tuple[float, float] | None,
    independent: bool,
    max_features: int | None,
) -> tuple[list[Evidence], str]:
    """Run the checks; say what they were told of the map."""
    if claim == "close":
        evidence = check_closeness(
            target.draw, kernel, rows, resolution, context.seed, CLOSE_DRAWS if target.random else 1
        )
        return [evidence], "nothing: features are computed and compared, no chance enters"
    options: dict[str, Any] = {"bounds": bounds, "independent_features": independent}
    told = "nothing: draws from different seeds are taken to be independent, variance is measured"
    if bounds is not None or independent:
        told = "by --bounds and --independent-features"
    elif (known := declared_for(target.factory, kernel)) is not None:
        options = {
            "bounds": known.bounds,
            "variance": known.variance,
            "independent_features": True,
        }
        what = "their products' exact variance" if known.variance else "their products' range"
        told = f"that features are independent and alike, and {what} ({known.why})"
    if not target.random:
        # One map: all its columns in one draw, so no more than they are.
        max_features = target.draw(0)(rows).shape[1]
    verdict = check_kernel(
        target.draw,
        kernel,
        rows,
        resolution=resolution,
        false_alarm=context.false_alarm,
        max_features=max_features,
        seed=context.seed,
        ledger=context.ledger,
        name="kernel",
        **options,
    )
    return [Evidence.from_verdict(verdict, form="printed")], told


def _extra(name: str, target: Target, rows: np.ndarray, context: Context) -> Evidence:
    """Run another check of `mehler.verify`, by its name."""
    if not target.random:
        raise ValueError(f"also={name!r} asks for draws, but {target.name} is {target.assumed}")
    draw: Any = target.draw
    if name == "convergence":
        draw = target.resize
        if draw is None:
            raise ValueError(
                f"also={name!r} asks for maps of two sizes: {target.name} has no n_components, "
                "and no n_features after its seed"
            )
    check = getattr(verify, f"check_{name}")
    verdict = check(
        draw, rows, false_alarm=context.false_alarm, seed=context.seed, ledger=context.ledger
    )
    return Evidence.from_verdict(verdict, form="printed", check=name)


def _picture(target: Target, kernel: Any, rows: np.ndarray, seed: int, n_draws: int) -> Plot:
    """Estimates against the claim, pair by pair, with 3 standard errors."""
    n_draws = n_draws if target.random else 1
    exact, mean, error = observe(target.draw, kernel, rows, n_draws=n_draws, seed=seed)
    order = np.argsort(exact)
    ends = [float(exact.min()), float(exact.max())]
    points = Series(
        label="measured",
        x=exact[order],
        y=mean[order],
        y_low=(mean - 3.0 * error)[order],
        y_high=(mean + 3.0 * error)[order],
        kind="points",
    )
    return Plot(
        title="Estimates against the claimed kernel",
        x_label="claimed k(x, y) / sqrt(k(x,x) k(y,y))",
        y_label="mean estimate",
        series=(Series(label="claimed", x=ends, y=ends), points),
        caption=f"A point is a pair of rows: the mean of {n_draws} draws"
        + (" with 3 standard errors." if n_draws > 1 else ": the map is fixed."),
    )
