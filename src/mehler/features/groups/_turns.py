"""Rotations of images and warps of signals: interpolated lists, and an exact group."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler._arrays import Array
from mehler._validate import require_integer, require_positive, require_real
from mehler.features.groups._actions import Action, function, interpolation
from mehler.features.groups._families import as_column
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

        def turned(rows: Array, element: Any) -> Any:
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

        def positions(elements: NDArray[np.number]) -> Any:
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

        def positions(elements: NDArray[np.number]) -> Any:
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
    turn is that of :class:`QuarterTurns`. U is the polar factor of the samples of functions that
    are orthonormal in the mean over all rotations; `singular_values` says how far they are
    from orthonormal on the pixels. Made once, in O(d M^2) for M functions, about d/2 of them at
    the default; applied in O(r d M) a row.

    References
    ----------
    Proofs: :doc:`/theorems/group-invariant-rotations`.

    Examples
    --------
    >>> import numpy as np
    >>> from mehler.features import groups
    >>> group = groups.SteerableRotations(8, 8, 12)
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

        def turned(rows: Array, turns: Any) -> Any:
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
            as_column,
            {"height": height, "width": width, "n_turns": n_turns, "bandlimit": bandlimit},
        )
        self.__dict__.update(
            frequency=int(frequencies.max()),
            singular_values=values,
            samples=samples,
            basis=basis,
            _generated=lambda parts: frequencies * _quarter(parts, paired),
        )

    def turning_part(self, rows: Array) -> Any:
        """Project images (n, d) on the samples of the functions: the part that turns, (n, d)."""
        return self._rows(rows) @ self.basis @ self.basis.T

    def generator(self, rows: Array) -> Any:
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
