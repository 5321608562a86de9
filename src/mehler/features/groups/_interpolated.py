"""Rotations of images and warps of signals by interpolation: lists, seldom groups."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from mehler._validate import require_integer, require_positive, require_real
from mehler.features.groups._actions import function, interpolation
from mehler.features.groups._group import MOST_INPUTS, Group


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
        height = require_integer("height", height, most=MOST_INPUTS)
        width = require_integer("width", width, most=MOST_INPUTS)
        spline = require_integer("spline", spline, least=0, most=5)
        degrees = _finite_numbers("degrees", degrees)

        def turned(rows: Any, element: Any) -> Any:
            images, angle = rows.reshape(len(rows), height, width), float(element[0])
            if angle % 90 == 0 and height == width:
                return np.rot90(images, int(angle // 90), axes=(1, 2)).reshape(rows.shape)
            from scipy import ndimage

            return ndimage.rotate(
                images, angle, axes=(2, 1), reshape=False, order=spline, output=rows.dtype
            ).reshape(rows.shape)

        exact = height == width and all(angle % 90 == 0 for angle in degrees)
        turns = {angle % 360 for angle in degrees}
        # A group if the angles are a subgroup of the quarter turns, each once.
        subgroup = turns in ({0.0}, {0.0, 180.0}, {0.0, 90.0, 180.0, 270.0})
        super().__init__(
            height * width,
            len(degrees),
            function(height * width, turned),
            _listed(degrees),
            {"height": height, "width": width, "degrees": degrees, "spline": spline},
            orthogonal=exact,
            closed=exact and subgroup and len(turns) == len(degrees),
        )


class TimeWarps(Group):
    """Changes of speed of a signal, about its middle.

    Parameters
    ----------
    n_inputs : int
        Samples d.
    speeds : sequence of float
        Above 0: at 2 the signal passes in half the time, zeros follow; at 1/2 its middle half is
        stretched. Linear interpolation; not orthogonal.

    Examples
    --------
    >>> import numpy as np
    >>> TimeWarps(5, [2.0]).apply(np.arange(1.0, 6.0)[None, :])[0, 0].tolist()
    [0.0, 1.0, 3.0, 5.0, 0.0]
    """

    speeds: tuple[float, ...]

    def __init__(self, n_inputs: int, speeds: Iterable[float]) -> None:
        n_inputs = require_integer("n_inputs", n_inputs, most=MOST_INPUTS)
        speeds = _finite_numbers("speeds", speeds)
        if min(speeds) <= 0.0:
            raise ValueError(f"speeds={list(speeds)} must be above 0")
        middle = 0.5 * (n_inputs - 1)

        def positions(elements: Any) -> Any:
            return middle + elements * (np.arange(n_inputs) - middle)

        super().__init__(
            n_inputs,
            len(speeds),
            interpolation(n_inputs, positions),
            _listed(speeds),
            {"n_inputs": n_inputs, "speeds": speeds},
            orthogonal=speeds == (1.0,),
            closed=speeds == (1.0,),
        )


class PitchShifts(Group):
    """Shifts of a spectrum along a logarithmic frequency axis.

    Linear interpolation between channels, zeros from outside: not orthogonal.

    Parameters
    ----------
    n_inputs : int
        Channels d.
    cents : sequence of float
        Shifts; 1200 are an octave.
    channels_per_octave : float
        Density of the axis.

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
        n_inputs = require_integer("n_inputs", n_inputs, most=MOST_INPUTS)
        cents = _finite_numbers("cents", cents)
        density = require_positive("channels_per_octave", channels_per_octave)

        def positions(elements: Any) -> Any:
            return np.arange(n_inputs) - elements * (density / 1200.0)

        super().__init__(
            n_inputs,
            len(cents),
            interpolation(n_inputs, positions),
            _listed(cents),
            {"n_inputs": n_inputs, "cents": cents, "channels_per_octave": density},
            orthogonal=cents == (0.0,),
            closed=cents == (0.0,),
        )


def _finite_numbers(name: str, values: Iterable[float]) -> tuple[float, ...]:
    """Validate a non-empty list of finite numbers."""
    try:
        listed = tuple(require_real(name, each) for each in values)
    except TypeError:
        raise TypeError(f"{name}={values!r} must list numbers") from None
    if not listed or not all(math.isfinite(each) for each in listed):
        raise ValueError(f"{name}={list(listed)} must list at least one number, all finite")
    return listed


def _listed(values: tuple[float, ...]) -> Callable[[Any], Any]:
    """Return elements of one number each, in their order."""
    return lambda numbers: np.array(values)[numbers, None]
