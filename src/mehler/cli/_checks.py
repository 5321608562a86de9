"""verify_map: check one map against one kernel, by structure, mean, and what else is asked for."""

from __future__ import annotations

import math
import os
import random
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from time import monotonic, perf_counter, process_time
from typing import Any, Literal, cast

import numpy as np

from mehler._arrays import Array
from mehler._validate import require_choice
from mehler.cli._declarations import declarations_of
from mehler.cli._process import answer, packed, unpacked
from mehler.cli._rows import estimates, gram, normalised, random_rows
from mehler.cli._target import Target, load, read_target
from mehler.kernels import KernelName, NamedKernel, make
from mehler.report import Verification, provenance
from mehler.statements import Context, Evidence
from mehler.verify import (
    KNOWN_VARIANCE,
    Cause,
    Ledger,
    check_convergence,
    check_kernel,
    check_structure,
    diagnose,
    relative_resolution,
)

# Draws that are compared with the kernel: by the picture of a mean, and where each is to be close.
MEAN_DRAWS, CLOSE_DRAWS = 64, 8
# Most seconds of the structural checks, and their fraction of a shorter limit; the fraction that
# is kept for the diagnosis; seconds of a process that draws anew.
_SECONDS, _FRACTION, _KEPT, _FRESH = 20.0, 0.3, 0.1, 30.0


def verify_map(
    target: str,
    kernel: str,
    *,
    parameters: Mapping[str, float] = {},
    arguments: Mapping[str, Any] = {},
    n_features: int | None = None,
    inputs: int | None = None,
    rows: np.ndarray | None = None,
    described: str = "",
    claim: Literal["mean", "close"] | None = None,
    also: Sequence[Literal["convergence"]] | None = None,
    resolution: float = 0.02,
    false_alarm: float = 1e-9,
    law: str | None = None,
    bounds: tuple[float, float] | None = None,
    independent_features: bool = False,
    max_features: int | None = None,
    time_limit: float = 60.0,
    seed: int = 0,
    picture: bool = True,
    command: Sequence[str] = (),
    progress: Callable[[str, int, int], None] = lambda label, done, total: None,
) -> Verification:
    """Verify the map named by MODULE:FACTORY against a kernel.

    The arguments are the options of ``mehler verify``; `rows` replace random ones, as `described`;
    `picture` asks for the plot of the page. Raises ValueError and TypeError for bad input, before
    any draw; exceptions of the map propagate.
    """
    start = perf_counter()
    if rows is not None and inputs is not None:
        raise ValueError("--inputs and --data exclude each other: give the rows or their dimension")
    require_choice("claim", claim, ("mean", "close", None))
    for name in also or ():
        require_choice("also", name, ("convergence",))
    seconds = time_left(time_limit)
    ledger = Ledger(budget=min(0.5, 100 * false_alarm)) if 0 < false_alarm < 1 else Ledger()
    common: dict[str, Any] = {"false_alarm": false_alarm, "seed": seed, "ledger": ledger}
    context = Context(**common, statement="verify")
    claimed = _kernel(kernel, parameters)
    if rows is None:
        d = 5 if inputs is None else inputs
        rows = random_rows(d, claimed, context.rng("rows"))
        described = f"{len(rows)} random rows of {d} columns, at several lengths and correlations"
    loaded = load(target, what="MODULE:FACTORY")
    again = partial(read_target, target, loaded, n_features=n_features, arguments=arguments)
    read = again(X=rows)
    declared = declarations_of(read, claimed, law, bounds, independent_features)
    kind = claim or ("mean" if read.random or declared.independent else "close")
    if also and (not read.random or read.resize is None):
        raise ValueError(f"also={also[0]!r} asks for draws of two sizes of {read.assumed}")
    if kind == "close" and law is not None:
        raise ValueError(f"law={law!r} is of a mean over draws, and says nothing of closeness")

    def redraw(seed: int, X: Array, m: int | None) -> Any:
        """Return a map for rows like X, of m features."""
        other = again(X=X)
        if m is not None and other.resize is None:
            raise ValueError("the number of features cannot be chosen")
        return other.draw(seed) if m is None else cast(Any, other.resize)(seed, m)

    def elsewhere(seed: int, values: np.ndarray) -> np.ndarray:
        """Return features of a process in which strings hash differently, and nothing was drawn."""
        request: dict[str, Any] = {"do": "features", "target": target, "seed": seed}
        request |= {"n_features": n_features, "arguments": dict(arguments)}
        request |= {"rows": packed(rows), "values": packed(values)}
        hash_seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
        content = answer(request, _FRESH, PYTHONHASHSEED=hash_seed)
        if "error" in content:
            raise RuntimeError(content["error"])
        return unpacked(content["features"])

    progress(f"structure of {target}", 0, 2)
    for generator in (random, np.random):  # calls have perhaps set it to one value, and do again
        generator.seed(2_718_281_828)
    built = check_structure(
        read.draw,
        rows,
        kernel=claimed if read.random and kind == "mean" else None,
        redraw=redraw if read.random else None,
        random=read.random and kind == "mean",
        independent_features=independent_features,
        # A map without a seed need not be the same in another process.
        elsewhere=elsewhere if read.random else None,
        time_limit=min(_SECONDS, _FRACTION * (time_limit or math.inf)),
        **common,
    )
    nothing = dict.fromkeys(("observed", "exact", "interval", "detectable"))
    structure = Evidence.from_verdict(built, form="printed", **nothing)
    progress(f"kernel of {target}", 0, 2)
    words, causes = declared.words, cast(tuple[Cause, ...], ())
    if structure.status == "refuted":
        evidence, words = [structure], "nothing: what it does was compared with itself"
    elif kind == "close":
        evidence = [closeness(read, claimed, rows, seed, resolution), structure]
        words = "nothing: features are computed and compared, no chance enters"
    else:
        verdict = check_kernel(
            read.draw,
            claimed,
            rows,
            resolution=resolution,
            # A fixed map has no more samples than columns.
            max_features=max_features if read.random else read.draw(0)(rows).shape[1],
            time_limit=seconds(1 + len(also or ())),
            name="kernel",
            **common,
            **declared.options,
        )
        if not declared.options and verdict.method.startswith(KNOWN_VARIANCE):
            words = "by the map itself: the variance of its estimate"
        evidence = [Evidence.from_verdict(verdict, form="printed")]
        if also:
            verdict = check_convergence(cast(Any, read.resize), rows, name="convergence", **common)
            evidence.append(Evidence.from_verdict(verdict, form="printed"))
        evidence.append(structure)
        progress("diagnosis", 1, 2)
        if read.random and evidence[0].status != "holds":
            causes = diagnose(read.draw, claimed, rows, time_limit=seconds(0), seed=seed)
    n_draws = (MEAN_DRAWS if kind == "mean" else CLOSE_DRAWS) if read.random else 1
    shown = [estimates(read.draw, claimed, rows, seed, n_draws, seconds(0))] if picture else []
    progress("done", 2, 2)
    named = isinstance(claimed, NamedKernel)
    return Verification(
        target=target,
        assumed=read.assumed,
        kernel=str(claimed) if named else kernel,
        latex=claimed.latex if named else "",
        claim=kind,
        inputs=described,
        declared=words,
        evidence=tuple(replace(each, seed=seed) for each in evidence),
        causes=causes,
        plots=tuple(shown),
        replay=shlex.join(("mehler", *command)) if command else "",
        provenance=provenance(context, tuple(command) or None),
        ledger=ledger.to_dict(),
        seconds=perf_counter() - start,
    )


def _kernel(kernel: str, parameters: Mapping[str, float]) -> Any:
    if ":" not in kernel:
        return make(cast(KernelName, kernel), **parameters)  # other words are refused there
    function = load(kernel, what="--kernel")
    if not callable(function):
        raise TypeError(f"--kernel={kernel!r} is not callable: (X, Y) -> the (n, k) matrix")
    return partial(function, **parameters)


def time_left(limit: float) -> Callable[[int], float | None]:
    """Return a function: the seconds for each of some checks, or 0 for the last step; None for all.

    Counts CPU time or a quarter of wall time, as the limit of a check does, from now on. A part of
    the limit is kept for the last step, and as much is left for each check. Raises ValueError for a
    negative or NaN limit; 0 is none.
    """
    if not 0.0 <= limit < math.inf:
        raise ValueError(f"time_limit={limit!r} must be seconds, or 0 for no limit")
    wall, work = monotonic(), process_time()

    def seconds(checks: int) -> float | None:
        left = limit - max(process_time() - work, (monotonic() - wall) / 4.0)
        part = (left - _KEPT * limit) / checks if checks else left
        return max(part, _KEPT * limit) or None

    return seconds


def closeness(target: Target, kernel: Any, X: np.ndarray, seed: int, resolution: float) -> Evidence:
    """Check |<phi(x), phi(y)> - k(x, y)| at all pairs against the resolution, draw by draw.

    Deterministic: it is about these draws and rows, not about the mean. Observed is the largest
    deviation in units of sqrt(k(x,x) k(y,y)).
    """
    resolution = relative_resolution(resolution)
    exact, unit = normalised(kernel, X)
    n_draws, worst, place, rounding = CLOSE_DRAWS if target.random else 1, 0.0, (0, 0), 0.0
    for k in range(n_draws):
        estimate, error = gram(target.draw(seed + k), X)
        gap = np.abs(estimate - exact) / unit
        gap[~np.isfinite(gap)] = math.inf
        if gap.max() > worst:
            i, j = np.unravel_index(int(gap.argmax()), gap.shape)
            worst, place = float(gap.max()), (int(i), int(j))
        rounding = max(rounding, error)
    which = f"each of {n_draws} draws" if n_draws > 1 else "this one map"
    evidence = Evidence.from_interval(
        form="printed",
        check="closeness",
        claim=f"|<phi(x), phi(y)> - k(x, y)| <= {resolution:g} sqrt(k(x,x) k(y,y)) at all pairs of "
        f"{len(X)} rows, for {which}; nothing is said of a mean over draws",
        observed=worst,
        interval=(max(0.0, worst - rounding), worst + rounding),
        upper=resolution,
        method="computed, with an allowance for rounding",
    )
    reason = "Equal to rounding." if worst <= rounding else ""
    if evidence.status == "inconclusive":
        reason = (
            f"Features are rounded: the deviation is known to {rounding:.2g} only. A coarser "
            "resolution, or features of a finer dtype, would decide."
        )
    where = {"i": place[0], "j": place[1]}
    return replace(evidence, where=where, resolution=resolution, reason=reason)
