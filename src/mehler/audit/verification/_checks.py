"""The checks of `verify_map`, with time limits and a common ledger."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from mehler import verify
from mehler.audit.target._fresh import Fresh
from mehler.audit.target._jobs import Jobs
from mehler.audit.target._target import Target, read_target
from mehler.audit.verification._budget import Budget, TimeIsUp, timed
from mehler.audit.verification._told import Told
from mehler.audit.verification._uniform_error import check_uniform_error
from mehler.statements import Context, Evidence
from mehler.verify import check_kernel, check_structure
from mehler.verify._verdict import KNOWN_VARIANCE

EXTRA = ("convergence", "reproducible", "finite")
# Draws compared with the kernel where the claim is closeness.
CLOSE_DRAWS = 8


def of_the_mean(
    target: Target,
    kernel: Any,
    rows: np.ndarray,
    context: Context,
    told: Told,
    budget: Budget,
    resolution: float,
    max_features: int | None,
    jobs: Jobs,
) -> tuple[Evidence, str]:
    """Check the mean over draws against the kernel; also describe the declarations used."""
    if not target.random:
        # A fixed map has no more samples than columns.
        max_features = target.draw(0)(rows).shape[1]
    draw = jobs.ahead(target.draw, context.seed) if target.random else target.draw
    verdict = check_kernel(
        draw,
        kernel,
        rows,
        resolution=resolution,
        false_alarm=context.false_alarm,
        max_features=max_features,
        time_limit=budget.share(),
        # Maps with declarations are drawn here, by threads.
        n_jobs=jobs.n if target.random and draw is target.draw else 1,
        seed=context.seed,
        ledger=context.ledger,
        name="kernel",
        **told.options,
    )
    words = told.words
    if not told.options and verdict.method.startswith(KNOWN_VARIANCE):
        words = "by the map itself: the variance of its estimate"
    return Evidence.from_verdict(verdict, form="printed"), words


def of_closeness(
    target: Target, kernel: Any, rows: np.ndarray, seed: int, budget: Budget, resolution: float
) -> tuple[Evidence, str]:
    """Compare some draws, or the one fixed map, with the kernel, deterministically."""
    draws = CLOSE_DRAWS if target.random else 1
    evidence = _limited(
        "closeness",
        budget,
        target.draw,
        lambda draw: check_uniform_error(draw, kernel, rows, resolution, seed, draws),
    )
    return evidence, "nothing: features are computed and compared, no chance enters"


def further(
    name: str, target: Target, rows: np.ndarray, context: Context, budget: Budget
) -> Evidence:
    """Run another check of `mehler.verify` by name."""
    draw: Callable[..., Any] = target.draw
    if name == "convergence" and target.resize is not None:
        draw = target.resize

    def run(draw: Callable[..., Any]) -> Evidence:
        verdict = getattr(verify, f"check_{name}")(
            draw, rows, false_alarm=context.false_alarm, seed=context.seed, ledger=context.ledger
        )
        return Evidence.from_verdict(verdict, form="printed", check=name)

    return _limited(name, budget, draw, run)


def require_draws(names: tuple[str, ...], target: Target) -> None:
    """Raise ValueError, before any draw, for further checks that do not apply to the target."""
    for name in names:
        if not target.random:
            raise ValueError(f"also={name!r} asks for draws, but {target.name} is {target.assumed}")
        if name == "convergence" and target.resize is None:
            raise ValueError(
                f"also={name!r} asks for maps of two sizes: {target.name} has no n_components, "
                "and no n_features after its seed"
            )


def _limited(
    name: str,
    budget: Budget,
    draw: Callable[..., Any],
    run: Callable[[Callable[..., Any]], Evidence],
) -> Evidence:
    """Run a check without a time limit of its own; inconclusive when its time is up."""
    seconds = budget.share()
    try:
        return run(timed(draw, seconds))
    except TimeIsUp as up:
        return Evidence(
            form="printed",
            check=name,
            status="inconclusive",
            claim=f"what the check {name} looks at",
            reason=f"{up}, and the check asks for more: its share of the time limit is "
            f"{seconds:.3g} s. --time-limit {10 * (budget.limit or 1):g} gives it ten times as "
            "much, --time-limit 0 all it takes.",
        )


# Most seconds of the structural checks, and their fraction of a shorter limit.
_SECONDS, _SHARE = 20.0, 0.3


def of_structure(
    target: Target,
    loaded: Any,
    kernel: Any,
    rows: np.ndarray,
    context: Context,
    *,
    mean: bool,
    n_features: int | None,
    arguments: Mapping[str, Any],
    resolution: float,
    limit: float | None,
) -> Evidence:
    """Run the structural checks; the reason of the evidence opens with the cause.

    `loaded` is the object named by MODULE:FACTORY; `mean`: the claim is on the mean over draws;
    `limit` are the seconds for all checks.
    """

    def redraw(seed: int, X: Any, m: int | None) -> Any:
        """Return a map for rows like X, of m features."""
        made = read_target(target.name, loaded, X, n_features=n_features, arguments=arguments)
        if m is None:
            return made.draw(seed)
        if made.resize is None:
            raise ValueError("the number of features cannot be chosen")
        return made.resize(seed, m)

    random = target.random and mean
    verdict = check_structure(
        target.draw,
        rows,
        kernel=kernel if random else None,
        redraw=redraw if target.random else None,
        random=random,
        # A map without a seed need not be the same in another process.
        elsewhere=Fresh(target.name, rows, n_features, arguments) if target.random else None,
        false_alarm=context.false_alarm,
        resolution=resolution,
        time_limit=_SECONDS if limit is None else min(_SECONDS, _SHARE * limit),
        seed=context.seed,
        ledger=context.ledger,
    )
    evidence = Evidence.from_verdict(verdict, form="printed")
    # The number of defects is not a measurement.
    return replace(evidence, observed=None, exact=None, interval=None, detectable=None)
