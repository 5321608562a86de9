"""The checks of `verify_map`, with time limits and a common ledger."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias

import numpy as np

from mehler._arrays import Array
from mehler.audit._declarations import Declared
from mehler.audit._fresh import Fresh
from mehler.audit._target import Target
from mehler.statements import Context, Evidence
from mehler.verify import (
    KNOWN_VARIANCE,
    check_convergence,
    check_kernel,
    check_structure,
    relative_resolution,
)
from mehler.verify.pairwise import Clock
from mehler.verify.sampling import Draws, choose_source, estimate, make_pairs

# Further checks by name, and the row of the structure that each is.
Further: TypeAlias = Literal["convergence", "reproducible", "finite"]
EXTRA: dict[Further, Literal["seeds", "finite"] | None] = {
    "convergence": None,
    "reproducible": "seeds",
    "finite": "finite",
}
# Draws compared with the kernel where the claim is closeness.
CLOSE_DRAWS = 8


def mean_evidence(
    target: Target,
    kernel: Any,
    rows: np.ndarray,
    context: Context,
    declared: Declared,
    *,
    resolution: float,
    max_features: int | None,
    time_limit: float | None,
    n_jobs: int,
) -> tuple[Evidence, str]:
    """Check the mean over draws against the kernel; also describe the declarations used."""
    if not target.random:
        # A fixed map has no more samples than columns.
        max_features = target.draw(0)(rows).shape[1]
    verdict = check_kernel(
        target.draw,
        kernel,
        rows,
        resolution=resolution,
        false_alarm=context.false_alarm,
        max_features=max_features,
        time_limit=time_limit,
        n_jobs=n_jobs if target.random else 1,
        seed=context.seed,
        ledger=context.ledger,
        name="kernel",
        **declared.options,
    )
    words = declared.words
    if not declared.options and verdict.method.startswith(KNOWN_VARIANCE):
        words = "by the map itself: the variance of its estimate"
    return Evidence.from_verdict(verdict, form="printed"), words


def closeness_evidence(
    target: Target,
    kernel: Any,
    rows: np.ndarray,
    seed: int,
    seconds: float | None,
    resolution: float,
) -> tuple[Evidence, str]:
    """Compare some draws, or the one fixed map, with the kernel, deterministically."""
    draws = CLOSE_DRAWS if target.random else 1
    evidence = _limited(
        "closeness",
        seconds,
        target.draw,
        lambda draw: compare_uniform_error(draw, kernel, rows, resolution, seed, draws),
    )
    return evidence, "nothing: features are computed and compared, no chance enters"


def further_evidence(
    name: Further, target: Target, rows: np.ndarray, context: Context, seconds: float | None
) -> Evidence:
    """Run one of `EXTRA` by name."""
    options: dict[str, Any] = {
        "false_alarm": context.false_alarm,
        "seed": context.seed,
        "ledger": context.ledger,
        "name": name,
    }
    if name != "convergence":
        verdict = check_structure(
            target.draw, rows, only=EXTRA[name], time_limit=seconds, **options
        )
        return _without_numbers(Evidence.from_verdict(verdict, form="printed"))
    assert target.resize is not None
    return _limited(
        name,
        seconds,
        target.resize,
        lambda draw: Evidence.from_verdict(
            check_convergence(draw, rows, **options), form="printed"
        ),
    )


def _without_numbers(evidence: Evidence) -> Evidence:
    """Return evidence of structure without its number of defects, which is no measurement."""
    return replace(evidence, observed=None, exact=None, interval=None, detectable=None)


def require_draws(names: Sequence[Further], target: Target) -> None:
    """Raise ValueError, before any draw, for further checks that do not apply to the target."""
    for name in names:
        if not target.random:
            raise ValueError(f"also={name!r} asks for draws, but {target.name} is {target.assumed}")
        if name == "convergence" and target.resize is None:
            raise ValueError(
                f"also={name!r} asks for maps of two sizes: {target.name} has no n_components, "
                "and no n_features after its seed"
            )


class _TimeIsUp(Exception):
    """Raised by a draw after its time limit."""


def _limited(
    name: str,
    seconds: float | None,
    draw: Callable[..., Any],
    run: Callable[[Callable[..., Any]], Evidence],
) -> Evidence:
    """Run a check without a time limit of its own; inconclusive once a draw but the first is late.

    `run` takes the draw that raises then.
    """
    clock, made = Clock(seconds), 0

    def watched(*arguments: Any) -> Any:
        nonlocal made
        if made and clock.over:
            raise _TimeIsUp
        made += 1
        return draw(*arguments)

    try:
        return run(watched)
    except _TimeIsUp:
        return Evidence(
            form="printed",
            check=name,
            status="inconclusive",
            claim=f"what the check {name} looks at",
            reason=f"{made} draws took {clock.seconds:.3g} s, and the check needs more than its "
            f"part of the time limit, {seconds:.3g} s: give a longer one, or --time-limit 0 for "
            "none.",
        )


# Most seconds of the structural checks, and their fraction of a shorter limit.
_SECONDS, _FRACTION = 20.0, 0.3


def structure_evidence(
    target: Target,
    kernel: Any,
    rows: np.ndarray,
    context: Context,
    *,
    mean: bool,
    again: Callable[[Array], Target],
    fresh: Fresh,
    resolution: float,
    limit: float | None,
) -> Evidence:
    """Run the structural checks; the reason of the evidence opens with the cause.

    `mean`: the claim is on the mean over draws; `again` reads the target for other rows, `fresh`
    draws it in a fresh process; `limit` are the seconds for all checks.
    """

    def redraw(seed: int, X: Array, m: int | None) -> Any:
        """Return a map for rows like X, of m features."""
        other = again(X)
        if m is None:
            return other.draw(seed)
        if other.resize is None:
            raise ValueError("the number of features cannot be chosen")
        return other.resize(seed, m)

    random = target.random and mean
    verdict = check_structure(
        target.draw,
        rows,
        kernel=kernel if random else None,
        redraw=redraw if target.random else None,
        random=random,
        # A map without a seed need not be the same in another process.
        elsewhere=fresh if target.random else None,
        false_alarm=context.false_alarm,
        resolution=resolution,
        time_limit=_SECONDS if limit is None else min(_SECONDS, _FRACTION * limit),
        seed=context.seed,
        ledger=context.ledger,
    )
    return _without_numbers(Evidence.from_verdict(verdict, form="printed"))


# Fraction of the limit reserved for the diagnosis.
_KEPT = 0.1


class Budget:
    """Seconds shared equally by a number of checks; None and 0 are no limit.

    Counts CPU time or a quarter of wall time, as the limit of a check does. Raises ValueError for a
    negative or NaN limit.
    """

    def __init__(self, seconds: float | None, checks: int) -> None:
        if seconds is not None and not 0.0 <= seconds < math.inf:
            raise ValueError(f"time_limit={seconds!r} must be seconds, or 0 for no limit")
        self.limit = seconds or None
        self._checks = checks
        self._clock = Clock(self.limit)

    def part(self) -> float | None:
        """Return the seconds of the next check, an equal part of the time left."""
        if self.limit is None:
            return None
        left = self.limit - self._clock.seconds - _KEPT * self.limit
        part = left / max(1, self._checks)
        self._checks -= 1
        # Enough for one draw, which shows how slow the map is.
        return max(1e-3, part)

    def rest(self) -> float | None:
        """Return the seconds of the last step: all time left, at least the reserved part."""
        limit = self.limit
        return None if limit is None else max(limit - self._clock.seconds, _KEPT * limit)


def compare_uniform_error(
    draw: Callable[[int], Any], kernel: Any, X: Array, resolution: float, seed: int, n_draws: int
) -> Evidence:
    """Check |<phi(x), phi(y)> - k(x, y)| at all pairs against the resolution, for `n_draws` draws.

    Deterministic: it is about these draws and rows, not about the mean. Observed is the largest
    deviation in units of sqrt(k(x,x) k(y,y)).
    """
    resolution = relative_resolution(resolution)
    pairs = make_pairs(kernel, X, None)
    draws = Draws(draw, seed)
    worst, at, rounding = 0.0, 0, 0.0
    for k in range(n_draws):
        source = choose_source(draws[k], pairs, False)
        gram = pairs.pick(estimate(draws[k], pairs, source.n_features)) / pairs.unit
        gap = np.abs(gram - pairs.claim)
        gap[~np.isfinite(gap)] = math.inf
        if gap.max() > worst:
            worst, at = float(gap.max()), int(np.argmax(gap))
        # As in check_kernel: rounding of an inner product grows like the root of its length.
        length = X.shape[1] + source.n_features
        rounding = max(rounding, 8.0 * math.sqrt(length) * source.eps)
    which = f"each of {n_draws} draws" if n_draws > 1 else "this one map"
    evidence = Evidence.from_interval(
        form="printed",
        check="closeness",
        claim=f"|<phi(x), phi(y)> - k(x, y)| <= {resolution:g} sqrt(k(x,x) k(y,y)) at {pairs.n} "
        f"pairs, for {which}; nothing is said of a mean over draws",
        observed=worst,
        interval=(max(0.0, worst - rounding), worst + rounding),
        upper=resolution,
        method="computed, with an allowance for rounding",
    )
    reason = ""
    if evidence.status == "inconclusive":
        reason = (
            f"Features are rounded: the deviation is known to {rounding:.2g} only. A coarser "
            "resolution, or features of a finer dtype, would decide."
        )
    elif worst <= rounding:
        reason = "Equal to rounding."
    return replace(evidence, where=pairs.place(at), resolution=resolution, reason=reason)
