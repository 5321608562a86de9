"""The structural checks of `verify_map`, on targets that can be drawn for any rows and size."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from mehler.report.target._fresh import Fresh
from mehler.report.target._target import Target, read_target
from mehler.statements import Context, Evidence
from mehler.verify import check_structure

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
