"""Atomic writes: a file is written whole or not at all."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import stat
import tempfile
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import FrameType

import numpy as np


def write_whole(path: Path, text: str) -> None:
    """Write `text` atomically, creating folders; on OSError the old file stays."""
    _write(path, text.encode("utf-8"))


def write_arrays(path: Path, arrays: Mapping[str, np.ndarray]) -> None:
    """Write arrays atomically as an uncompressed ``.npz``; TypeError for arrays of objects."""
    pickled = [name for name, values in arrays.items() if np.asarray(values).dtype.hasobject]
    if pickled:
        raise TypeError(f"arrays of objects are not written, as they would be pickled: {pickled}")
    content = io.BytesIO()
    # No allow_pickle: NumPy before 2.2 would store it as an array of that name.
    np.savez(content, **arrays)  # type: ignore[arg-type]  # stubs take every name for that flag
    _write(path, content.getbuffer())


def destination(path: Path) -> Path:
    """Follow links to the file that is written; ValueError for devices, pipes and folders.

    Those would be replaced: /dev/null by a file, for whoever may.
    """
    place = Path(os.path.realpath(path))
    if os.path.lexists(place) and not stat.S_ISREG(place.lstat().st_mode):
        raise ValueError(f"{path} is there and is no regular file, so it is not replaced")
    return place


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Hold back requests to end the process until some files have changed together."""
    held: list[int] = []

    def hold(number: int, frame: FrameType | None) -> None:
        held.append(number)

    before = {}
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            # Handlers that C code has set are not known, and could not be put back.
            if signal.getsignal(number) is not None:
                before[number] = signal.signal(number, hold)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for request in held:
            signal.raise_signal(request)


def _write(path: Path, content: bytes | memoryview) -> None:
    place = destination(path)
    place.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(prefix=".mehler-", dir=place.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        # mkstemp creates private files; the result should be as public as what was there.
        os.chmod(temporary, stat.S_IMODE(place.stat().st_mode) if place.exists() else 0o644)
        os.replace(temporary, place)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
