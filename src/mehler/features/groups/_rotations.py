"""Rotations of images by any angle: splines on the host, exact for right angles."""

from __future__ import annotations

import math
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
