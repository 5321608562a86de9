"""Tune digits per bucket and number of tables by exact probabilities on a sample of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mehler import _arrays, exact

# Sampled queries, and sampled rows for counting candidates.
_QUERIES, _OTHERS = 200, 2000
# Cost of one table look-up, in ranked candidates.
LOOK = 5
_BLOCK = 2048


@dataclass(frozen=True)
class Choice:
    """Sizes with their expected recall and candidates over draws of the map."""

    digits: int
    tables: int
    recall: float
    candidates: float


def probability(kappa: Any, digits: int, tables: int) -> Any:
    """Compute 1 - (1 - kappa^k)^L on the host, small values to full relative accuracy."""
    bucket = kappa**digits
    with np.errstate(divide="ignore"):  # log of 0 where a bucket is certain
        return -np.expm1(tables * np.log1p(-bucket))


def unit_rows(rows: Any) -> Any:
    """Normalise rows on the host; zero rows stay zero."""
    rows = rows.astype(np.float32 if rows.dtype == np.float32 else np.float64, copy=False)
    largest = np.abs(rows).max(axis=1, keepdims=True)
    rows = rows / np.where(largest > 0, largest, 1)  # so that squares stay in range
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1)


def cosines(x: Any, units: Any) -> Any:
    """Compute cosines of `units` with all rows of `x`, block by block: (len(units), n)."""
    out = np.empty((len(units), x.shape[0]), dtype=units.dtype)
    for rows in _arrays.slices(x.shape[0], _BLOCK):
        np.matmul(units, unit_rows(_arrays.to_host(x[rows, :])).T, out=out[:, rows])
    return np.clip(out, -1.0, 1.0, out=out)


def choose(
    x: Any,
    pool_size: int,
    n_units: int,
    digits: int | None,
    tables: int | None,
    recall: float,
    n_neighbours: int,
) -> Choice:
    """Return the cheapest sizes with expected recall >= `recall` on a sample."""
    n = x.shape[0]
    chosen = np.unique(np.linspace(0, n - 1, min(n, _QUERIES)).astype(np.int64))
    units = unit_rows(np.concatenate([_arrays.to_host(x[i : i + 1, :]) for i in chosen.tolist()]))
    rho = cosines(x, units)
    rho[np.arange(len(chosen)), chosen] = -2.0  # a row is not its own neighbour
    k = min(n_neighbours, n - 1)
    near = np.partition(rho, n - k, axis=1)[:, n - k :]
    others = rho[:, np.linspace(0, n - 1, min(n, _OTHERS)).astype(np.int64)]
    near, far = (
        exact.collision_probability(part.astype(np.float64), pool_size)
        for part in (near, others[others >= -1.0])
    )
    best: tuple[float, Choice] | None = None
    for k in [digits] if digits else range(1, n_units + 1):
        most = n_units // k
        if pool_size**k > 2**63 or (tables or 1) > most:
            break
        count = tables or _least_tables(near, k, most, recall)
        found = float(probability(near, k, count).mean())
        if found >= recall:
            candidates = n * float(probability(far, k, count).mean())
            cost = candidates + LOOK * count
            if best is None or cost < best[0]:
                best = cost, Choice(k, count, found, candidates)
    if best is None:
        raise ValueError(
            f"no buckets of the {n_units} units of phi find {recall:g} of the {n_neighbours} "
            "nearest rows in expectation; draw phi with more units, or ask for less recall"
        )
    return best[1]


def _least_tables(near: Any, digits: int, most: int, recall: float) -> int:
    """Return the least number of tables that reaches the recall, at most `most`, by bisection."""
    low, high = 1, most
    while low < high:
        middle = (low + high) // 2
        if probability(near, digits, middle).mean() >= recall:
            high = middle
        else:
            low = middle + 1
    return low
