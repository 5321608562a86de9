"""The rows of a verification, at random or the user's, and the plot of estimates there."""

from __future__ import annotations

import math
from collections.abc import Callable
from os import PathLike
from typing import Any

import numpy as np

from mehler.audit._target import Target
from mehler.report import load_rows
from mehler.statements import Plot, Series
from mehler.verify.diagnosis import observe

# Number of rows, which give 210 pairs with the diagonal, and most columns of them: 160 MB.
N_ROWS, _MOST_COLUMNS = 20, 10**6
_CORRELATIONS = (0.99, 0.9, 0.5, 0.0, -0.5)
_LENGTHS = (0.3, 0.7, 1.2)


def random_rows(d: int, kernel: Callable[..., Any], rng: np.random.Generator) -> np.ndarray:
    """Return 20 rows in random directions, off the axes, with partners at set correlations.

    Lengths are in units of the kernel's own length scale, so that its values cover 0 to 1. A
    `NamedKernel` declares its length, metric and whether entries must be nonnegative.
    """
    if isinstance(d, bool) or not isinstance(d, int) or d < 1:
        raise ValueError(f"inputs={d!r} must be the number of columns, 1 or more")
    if d > _MOST_COLUMNS:
        raise ValueError(f"inputs={d} must be at most {_MOST_COLUMNS}: give --data for wider rows")
    base = rng.standard_normal((N_ROWS // 4, d))
    base /= np.linalg.norm(base, axis=1)[:, None]
    rows = []
    for i, u in enumerate(base):
        rows.append(u)
        for k in range(3):
            rho = _CORRELATIONS[(3 * i + k) % len(_CORRELATIONS)]
            rows.append(_partner(u, rho, rng))
    # 3 lengths over groups of 4 rows, so that partners differ in length too.
    lengths = np.array([_LENGTHS[i % 3] for i in range(N_ROWS)]) * getattr(kernel, "length", 1.0)
    stacked = np.stack(rows) * lengths[:, None]
    if getattr(kernel, "metric", "") == "cityblock":
        # |u|_1 of a random direction is about sqrt(2 d / pi).
        stacked /= math.sqrt(2.0 * d / math.pi) if d > 1 else 1.0
    if getattr(kernel, "nonnegative", False):
        # These kernels scale with entries, not with row norms.
        stacked = math.sqrt(d) * np.abs(stacked)
    return stacked


def data_rows(data: str | PathLike[str] | Any) -> tuple[np.ndarray, str]:
    """Return at most 20 of the user's rows, evenly spaced in the file, and a description."""
    loaded = load_rows(data)
    n = loaded.values.shape[0]
    words = f"{loaded.n_rows} rows that are not zero, evenly spaced"
    chosen = np.unique(np.linspace(0, n - 1, min(n, N_ROWS)).round().astype(int))
    return np.ascontiguousarray(loaded.values[chosen]), f"{loaded.name}: {chosen.size} of {words}"


def _partner(u: np.ndarray, rho: float, rng: np.random.Generator) -> np.ndarray:
    """Return a unit vector at correlation rho with u; in one dimension only u and -u exist."""
    if u.size == 1:
        return u if rho >= 0.0 else -u
    v = rng.standard_normal(u.size)
    v -= (v @ u) * u
    return rho * u + math.sqrt(1.0 - rho * rho) * v / np.linalg.norm(v)


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
    sample = observe(
        target.draw,
        kernel,
        rows,
        n_draws=n_draws if target.random else 1,
        seed=seed,
        time_limit=time_limit,
    )
    order = np.argsort(sample.claim)
    endpoints = [float(sample.claim.min()), float(sample.claim.max())]
    points = Series(
        label="measured",
        x=sample.claim[order],
        y=sample.mean[order],
        y_low=(sample.mean - 3.0 * sample.error)[order],
        y_high=(sample.mean + 3.0 * sample.error)[order],
        kind="points",
    )
    caption = "A point is a pair of rows: the map is fixed."
    if target.random:
        caption = f"A point is a pair of rows: the mean of {sample.n_draws} draws"
        caption += " with 3 standard errors." if sample.n_draws > 1 else "."
    return Plot(
        title="Estimates against the claimed kernel",
        x_label="claimed k(x, y) / sqrt(k(x,x) k(y,y))",
        y_label="mean estimate",
        series=(Series(label="claimed", x=endpoints, y=endpoints), points),
        caption=caption,
    )
