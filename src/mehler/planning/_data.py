"""The rows of a plan: on the unit sphere, with diameter and doubling dimension."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mehler import _arrays, doubling

# Tolerance on norms of unit rows, from float32 rounding.
_ROUNDING = 1e-5


@dataclass(frozen=True)
class Known:
    """The rows, normalised, or None, and their numbers; `dimension` is an upper bound."""

    rows: Any
    n_inputs: int | None
    n_samples: int | None
    dimension: float | None
    diameter: float | None
    notes: tuple[str, ...]


def on_sphere(data: Any, *, normalise: bool) -> tuple[np.ndarray, str]:
    """Validate the rows, divide them by their norms, and describe what was done."""
    if not _arrays.is_array(data):
        data = np.asarray(data)
    _arrays.require_matrix(data, name="data")
    if _arrays.is_array(data) and data.ndim == 2:
        _arrays.require_small(data, name="data", reason="a plan is made of all rows at once")
    rows = np.asarray(_arrays.to_host(data), dtype=np.float64)
    # Divide by the largest entry first, since squares of entries may overflow or vanish.
    largest = np.abs(rows).max(axis=1, keepdims=True)
    zero = np.flatnonzero(largest[:, 0] == 0)
    if zero.size:
        raise ValueError(
            f"data has rows of zeros, {zero.size} in all and the first is row {zero[0]}; they "
            "have no direction: remove them"
        )
    scaled = rows / largest
    norms = np.linalg.norm(scaled, axis=1, keepdims=True)
    if normalise:
        return scaled / norms, "Rows were divided by their norms."
    lengths = (norms * largest)[:, 0]
    worst = lengths[int(np.argmax(np.abs(lengths - 1)))]
    if abs(worst - 1) > _ROUNDING:
        raise ValueError(
            f"data has a row of norm {worst:.6g}, and the bounds are for rows of norm 1: "
            "leave normalise=True, or divide the rows by their norms"
        )
    return rows, "Rows have norm 1."


def look_at(
    data: Any,
    *,
    n_inputs: int | None,
    n_samples: int | None,
    dimension: float | None,
    diameter: float | None,
    normalise: bool,
    max_points: int,
) -> Known:
    """Compute the numbers from the data, or use those given."""
    if data is None:
        notes: tuple[str, ...] = ()
        if dimension is not None and diameter is None:
            diameter = 2.0
            notes = ("The diameter is taken to be 2, that of the unit sphere.",)
        return Known(None, n_inputs, n_samples, dimension, diameter, notes)
    rows, done = on_sphere(data, normalise=normalise)
    if n_inputs not in (None, rows.shape[1]):
        raise ValueError(
            f"n_inputs={n_inputs} contradicts data, which has {rows.shape[1]} columns: leave it out"
        )
    notes = (done,)
    if dimension is None:
        interval = doubling.doubling_dimension(rows, max_points=max_points)
        dimension = float(interval.high)
        notes += (f"The rows have {interval}: {interval.high} is used.",)
    if diameter is None:
        # Any positive number bounds the diameter of a single direction.
        diameter = min(2.0, max(float(doubling.diameter(rows)), 1e-12))
        notes += (f"The diameter of the rows is {diameter:.6g}.",)
    n_samples = rows.shape[0] if n_samples is None else n_samples
    return Known(rows, rows.shape[1], n_samples, dimension, diameter, notes)
