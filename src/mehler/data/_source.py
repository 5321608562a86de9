"""Locate the file of a data set in an installed package, and verify its hash."""

from __future__ import annotations

import hashlib
import importlib.util
from dataclasses import dataclass
from pathlib import Path


class MissingDataError(FileNotFoundError):
    """The package or folder of a data set is missing; the message says how to install it."""


class DamagedDataError(ValueError):
    """The hash of a file differs from the one recorded when its loader was written."""


@dataclass(frozen=True)
class Source:
    """Origin and licence of a data set.

    Parameters
    ----------
    name : str
        Name of the loader.
    what : str
        Rows, columns and target in a line.
    carrier : str
        Package or folder that contains the file.
    command : str
        Command that installs it.
    licence : str
        Licences of the package and of the data.
    note : str
        Caveats: damage, missing parts, the set it stands in for.
    """

    name: str
    what: str
    carrier: str
    command: str
    licence: str
    note: str = ""


def packaged(source: Source, file: str) -> Path:
    """Find a file of an installed package without importing it, or raise MissingDataError."""
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
    """Read a file and verify its hash, or raise DamagedDataError."""
    content = path.read_bytes()
    hold(content, sha256, path.name)
    return content


def hold(content: bytes, sha256: str, what: str) -> None:
    """Raise DamagedDataError, naming `what`, unless `content` has that hash."""
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        raise DamagedDataError(
            f"{what} has the sha256 {found[:16]}..., not {sha256[:16]}...: it is another version "
            "or damaged; bring it anew, in the version that the loader names"
        )
