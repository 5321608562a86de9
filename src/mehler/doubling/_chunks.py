"""Points of a Dask array: a sample in memory, the rest read once, chunk by chunk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mehler import _arrays
from mehler._arrays import Array
from mehler.doubling._points import Points, host_rows


@dataclass(frozen=True)
class Seen:
    """A sample of points, and the number of columns in which the whole set varies."""

    points: Points
    n_varying: int


def in_chunks(x: Array, max_points: int) -> bool:
    """Return whether `x` is a Dask array of more than `max_points` rows."""
    if not (_arrays.is_array(x) and _arrays.is_chunked(x)):
        return False
    _arrays.check_matrix(x, name="X")
    _arrays.require_known_chunks(x)
    return bool(x.shape[0] > max_points)


def survey(x: Array, max_points: int) -> Seen:
    """Load evenly spaced rows, and check all in one pass."""
    ends = _arrays.sum_over_chunks(_Ends, x)
    which = np.linspace(0, x.shape[0] - 1, max_points).astype(np.int64)
    points = Points(x[which, :])
    points.rows = which[points.rows]
    return Seen(points, int(np.sum(ends.low < ends.high)))


class _Ends:
    """Minimum and maximum of each column; ``+`` combines two."""

    def __init__(self, chunk: Any) -> None:
        rows = host_rows(chunk, name="a chunk of X")
        self.low, self.high = rows.min(axis=0), rows.max(axis=0)

    def __add__(self, other: _Ends) -> _Ends:
        both = object.__new__(_Ends)
        both.low = np.minimum(self.low, other.low)
        both.high = np.maximum(self.high, other.high)
        return both
