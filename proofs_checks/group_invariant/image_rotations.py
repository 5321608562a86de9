"""Rotations of images: interpolated by splines, and an exact group of orthogonal maps."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler._validate import require_integer, require_real
from mehler.features.groups import Action, Group

# Most coordinates of an image.
_MOST_INPUTS = 10**6


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
    >>> from mehler.proofs_checks.group_invariant.image_rotations import ImageRotations
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
        height = require_integer("height", height, most=_MOST_INPUTS)
        width = require_integer("width", width, most=_MOST_INPUTS)
        spline = require_integer("spline", spline, least=0, most=5)
        degrees = tuple(require_real("degrees", angle) for angle in degrees)
        if not degrees or not all(math.isfinite(angle) for angle in degrees):
            raise ValueError(f"degrees={list(degrees)} must list at least one number, all finite")

        def turned(rows: NDArray[Any], element: NDArray[Any]) -> Any:
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
            _of_function(height * width, turned),
            lambda numbers: np.array(degrees)[numbers, None],
            {"height": height, "width": width, "degrees": degrees, "spline": spline},
            orthogonal=exact,
            closed=exact and subgroup and len(turns) == len(degrees),
        )


def _of_function(n_inputs: int, move: Callable[[Any, Any], Any]) -> Action:
    """Apply a linear function of rows and of one element's numbers."""

    def apply(rows: NDArray[Any], elements: NDArray[Any]) -> Any:
        return np.stack([move(rows, element) for element in elements])

    def transpose(rows: NDArray[Any], elements: NDArray[Any]) -> Any:
        unit = np.eye(n_inputs)
        # Images of unit row vectors are the columns of the matrix.
        return np.stack([rows @ move(unit, element).T for element in elements])

    return Action(apply, transpose)


# Most numbers of the basis that is kept, 256 MB.
_MOST = 1 << 25
# Below this singular value the samples of two functions are not told apart.
_LEAST = 1e-3


class SteerableRotations(Group):
    r"""Rotations of images about their centre by equal angles: an exact group, all orthogonal.

    Images are read as samples of functions on the disc about their centre, whose radius is half
    the shorter side and half a pixel. Functions :math:`J_k(\lambda r)\cos k\phi` and
    :math:`J_k(\lambda r)\sin k\phi` that vanish at the rim and have wave numbers :math:`\lambda`
    up to `bandlimit` times that of the pixels, :math:`\pi`, are turned by an angle
    :math:`\theta` by :math:`k\theta`. Here they are turned on an orthonormal basis U of their
    samples,

    .. math:: R_\theta = 1 - UU^\top + U e^{\theta\Lambda}U^\top, \qquad \theta = 2\pi j/n:

    a representation of SO(2) on the images, of which `n_turns` elements are taken. What is
    orthogonal to all those samples, such as the corners, stays as it is.

    Parameters
    ----------
    height, width : int
        Rows of data are images of this shape, row by row.
    n_turns : int
        n; angles are the multiples of 360/n degrees, counter-clockwise.
    bandlimit : float, optional
        Above 0 and at most 1. Larger ones turn more of an image, and are less of an isometry.

    Attributes
    ----------
    frequency : int
        The largest k.
    samples : array, shape (d, M)
        Samples of functions that are orthonormal in the mean over rotations; read-only.
    basis : array, shape (d, M)
        Orthonormal basis U of the samples, the nearest to them; read-only.
    singular_values : array, shape (M,)
        Singular values of the samples, falling: all 1 if they were isometric.

    Notes
    -----
    An element is the number of turns j. On samples of the functions in a square image a quarter
    turn is that of :class:`mehler.features.groups.QuarterTurns`. U is the polar factor of the
    samples of functions that are orthonormal in the mean over all rotations; `singular_values`
    says how far they are from orthonormal on the pixels. Made once, in O(d M^2) for M functions,
    about d/2 of them at the default; applied in O(r d M) a row.

    References
    ----------
    Proofs: :doc:`/theorems/group-invariant-rotations`.

    Examples
    --------
    >>> import numpy as np
    >>> from mehler.features import groups
    >>> from mehler.proofs_checks.group_invariant.image_rotations import SteerableRotations
    >>> group = SteerableRotations(8, 8, 12)
    >>> group.order, group.orthogonal, group.closed, group.frequency
    (12, True, True, 8)
    >>> image = group.turning_part(np.arange(64.0)[None, :])
    >>> exact = groups.QuarterTurns(8).apply(image, [[1, 0]])
    >>> bool(np.allclose(group.apply(image, [[3]]), exact))
    True
    """

    height: int
    width: int
    n_turns: int
    bandlimit: float
    frequency: int
    samples: NDArray[np.float64]
    basis: NDArray[np.float64]
    singular_values: NDArray[np.float64]
    _generated: Callable[[Any], Any]

    def __init__(self, height: int, width: int, n_turns: int, *, bandlimit: float = 0.9) -> None:
        height = require_integer("height", height, least=2, most=1000)
        width = require_integer("width", width, least=2, most=1000)
        n_turns = require_integer("n_turns", n_turns, most=10**6)
        bandlimit = require_real("bandlimit", bandlimit)
        if not 0.0 < bandlimit <= 1.0:
            raise ValueError(f"bandlimit={bandlimit!r} must be above 0 and at most 1")
        samples, frequencies, paired = _samples(height, width, bandlimit)
        if paired == 0:
            raise ValueError(f"bandlimit={bandlimit!r} leaves nothing that turns: make it larger")
        left, values, right = np.linalg.svd(samples, full_matrices=False)
        if samples.shape[1] > samples.shape[0] or values[-1] < _LEAST:
            raise ValueError(
                f"bandlimit={bandlimit!r} has functions that the {height} x {width} "
                "pixels do not tell apart: make it smaller"
            )
        basis = left @ right
        for part in (samples, values, basis):
            part.setflags(write=False)

        def turned(rows: NDArray[Any], turns: NDArray[Any]) -> Any:
            parts = rows.astype(np.float64) @ basis
            # Whole turns are taken out before the angle is rounded.
            steps = np.multiply.outer(turns.astype(np.int64), frequencies) % n_turns
            angles = (2.0 * np.pi / n_turns) * steps[:, None, :]
            moved = (np.cos(angles) - 1.0) * parts
            moved += np.sin(angles) * _quarter(parts, paired)
            return (rows + moved @ basis.T).astype(rows.dtype)

        super().__init__(
            height * width,
            n_turns,
            Action(
                lambda rows, elements: turned(rows, elements[:, 0]),
                lambda rows, elements: turned(rows, -elements[:, 0]),
            ),
            lambda numbers: numbers[:, None],
            {"height": height, "width": width, "n_turns": n_turns, "bandlimit": bandlimit},
        )
        self.__dict__.update(
            frequency=int(frequencies.max()),
            singular_values=values,
            samples=samples,
            basis=basis,
            _generated=lambda parts: frequencies * _quarter(parts, paired),
        )

    def turning_part(self, rows: NDArray[Any]) -> Any:
        """Project images (n, d) on the samples of the functions: the part that turns, (n, d)."""
        return self._rows(rows) @ self.basis @ self.basis.T

    def generator(self, rows: NDArray[Any]) -> Any:
        """Differentiate turned images (n, d) by the angle, at 0: J x, shape (n, d).

        Its length is how fast an image changes as it turns, at every angle, per radian.
        """
        return self._generated(self._rows(rows) @ self.basis) @ self.basis.T


def _samples(height: int, width: int, bandlimit: float) -> tuple[Any, Any, int]:
    """Sample functions that are orthonormal in the mean over all rotations.

    Returns the samples (d, M), cosine and sine of a frequency side by side and those of frequency
    0 last; the frequencies (M,) and the number of columns in pairs.
    """
    from scipy import special

    down, right = np.mgrid[:height, :width].reshape(2, -1)
    point = right - 0.5 * (width - 1) + 1j * (0.5 * (height - 1) - down)
    rim = 0.5 * (min(height, width) + 1)
    radius, angle = np.abs(point) / rim, np.angle(point)
    most = bandlimit * math.pi * rim
    columns = [np.empty((len(angle), 0))]
    frequencies: list[int] = []
    # The first zero of J_k is above k.
    for k in (*range(1, math.floor(most) + 1), 0):
        zeros = special.jn_zeros(k, math.floor(most / math.pi) + 1)
        zeros = zeros[zeros <= most]
        if len(zeros) * len(angle) * max(1, len(frequencies)) > _MOST:
            raise ValueError(
                f"bandlimit={bandlimit} takes more than {_MOST} numbers for images of "
                f"{height} x {width}: make it smaller"
            )
        if len(zeros) == 0:
            continue
        radial = special.jv(k, np.multiply.outer(radius, zeros)) * (radius < 1.0)[:, None]
        # The mean over rotations of a squared cosine is 1/2, so lengths are those of the radii.
        profiles = np.linalg.qr(radial)[0]
        waves = [np.cos(k * angle), np.sin(k * angle)] if k else [np.ones_like(angle)]
        scaled = [math.sqrt(len(waves)) * profiles * wave[:, None] for wave in waves]
        columns.append(np.stack(scaled, axis=2).reshape(len(angle), -1))
        frequencies += [k] * columns[-1].shape[1]
    listed = np.array(frequencies, dtype=np.int64)
    return np.concatenate(columns, axis=1), listed, int(np.count_nonzero(listed))


def _quarter(parts: Any, paired: int) -> Any:
    """Turn the planes of neighbouring columns by a right angle; 0 for those of frequency 0."""
    turned = np.zeros_like(parts)
    turned[..., 0:paired:2] = -parts[..., 1:paired:2]
    turned[..., 1:paired:2] = parts[..., 0:paired:2]
    return turned
