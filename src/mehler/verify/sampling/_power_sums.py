"""Sums of the first four powers of samples, for many means at once, about any number."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler._arrays import Array

# One value, or one for each mean.
Reals = float | NDArray[np.float64]

# Rounding that cancellation leaves, relative to what was summed up.
CANCELLED = 64.0 * float(np.finfo(np.float64).eps)


def power_sums(samples: Array) -> Any:
    """Return sums over axis 0 of the first four powers."""
    squares = samples * samples
    parts = (samples, squares, squares * samples, squares * squares)
    return np.stack([part.sum(axis=0) for part in parts])


def about(c: Array, n: int, sums: Array) -> Any:
    """Return power sums about c, given those about 0."""
    first, *others = sums
    return np.stack([first - n * c, *moved(-c, n, first, *others)])


def moved(d: Reals, n: float, first: Reals, second: Reals, third: Reals, fourth: Reals) -> Any:
    """Return sums of the second to fourth powers of samples + d, given power sums of samples."""
    return (
        second + 2.0 * d * first + n * d**2,
        third + 3.0 * d * second + 3.0 * d**2 * first + n * d**3,
        fourth + 4.0 * d * third + 6.0 * d**2 * second + 4.0 * d**3 * first + n * d**4,
    )


def sums_and_differences(whole: Any, cross: Any) -> Any:
    """Return |u + v|^2 and |u - v|^2 from |u|^2 + |v|^2 and <u, v>, along the last axis."""
    return np.concatenate([whole + 2.0 * cross, whole - 2.0 * cross], axis=-1)


class Moments:
    """The mean of n samples, and the sums of their second to fourth powers about it.

    `slack` is what rounding may have taken from the second and the fourth.
    """

    def __init__(self, n: float, sums: NDArray[np.float64]) -> None:
        s1, s2, s3, s4 = sums
        self.n, self.mean = n, s1 / n
        m = self.mean
        self.squares = np.maximum(s2 - m * s1, 0.0)
        self.cubes = s3 - 3.0 * m * s2 + 2.0 * n * m**3
        fourths = s4 - 4.0 * m * s3 + 6.0 * m**2 * s2 - 3.0 * n * m**4
        self.fourths = np.maximum(fourths, 0.0)
        self.slack = CANCELLED * s2, CANCELLED * (s4 + 6.0 * m**2 * s2 + n * m**4)

    def at(self, d: Reals, sign: Reals = 1.0) -> Any:
        """Return sums of powers of sign (X - mean) + d, even ones no less than they are."""
        pads = self.slack
        central = self.squares + pads[0], sign * self.cubes, self.fourths + pads[1]
        return moved(d, self.n, 0.0, *central)
