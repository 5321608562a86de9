"""verify_map: verify one map against one kernel."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from os import PathLike
from time import perf_counter
from typing import Any, Literal, TypeAlias, cast, get_args

import numpy as np

from mehler.audit._checks import (
    CLOSE_DRAWS,
    EXTRA,
    Budget,
    Further,
    closeness_evidence,
    further_evidence,
    mean_evidence,
    require_draws,
    structure_evidence,
)
from mehler.audit._declarations import declarations_of
from mehler.audit._fresh import Fresh
from mehler.audit._import import Imports
from mehler.audit._rows import data_rows, estimates, random_rows
from mehler.audit._target import read_target
from mehler.kernels import KernelName, NamedKernel, make
from mehler.report import Verification, provenance
from mehler.statements import Context, Plot
from mehler.verify import Cause, Ledger, diagnose, threads

Claim: TypeAlias = Literal["mean", "close"]
# Default time limit in seconds for all checks together.
TIME_LIMIT = 60.0


def verify_map(
    target: str,
    kernel: str,
    *,
    parameters: Mapping[str, float] | None = None,
    arguments: Mapping[str, Any] | None = None,
    n_features: int | None = None,
    inputs: int | None = None,
    data: str | PathLike[str] | Any | None = None,
    claim: Claim | None = None,
    also: Sequence[Further] = (),
    resolution: float = 0.02,
    false_alarm: float = 1e-9,
    law: str | None = None,
    bounds: tuple[float, float] | None = None,
    independent_features: bool = False,
    max_features: int | None = None,
    time_limit: float | None = TIME_LIMIT,
    n_jobs: int = 1,
    seed: int = 0,
    picture: bool = True,
    command: Sequence[str] | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> Verification:
    """Verify the map named by MODULE:FACTORY against a kernel.

    Parameters
    ----------
    target : str
        MODULE:FACTORY; MODULE dotted or the path of a ``.py`` file. FACTORY is a scikit-learn
        transformer (class or instance), a class with ``draw``, a draw function seed -> map, a
        callable X -> Z, or a function without arguments that returns one of these.
    kernel : str
        A name of `mehler.kernels`, or MODULE:FUNCTION, (X, Y) -> (n, k).
    parameters : mapping, optional
        Parameters of the kernel.
    arguments : mapping, optional
        Arguments of FACTORY.
    n_features : int, optional
        Features per draw; default 250 if FACTORY leaves it open.
    inputs : int, optional
        Columns of the random rows; default 5.
    data : path or array, optional
        Rows to use instead of random ones; at most 20 of them are used.
    claim : {"mean", "close"}, optional
        ``"mean"``: the mean over draws is the kernel. ``"close"``: each of 8 draws, or the one
        fixed map, is within `resolution` of it, a deterministic check. Default ``"mean"`` for
        targets with a seed, or with columns declared independent.
    also : sequence of {"convergence", "reproducible", "finite"}
        Further checks of `mehler.verify` at their own resolutions, for maps that have a seed.
    resolution : float
        Smallest deviation that must not be missed, in units of sqrt(k(x,x) k(y,y)).
    false_alarm : float
        Probability that a check refutes a correct map.
    law : str, optional
        A name in the kernel's ``laws``, such as ``"cos-offset"`` or ``"positive"``, which gives
        the variance of the features.
    bounds, independent_features, max_features
        As for `check_kernel`.
    time_limit : float, optional
        Seconds for all checks together, in equal parts; an undecided check is then inconclusive,
        and says what is missing. None or 0 is no limit.
    n_jobs : int
        Threads that draw maps for the check of the mean, -1 for one per core. The verdict does not
        depend on it, unless the time limit is reached.
    seed : int
        Seed of all random numbers.
    picture : bool
        Whether to draw 64 more maps for the plot of the page.
    command : sequence of str, optional
        The command line's arguments, for the record.
    progress : callable, optional
        ``progress(label, done, total)``.

    Returns
    -------
    Verification
        The outcome, to be rendered by `lines` or `write`.

    Raises
    ------
    ValueError, TypeError
        For bad input, before any draw; exceptions of the map propagate.
    """
    start = perf_counter()
    show = progress or (lambda label, done, total: None)
    if data is not None and inputs is not None:
        raise ValueError("inputs and data exclude each other: give the rows or their dimension")
    if claim is not None and claim not in get_args(Claim):
        raise ValueError(f"claim={claim!r} is not one of {', '.join(get_args(Claim))}")
    for each in also:
        if each not in EXTRA:
            raise ValueError(f"also={each!r} is not one of {', '.join(EXTRA)}")
    budget, n_threads = Budget(time_limit, 1 + len(also)), threads(n_jobs)
    context = Context(
        ledger=Ledger(budget=min(0.5, 100 * false_alarm)) if 0 < false_alarm < 1 else Ledger(),
        seed=seed,
        false_alarm=false_alarm,
        statement="verify",
    )
    with Imports() as imports:
        claimed = _kernel(imports, kernel, parameters or {})
        rows, words = _rows(claimed, inputs, data, context)
        loaded = imports.load(target, what="MODULE:FACTORY")
        arguments = arguments or {}
        again = partial(read_target, target, loaded, n_features=n_features, arguments=arguments)
        read = again(rows)
        declared = declarations_of(read, claimed, law, bounds, independent_features)
        kind = claim or ("mean" if read.random or declared.independent else "close")
        require_draws(also, read)
        if kind == "close" and law is not None:
            raise ValueError(f"law={law!r} is of a mean over draws, and says nothing of closeness")
        show(f"structure of {target}", 0, 2)
        structure = structure_evidence(
            read,
            claimed,
            rows,
            context,
            mean=kind == "mean",
            again=again,
            fresh=Fresh(target, rows, n_features, arguments),
            resolution=resolution,
            limit=budget.limit,
        )
        show(f"kernel of {target}", 0, 2)
        if structure.status == "refuted":
            # A structural defect makes statistics a waste of time.
            source = "nothing: what it does was compared with itself"
            first, also = structure, ()
        elif kind == "close":
            seconds = budget.part()
            first, source = closeness_evidence(read, claimed, rows, seed, seconds, resolution)
        else:
            first, source = mean_evidence(
                read,
                claimed,
                rows,
                context,
                declared,
                resolution=resolution,
                max_features=max_features,
                time_limit=budget.part(),
                n_jobs=n_threads,
            )
        evidence = [
            first,
            *(further_evidence(each, read, rows, context, budget.part()) for each in also),
        ]
        evidence += [structure] if structure is not first else []
        show("diagnosis", 1, 2)
        # Suggestions are about the mean, so a claim of closeness has none.
        causes: tuple[Cause, ...] = ()
        if read.random and kind == "mean" and structure is not first:
            causes = diagnose(
                read.draw,
                claimed,
                rows,
                resize=read.resize,
                n_draws=64,
                seed=seed,
                time_limit=budget.rest(),
            )
        plots: tuple[Plot, ...] = ()
        if picture:
            n_draws = 64 if kind == "mean" else CLOSE_DRAWS
            limit = budget.rest()
            plots = (estimates(read, claimed, rows, seed=seed, n_draws=n_draws, time_limit=limit),)
    show("done", 2, 2)
    line = None if command is None else tuple(command)
    return Verification(
        target=target,
        assumed=read.assumed,
        kernel=str(claimed) if isinstance(claimed, NamedKernel) else kernel,
        latex=claimed.latex if isinstance(claimed, NamedKernel) else "",
        claim=kind,
        inputs=words,
        declared=source,
        evidence=tuple(replace(each, seed=seed) for each in evidence),
        causes=causes,
        plots=plots,
        replay=shlex.join(("mehler", *line)) if line else "",
        provenance=provenance(context, line),
        ledger=context.ledger.to_dict(),
        seconds=perf_counter() - start,
    )


def _rows(
    kernel: Any, inputs: int | None, data: str | PathLike[str] | Any | None, context: Context
) -> tuple[np.ndarray, str]:
    """Return the rows of the checks, and a description."""
    if data is not None:
        return data_rows(data)
    d = 5 if inputs is None else inputs
    rows = random_rows(d, kernel, context.rng("rows"))
    words = f"{rows.shape[0]} random rows of {d} columns, at several lengths and correlations"
    return rows, words


def _kernel(imports: Imports, kernel: str, parameters: Mapping[str, float]) -> Any:
    if ":" not in kernel:
        return make(cast(KernelName, kernel), **parameters)  # other words are refused there
    function = imports.load(kernel, what="--kernel")
    if not callable(function):
        raise TypeError(f"--kernel={kernel!r} is not callable: (X, Y) -> the (n, k) matrix")
    if not parameters:
        return function
    return lambda X, Y: function(X, Y, **parameters)
