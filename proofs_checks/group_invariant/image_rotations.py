"""Rotations of images: interpolated by splines, and an exact group of orthogonal maps.

They act on the templates of group-invariant features. Experiments use the splines; the checks of
``group-invariant.rotations`` use both.
"""

import functools
import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler._validate import require_integer, require_real
from mehler.features.groups import Action, Group, LinearMaps


def image_rotations(
    height: int, width: int, degrees: Iterable[float], *, spline: int = 1
) -> LinearMaps:
    """Return rotations of images about their centre, counter-clockwise: a list, no group.

    Turning by two interpolated angles in a row is not turning by their sum, as a group needs.
    Multiples of 90 degrees on square images are exact; others are interpolated by splines of that
    order (``scipy.ndimage.rotate``), zeros outside.
    """
    from scipy import ndimage

    def turned(rows: NDArray[np.float64], angle: float) -> Any:
        images = rows.reshape(len(rows), height, width)
        if angle % 90 == 0 and height == width:
            return np.rot90(images, int(angle // 90), axes=(1, 2)).reshape(rows.shape)
        options: Any = {"axes": (2, 1), "reshape": False, "order": spline}
        return ndimage.rotate(images, angle, **options).reshape(rows.shape)

    maps = [functools.partial(turned, angle=float(angle)) for angle in degrees]
    return LinearMaps(maps, n_inputs=height * width)


_MOST = 1 << 25  # numbers of the basis that is kept, 256 MB
_LEAST = 1e-3  # singular value below which the samples of two functions are indistinguishable


class SteerableRotations(Group):
    r"""Rotations of images about their centre by equal angles: an exact group, all orthogonal.

    .. math:: R_\theta = 1 - UU^\top + U e^{\theta\Lambda}U^\top, \qquad \theta = 2\pi j/n

    for n = `n_turns`, counter-clockwise, U an orthonormal basis of the samples of Bessel functions
    :math:`J_k(\lambda r)\cos k\phi` and :math:`J_k(\lambda r)\sin k\phi` on the disc about the
    centre, whose radius is half the shorter side and half a pixel. :math:`\Lambda` turns the plane
    of each such pair by a right angle and multiplies it by k. The functions vanish at the rim, with
    wave numbers :math:`\lambda` up to `bandlimit` times that of the pixels, :math:`\pi`. What is
    orthogonal to them, such as the corners, stays as it is.

    `frequency` is the largest k, `samples` (d, M) those of functions that are orthonormal in the
    mean over rotations, `basis` U their polar factor, and `singular_values` theirs on the pixels.
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
            raise ValueError(f"{bandlimit=} has functions that pixels do not tell apart")
        basis = left @ right
        for part in (samples, values, basis):
            part.setflags(write=False)

        def turned(rows: NDArray[Any], turns: NDArray[Any]) -> Any:
            parts = rows.astype(np.float64) @ basis
            # Whole turns are taken out before the angle is rounded.
            steps = np.multiply.outer(turns.astype(np.int64), frequencies) % n_turns
            angles = (2.0 * np.pi / n_turns) * steps[:, None, :]
            differences = (np.cos(angles) - 1.0) * parts
            differences += np.sin(angles) * _quarter(parts, paired)
            return (rows + differences @ basis.T).astype(rows.dtype)

        action = Action(
            lambda rows, elements: turned(rows, elements[:, 0]),
            lambda rows, elements: turned(rows, -elements[:, 0]),
        )
        sizes = {"height": height, "width": width, "n_turns": n_turns, "bandlimit": bandlimit}
        super().__init__(height * width, n_turns, action, lambda n: n[:, None], sizes)
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
        """Differentiate turned images (n, d) by the angle, at 0: J x, as long at every angle."""
        return self._generated(self._rows(rows) @ self.basis) @ self.basis.T


def _samples(height: int, width: int, bandlimit: float) -> tuple[Any, Any, int]:
    """Return samples (d, M) of functions, their frequencies (M,), and how many are in pairs.

    Cosine and sine of a frequency are side by side, those of frequency 0 last.
    """
    from scipy import special

    down, right = np.mgrid[:height, :width].reshape(2, -1)
    point = right - 0.5 * (width - 1) + 1j * (0.5 * (height - 1) - down)
    rim = 0.5 * (min(height, width) + 1)
    radius, angle = np.abs(point) / rim, np.angle(point)
    most = bandlimit * math.pi * rim
    columns = [np.empty((len(angle), 0))]
    frequencies: list[int] = []
    for k in (*range(1, math.floor(most) + 1), 0):  # the first zero of the Bessel J_k is above k
        zeros = special.jn_zeros(k, math.floor(most / math.pi) + 1)
        zeros = zeros[zeros <= most]
        if len(zeros) * len(angle) * max(1, len(frequencies)) > _MOST:
            raise ValueError(f"{bandlimit=} takes more than {_MOST} numbers: make it smaller")
        if len(zeros) == 0:
            continue
        radial = special.jv(k, np.multiply.outer(radius, zeros)) * (radius < 1.0)[:, None]
        # The mean over rotations of a squared cosine is 1/2, so lengths are those of the radii.
        profiles = np.linalg.qr(radial)[0]
        waves = [np.cos(k * angle), np.sin(k * angle)] if k else [np.ones_like(angle)]
        functions = [math.sqrt(len(waves)) * profiles * wave[:, None] for wave in waves]
        columns.append(np.stack(functions, axis=2).reshape(len(angle), -1))
        frequencies += [k] * columns[-1].shape[1]
    orders = np.array(frequencies, dtype=np.int64)
    return np.concatenate(columns, axis=1), orders, int(np.count_nonzero(orders))


def _quarter(parts: Any, paired: int) -> Any:
    """Turn the planes of neighbouring columns by a right angle; 0 for those of frequency 0."""
    partners = np.zeros_like(parts)
    partners[..., 0:paired:2] = -parts[..., 1:paired:2]
    partners[..., 1:paired:2] = parts[..., 0:paired:2]
    return partners
