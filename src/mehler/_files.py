"""Files that are written whole or not at all."""

from __future__ import annotations

import io
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np


def write_whole(path: Path, text: str) -> None:
    """Write a text beside its place and move it there; folders are made.

    Parameters
    ----------
    path : Path
    text : str

    Raises
    ------
    OSError
        If the file cannot be written; what was there before stays.
    """
    _write(path, text.encode("utf-8"))


def write_arrays(path: Path, arrays: Mapping[str, np.ndarray]) -> None:
    """Write arrays as an ``.npz`` file, in the way of `write_whole`: no pickle, no compression.

    Parameters
    ----------
    path : Path
    arrays : mapping of str to array

    Raises
    ------
    OSError
        If the file cannot be written; what was there before stays.
    TypeError
        For arrays of objects.
    """
    pickled = [name for name, values in arrays.items() if np.asarray(values).dtype.hasobject]
    if pickled:
        raise TypeError(f"arrays of objects are not written, as they would be pickled: {pickled}")
    content = io.BytesIO()
    # Without allow_pickle, which NumPy before 2.2 takes for the name of an array.
    np.savez(content, **arrays)  # type: ignore[arg-type]  # stubs take every name for that flag
    _write(path, content.getbuffer())


def _write(path: Path, content: bytes | memoryview) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(prefix=".mehler-", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.chmod(temporary, 0o644)  # temporary files are private, what a user asked for is not
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
