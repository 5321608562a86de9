"""Where a data set's file comes from: found if installed, checked by its hash, never fetched."""

from __future__ import annotations

import hashlib
import importlib.util
from dataclasses import dataclass
from pathlib import Path


class MissingDataError(FileNotFoundError):
    """The package or folder that carries a data set is not here; the text says what brings it."""


class DamagedDataError(ValueError):
    """A file is not the one that was looked at when the loader was written."""


@dataclass(frozen=True)
class Source:
    """A data set, what carries it, and under which terms.

    Parameters
    ----------
    name : str
        Of the loader.
    what : str
        Rows, columns and target in a line.
    carrier : str
        Package or folder that the file lies in.
    command : str
        What brings it.
    licence : str
        Of the package, and of the data.
    note : str
        What a user has to know: damage, missing parts, what it stands in for.
    """

    name: str
    what: str
    carrier: str
    command: str
    licence: str
    note: str = ""


def packaged(source: Source, file: str) -> Path:
    """Find a file inside an installed package, without importing the package.

    Parameters
    ----------
    source : Source
    file : str
        Path below the package's folder.

    Returns
    -------
    Path

    Raises
    ------
    MissingDataError
        If the package is not installed or lacks the file.
    """
    spec = importlib.util.find_spec(source.carrier)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(folder) / file
        if path.is_file():
            return path
    raise MissingDataError(
        f"{source.name}: {file} of the package {source.carrier} is not installed; "
        f"this brings it: {source.command}"
    )


def checked(path: Path, sha256: str) -> bytes:
    """Read a file and hold it to its hash.

    Parameters
    ----------
    path : Path
    sha256 : str

    Returns
    -------
    bytes

    Raises
    ------
    DamagedDataError
        If the hash is another one.
    """
    content = path.read_bytes()
    hold(content, sha256, path.name)
    return content


def hold(content: bytes, sha256: str, what: str) -> None:
    """Raise unless the bytes have the hash.

    Parameters
    ----------
    content : bytes
    sha256 : str
    what : str
        For the message.
    """
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        raise DamagedDataError(
            f"{what} has the sha256 {found[:16]}..., not {sha256[:16]}...: it is another version "
            "or damaged; bring it anew, in the version that the loader names"
        )
