"""Atomic file writes, with destinations checked before any work."""

import os
import stat
import tempfile
from collections.abc import Mapping
from pathlib import Path

# Files that this process has written, in order: reported after an interruption.
written: list[Path] = []


def write_whole(path: Path, text: str) -> None:
    """Write `text` atomically, creating folders; on OSError the old file stays."""
    write_all({path: text})


def destination(path: Path) -> Path:
    """Follow links to the file that is written; ValueError for devices, pipes and folders."""
    place = Path(os.path.realpath(path))
    if os.path.lexists(place) and not stat.S_ISREG(place.lstat().st_mode):
        raise ValueError(f"{path} exists and is not a regular file, so it is not replaced")
    return place


def require_file(file: Path, option: str) -> None:
    """Require, before any work, that a file can be written; ValueError that names `option`."""
    if file.is_dir():
        raise ValueError(f"{option}={str(file)!r} is a directory: give a file")
    require_folder(destination(file).parent, option)


def require_folder(folder: Path, option: str) -> None:
    """Require, before any work, that a folder can be made and written to, by a trial entry."""
    place = folder
    while not place.exists() and not place.is_symlink() and place != place.parent:
        place = place.parent
    if not place.is_dir():
        what = "a link to nothing" if place.is_symlink() else "not a directory"
        raise ValueError(f"{option}={folder} cannot be created: {place} is {what}; choose another")
    try:
        os.rmdir(tempfile.mkdtemp(prefix=".mehler-", dir=place))
    except OSError as error:
        why = f"cannot be written to ({error.strerror})"
        raise ValueError(f"{option}={folder} {why}: choose another directory") from error


def write_all(texts: Mapping[Path, str]) -> None:
    """Write texts to temporary files in the same folders, then move all into place."""
    moves: list[tuple[str, Path, Path]] = []
    try:
        for path, text in texts.items():
            place = destination(path)
            place.parent.mkdir(parents=True, exist_ok=True)
            handle, source = tempfile.mkstemp(prefix=".mehler-", dir=place.parent)
            moves.append((source, place, path))
            with os.fdopen(handle, "wb") as file:
                file.write(text.encode("utf-8"))
            # mkstemp creates private files; the result should be as public as what was there.
            mode = stat.S_IMODE(place.stat().st_mode) if place.exists() else 0o644
            os.chmod(source, mode)
        for source, place, path in moves:
            os.replace(source, place)
            written.append(path)
    except BaseException:
        for source, _, _ in moves:
            Path(source).unlink(missing_ok=True)
        raise
