"""verify_map: check a feature map phi against a kernel k(x, y), the mean of <phi(x), phi(y)>.

First its structure, that is the map against itself; then the kernel: of a random map the mean over
draws, of one fixed map how close it is; and if that does not hold a diagnosis of likely causes.
"""

from __future__ import annotations

import math
import random
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from time import perf_counter, process_time
from typing import Any, cast

import numpy as np

from mehler._arrays import Array, dense_host
from mehler._validate import require_integer, require_not_negative
from mehler.cli._target import load, read_target
from mehler.kernels import KernelName, NamedKernel, make
from mehler.report import Verification, provenance
from mehler.statements import Context, Evidence
from mehler.verify import (
    KNOWN_VARIANCE,
    Cause,
    Ledger,
    check_kernel,
    check_structure,
    diagnose,
    relative_resolution,
)

# Seconds of the structural checks, and their fraction of a shorter limit; that of the diagnosis.
_SECONDS, _FRACTION, _RESERVE = 20.0, 0.3, 0.1


def verify_map(
    target: str,
    kernel: str,
    *,
    parameters: Mapping[str, float] = {},
    arguments: Mapping[str, Any] = {},
    n_features: int | None = None,
    inputs: int | None = None,
    rows: np.ndarray | None = None,
    description: str = "",
    resolution: float = 0.02,
    false_alarm: float = 1e-9,
    law: str | None = None,
    bounds: tuple[float, float] | None = None,
    independent_features: bool = False,
    max_features: int | None = None,
    time_limit: float = 60.0,
    seed: int = 0,
    command: Sequence[str] = (),
    progress: Callable[[str, int, int], None] = lambda label, done, total: None,
) -> Verification:
    """Verify the map named by MODULE:FACTORY against a kernel.

    The arguments are options of ``mehler verify``; `rows`, of a `description`, replace random ones.
    Raises ValueError and TypeError for bad input, before any draw; exceptions of the map propagate.
    """
    start, work = perf_counter(), process_time()
    if rows is not None and inputs is not None:
        raise ValueError("--inputs and --data exclude each other: give the rows or their dimension")
    limit = require_not_negative("time_limit", time_limit) or math.inf
    ledger = Ledger(budget=min(0.5, 100 * false_alarm)) if 0 < false_alarm < 1 else Ledger()
    common: dict[str, Any] = {"false_alarm": false_alarm, "seed": seed, "ledger": ledger}
    context = Context(**common, statement="verify")
    claimed = _kernel(kernel, parameters)
    if rows is None:
        d = 5 if inputs is None else inputs
        rows = random_rows(d, claimed, context.rng("rows"))
        description = f"{len(rows)} random rows of {d} columns, at several lengths and correlations"
    options, words = _declarations(claimed, law, bounds, independent_features)
    factory = load(target, what="MODULE:FACTORY")
    read_maps = partial(read_target, target, factory, n_features=n_features, arguments=arguments)
    maps = read_maps(X=rows)
    is_mean = maps.random or options.get("independent_features", False)
    if law is not None and not is_mean:
        raise ValueError(
            f"law={law!r} is of the mean over draws, and {target} is {maps.assumed}: leave it out, "
            "or name a function seed -> map"
        )

    def redraw(seed: int, X: Array, m: int | None) -> Any:
        """Return a map for rows like X, of m features."""
        new_maps = read_maps(X=X)
        if m is not None and new_maps.resize is None:
            raise ValueError("the number of features cannot be chosen")
        return new_maps.draw(seed) if m is None else cast(Any, new_maps.resize)(seed, m)

    progress(f"structure of {target}", 0, 2)
    for generator in (random, np.random):  # to another state than that which a map may set itself
        generator.seed(2_718_281_828)
    outcome = check_structure(
        maps.draw,
        rows,
        kernel=claimed if maps.random else None,
        redraw=redraw if maps.random else None,
        random=maps.random,
        independent_features=independent_features,
        time_limit=min(_SECONDS, _FRACTION * limit),
        **common,
    )
    nothing = dict.fromkeys(("observed", "exact", "interval", "detectable"))
    structure = Evidence.from_verdict(outcome, form="printed", **nothing)
    progress(f"kernel of {target}", 0, 2)
    causes: tuple[Cause, ...] = ()
    if structure.status == "refuted":
        evidence, words = [structure], "nothing: what it does was compared with itself"
    elif not is_mean:
        evidence = [closeness(maps.draw(seed), claimed, rows, resolution), structure]
        words = "nothing: features are computed and compared, no chance enters"
    else:
        seconds_left = max((1.0 - _RESERVE) * limit - (process_time() - work), _RESERVE * limit)
        verdict = check_kernel(
            maps.draw,
            claimed,
            rows,
            resolution=resolution,
            # A fixed map has no more samples than columns.
            max_features=max_features if maps.random else maps.draw(0)(rows).shape[1],
            time_limit=seconds_left if time_limit else None,
            name="kernel",
            **common,
            **options,
        )
        if not options and verdict.method.startswith(KNOWN_VARIANCE):
            words = "by the map itself: the variance of its estimate"
        evidence = [Evidence.from_verdict(verdict, form="printed"), structure]
        progress("diagnosis", 1, 2)
        if maps.random and evidence[0].status != "holds":
            seconds = _RESERVE * time_limit or None
            causes = diagnose(maps.draw, claimed, rows, time_limit=seconds, seed=seed)
    progress("done", 2, 2)
    is_named = isinstance(claimed, NamedKernel)
    return Verification(
        target=target,
        assumed=maps.assumed,
        kernel=str(claimed) if is_named else kernel,
        latex=claimed.latex if is_named else "",
        claim="mean" if is_mean else "close",
        inputs=description,
        declared=words,
        evidence=tuple(replace(e, seed=seed) for e in evidence),
        causes=causes,
        replay=shlex.join(("mehler", *command)) if command else "",
        provenance=provenance(context, tuple(command) or None),
        ledger=ledger.to_dict(),
        seconds=perf_counter() - start,
    )


def _declarations(
    kernel: Any, law: str | None, bounds: tuple[float, float] | None, independent: bool
) -> tuple[dict[str, Any], str]:
    """Return the declarations of a map as options of `check_kernel`, and their source."""
    flags = ["--bounds"] * (bounds is not None) + ["--independent-features"] * independent
    if law is None and not flags:
        text = "draws from different seeds are taken to be independent, variance is measured"
        return {}, f"nothing: {text}"
    if law is None:
        options = {"bounds": bounds, "independent_features": independent}
        return options, f"by {' and '.join(flags)}"
    if flags:
        raise ValueError(f"law={law!r} implies bounds and independent_features: leave them out")
    if not isinstance(kernel, NamedKernel):
        raise ValueError(f"law={law!r} belongs to a kernel with a name: give one, or --bounds")
    return kernel.declarations(law), f"by --law {law}: m features {kernel.laws[law].text}"


def _kernel(kernel: str, parameters: Mapping[str, float]) -> Any:
    if ":" not in kernel:
        return make(cast(KernelName, kernel), **parameters)  # other words are refused there
    function = load(kernel, what="--kernel")
    if not callable(function):
        raise TypeError(f"--kernel={kernel!r} is not callable: (X, Y) -> the (n, k) matrix")
    return partial(function, **parameters)


def closeness(phi: Any, kernel: Any, X: np.ndarray, resolution: float) -> Evidence:
    """Check |<phi(x), phi(y)> - k(x, y)| of one map at all pairs against the resolution.

    Observed is the largest deviation in units of sqrt(k(x,x) k(y,y)).
    """
    resolution = relative_resolution(resolution)
    z, eps = dense_host(phi(X))
    exact = np.asarray(dense_host(kernel(X, X))[0], dtype=float)
    unit = np.sqrt(np.abs(np.outer(np.diag(exact), np.diag(exact))))
    gaps = np.abs(z.astype(float) @ z.astype(float).T - exact) / np.where(unit == 0.0, 1.0, unit)
    gaps[~np.isfinite(gaps)] = math.inf
    # As in check_kernel: rounding of an inner product grows like the root of its length.
    rounding = 8.0 * math.sqrt(X.shape[1] + z.shape[1]) * (eps or 2.0**-52)
    i, j = np.unravel_index(int(gaps.argmax()), gaps.shape)
    worst = float(gaps.max())
    evidence = Evidence.from_interval(
        form="printed",
        check="closeness",
        claim=f"|<phi(x), phi(y)> - k(x, y)| <= {resolution:g} sqrt(k(x,x) k(y,y)) at all pairs of "
        f"{len(X)} rows, for this one map; nothing is said of a mean over draws",
        observed=worst,
        interval=(max(0.0, worst - rounding), worst + rounding),
        upper=resolution,
        method="computed, with an allowance for rounding",
        where={"i": int(i), "j": int(j)},
    )
    reason = "Equal to rounding." if worst <= rounding else ""
    if evidence.status == "inconclusive":
        reason = (
            f"Features are rounded: the deviation is known to {rounding:.2g} only. A coarser "
            "resolution, or features of a finer dtype, would decide."
        )
    return replace(evidence, resolution=resolution, reason=reason)


# Random rows, which give 210 pairs with the diagonal, and most columns of them: 160 MB.
_ROWS, _MOST_COLUMNS = 20, 10**6
_CORRELATIONS, _LENGTHS = (0.99, 0.9, 0.5, 0.0, -0.5), (0.3, 0.7, 1.2)


def random_rows(d: int, kernel: Callable[..., Any], rng: np.random.Generator) -> np.ndarray:
    """Return 20 rows in random directions, off the axes, with partners at set correlations.

    Lengths are in units of the kernel's own length scale, so that its values cover 0 to 1. A
    `NamedKernel` declares its length, metric and whether entries must be nonnegative.
    """
    require_integer("inputs", d, most=_MOST_COLUMNS)
    base = rng.standard_normal((_ROWS // 4, d))
    base /= np.linalg.norm(base, axis=1)[:, None]
    rows = []
    for i, u in enumerate(base):
        partners = (_CORRELATIONS[(3 * i + k) % len(_CORRELATIONS)] for k in range(3))
        rows += [u, *(_partner(u, rho, rng) for rho in partners)]
    # 3 lengths over groups of 4 rows, so that partners differ in length too.
    lengths = np.array([_LENGTHS[i % 3] for i in range(_ROWS)]) * getattr(kernel, "length", 1.0)
    stacked = np.stack(rows) * lengths[:, None]
    if getattr(kernel, "metric", "") == "cityblock":
        # |u|_1 of a random direction is about sqrt(2 d / pi).
        stacked /= math.sqrt(2.0 * d / math.pi) if d > 1 else 1.0
    # Kernels of rows without negative entries scale with entries, not with row norms.
    return math.sqrt(d) * np.abs(stacked) if getattr(kernel, "nonnegative", False) else stacked


def _partner(u: np.ndarray, rho: float, rng: np.random.Generator) -> np.ndarray:
    """Return a unit vector at correlation rho with u; in one dimension only u and -u exist."""
    if u.size == 1:
        return u if rho >= 0.0 else -u
    v = rng.standard_normal(u.size)
    v -= (v @ u) * u
    return rho * u + math.sqrt(1.0 - rho * rho) * v / np.linalg.norm(v)
