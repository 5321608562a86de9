"""Signals at another speed, and spectra at another pitch, by linear interpolation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def read_at(rows: NDArray[np.float64], places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Read rows (n, d) at real places (d,) between their coordinates; zeros are outside."""
    low = np.floor(places)
    parts = []
    for index, weight in ((low, 1.0 - (places - low)), (low + 1.0, places - low)):
        inside = (index >= 0) & (index <= rows.shape[1] - 1)
        whole = np.where(inside, index, 0.0).astype(np.int64)
        parts.append(rows[:, whole] * np.where(inside, weight, 0.0))
    return parts[0] + parts[1]


def at_speed(rows: NDArray[np.float64], speed: float) -> NDArray[np.float64]:
    """Play signals (n, d) about their middle: at 2 in half the time, at 1/2 the middle half."""
    middle = 0.5 * (rows.shape[1] - 1)
    return read_at(rows, middle + speed * (np.arange(rows.shape[1]) - middle))


def warps(n: int, speeds: Sequence[float]) -> NDArray[np.float64]:
    """Return matrices that read n places faster or slower about the middle one, (r, n, n)."""
    return np.stack([at_speed(np.eye(n), speed).T for speed in speeds])


def transpositions(
    n: int, cents: Sequence[float], *, channels_per_octave: float = 12.0
) -> NDArray[np.float64]:
    """Return matrices that shift a spectrum of n channels by hundredths of a semitone."""
    steps = np.multiply(cents, channels_per_octave / 1200.0)
    return np.stack([read_at(np.eye(n), np.arange(n) - step).T for step in steps])
