"""Rotations of images and warps of signals by interpolation: lists, seldom groups."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable
from typing import Any

import numpy as np

from mehler._validate import require_integer, require_real
from mehler.features.groups._group import Group


class ImageRotations(Group):
    """Rotations of images about their centre, by listed angles in degrees.

    Parameters
    ----------
    height, width : int
        Rows of data are images of this shape, row by row.
    degrees : sequence of float
        Angles, counter-clockwise. Multiples of 90 on square images are exact; others are
        interpolated by splines (``scipy.ndimage.rotate``), zeros outside: linear, not orthogonal.
    spline : int
        Order of the spline, 0 to 5; default 1.

    See Also
    --------
    QuarterTurns : The exact group.

    Examples
    --------
    >>> group = ImageRotations(8, 8, range(-20, 21, 5))
    >>> group.order, group.orthogonal, group.closed
    (9, False, False)
    """

    height: int
    width: int
    degrees: tuple[float, ...]
    spline: int

    def __init__(
        self, height: int, width: int, degrees: Iterable[float], *, spline: int = 1
    ) -> None:
        self.height = require_integer("height", height, most=10**6)
        self.width = require_integer("width", width, most=10**6)
        self.spline = require_integer("spline", spline, least=0, most=5)
        self.degrees = finite_numbers("degrees", degrees)
        exact = self.height == self.width and all(angle % 90 == 0 for angle in self.degrees)
        turns = {angle % 360 for angle in self.degrees}
        super().__init__(
            self.height * self.width,
            len(self.degrees),
            orthogonal=exact,
            # A group if the angles are a subgroup of the quarter turns, each equally often.
            closed=exact
            and len(turns) == len(self.degrees)
            and turns in ({0.0}, {0.0, 180.0}, {0.0, 90.0, 180.0, 270.0}),
        )

    def _listed(self) -> Any:
        return np.array(self.degrees)[:, None]

    def _apply(self, rows: Any, elements: Any) -> Any:
        images = np.asarray(rows).reshape(len(rows), self.height, self.width)
        return np.stack([self._turned(images, float(angle)) for (angle,) in elements])

    def _transpose(self, rows: Any, elements: Any) -> Any:
        unit = np.eye(self.n_inputs)
        # Images of unit row vectors are the columns of the matrix.
        return np.stack([rows @ self._apply(unit, one[None, :])[0].T for one in elements])

    def _turned(self, images: Any, angle: float) -> Any:
        if angle % 90 == 0 and self.height == self.width:
            turned = np.rot90(images, int(angle // 90), axes=(1, 2))
        else:
            from scipy import ndimage

            turned = ndimage.rotate(
                images, angle, axes=(2, 1), reshape=False, order=self.spline, output=images.dtype
            )
        return turned.reshape(len(images), self.n_inputs)


def finite_numbers(name: str, values: Iterable[float]) -> tuple[float, ...]:
    """Validate a non-empty list of finite numbers."""
    try:
        listed = tuple(require_real(name, each) for each in values)
    except TypeError:
        raise TypeError(f"{name}={values!r} must list numbers") from None
    if not listed or not all(math.isfinite(each) for each in listed):
        raise ValueError(f"{name}={list(listed)} must list at least one number, all finite")
    return listed


class _Resampled(Group):
    """Base of warps: linear interpolation at real positions; zeros outside."""

    @abstractmethod
    def _positions(self, elements: Any) -> Any:
        """Return the positions sampled by each element, shape (r, d), in units of coordinates."""

    def _neighbours(self, elements: Any) -> list[tuple[Any, Any]]:
        at = self._positions(np.asarray(elements, dtype=np.float64))
        low = np.floor(at)
        found = []
        for index, weight in ((low, 1.0 - (at - low)), (low + 1.0, at - low)):
            inside = (index >= 0) & (index <= self.n_inputs - 1)
            places = np.where(inside, index, 0.0).astype(np.int64)
            found.append((places, np.where(inside, weight, 0.0)))
        return found

    def _apply(self, rows: Any, elements: Any) -> Any:
        parts = [
            np.moveaxis(rows[:, index], 1, 0) * weight[:, None, :]
            for index, weight in self._neighbours(elements)
        ]
        return (parts[0] + parts[1]).astype(rows.dtype)

    def _transpose(self, rows: Any, elements: Any) -> Any:
        out = np.zeros((len(elements), self.n_inputs, len(rows)))
        for index, weight in self._neighbours(elements):
            for each, places, weights in zip(out, index, weight):
                np.add.at(each, places, weights[:, None] * rows.T)
        return np.swapaxes(out, 1, 2)


class TimeWarps(_Resampled):
    """Changes of speed of a signal, about its middle.

    Parameters
    ----------
    n_inputs : int
        Samples d.
    speeds : sequence of float
        Above 0: at 2 the signal passes in half the time, zeros follow; at 1/2 its middle half is
        stretched. Linear interpolation; not orthogonal.

    See Also
    --------
    PitchShifts : Shifts of a spectrum.

    Examples
    --------
    >>> import numpy as np
    >>> TimeWarps(5, [2.0]).apply(np.arange(1.0, 6.0)[None, :])[0, 0].tolist()
    [0.0, 1.0, 3.0, 5.0, 0.0]
    """

    speeds: tuple[float, ...]

    def __init__(self, n_inputs: int, speeds: Iterable[float]) -> None:
        self.speeds = finite_numbers("speeds", speeds)
        if min(self.speeds) <= 0.0:
            raise ValueError(f"speeds={list(self.speeds)} must be above 0")
        one = self.speeds == (1.0,)
        super().__init__(n_inputs, len(self.speeds), orthogonal=one, closed=one)

    def _listed(self) -> Any:
        return np.array(self.speeds)[:, None]

    def _positions(self, elements: Any) -> Any:
        middle = 0.5 * (self.n_inputs - 1)
        return middle + elements[:, :1] * (np.arange(self.n_inputs) - middle)


class PitchShifts(_Resampled):
    """Shifts of a spectrum along a logarithmic frequency axis.

    Parameters
    ----------
    n_inputs : int
        Channels d.
    cents : sequence of float
        Shifts; 1200 are an octave.
    channels_per_octave : float
        Density of the axis.

    See Also
    --------
    TimeWarps : Changes of speed.

    Notes
    -----
    Linear interpolation between channels, zeros from outside: not orthogonal.

    Examples
    --------
    >>> import numpy as np
    >>> PitchShifts(4, [100, 50]).apply(np.array([[0.0, 2.0, 0.0, 0.0]]))[:, 0].tolist()
    [[0.0, 0.0, 2.0, 0.0], [0.0, 1.0, 1.0, 0.0]]
    """

    cents: tuple[float, ...]
    channels_per_octave: float

    def __init__(
        self, n_inputs: int, cents: Iterable[float], *, channels_per_octave: float = 12.0
    ) -> None:
        self.cents = finite_numbers("cents", cents)
        density = require_real("channels_per_octave", channels_per_octave)
        if not 0.0 < density < math.inf:
            raise ValueError(f"channels_per_octave={density!r} must be finite and above 0")
        self.channels_per_octave = density
        one = self.cents == (0.0,)
        super().__init__(
            require_integer("n_inputs", n_inputs), len(self.cents), orthogonal=one, closed=one
        )

    def _listed(self) -> Any:
        return np.array(self.cents)[:, None]

    def _positions(self, elements: Any) -> Any:
        return np.arange(self.n_inputs) - elements[:, :1] * (self.channels_per_octave / 1200.0)
