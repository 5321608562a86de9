"""Plot the estimates of a verification against the claim, pair by pair."""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler.report.target._target import Target
from mehler.statements import Plot, Series
from mehler.verify.diagnosis._diagnose import observe


def estimates(
    target: Target,
    kernel: Any,
    rows: np.ndarray,
    *,
    seed: int,
    n_draws: int,
    time_limit: float | None,
) -> Plot:
    """Plot the mean of at most `n_draws` draws against the claim, with 3 standard errors.

    A fixed map is drawn once; no more is drawn after `time_limit` seconds.
    """
    seen = observe(
        target.draw,
        kernel,
        rows,
        n_draws=n_draws if target.random else 1,
        seed=seed,
        time_limit=time_limit,
    )
    order = np.argsort(seen.claim)
    ends = [float(seen.claim.min()), float(seen.claim.max())]
    points = Series(
        label="measured",
        x=seen.claim[order],
        y=seen.mean[order],
        y_low=(seen.mean - 3.0 * seen.error)[order],
        y_high=(seen.mean + 3.0 * seen.error)[order],
        kind="points",
    )
    caption = "A point is a pair of rows: the map is fixed."
    if target.random:
        caption = f"A point is a pair of rows: the mean of {seen.n_draws} draws"
        caption += " with 3 standard errors." if seen.n_draws > 1 else "."
    return Plot(
        title="Estimates against the claimed kernel",
        x_label="claimed k(x, y) / sqrt(k(x,x) k(y,y))",
        y_label="mean estimate",
        series=(Series(label="claimed", x=ends, y=ends), points),
        caption=caption,
    )
