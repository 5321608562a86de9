"""What a data set is, where each comes from, and its files, verified by their hashes."""

from __future__ import annotations

import hashlib
import importlib.util
import tomllib
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Dataset:
    """Rows and targets as NumPy arrays.

    Parameters
    ----------
    name : str
        Name of the loader.
    X : array, shape (n, ...)
        Rows as stored in the file: neither scaled nor centred.
    y : array, shape (n,)
        Classes as integers, or a real target.
    X_test, y_test : array or None
        The official test part, if there is one.
    columns : tuple of str
        Column names of `X`; empty for images and sequences.
    classes : tuple of str
        Class names; empty for regression.
    licence : str
        Licences of the package and of the data.
    note : str
        Caveats for users.
    """

    name: str
    X: Any
    y: Any
    X_test: Any = None
    y_test: Any = None
    columns: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    licence: str = ""
    note: str = ""

    def __repr__(self) -> str:
        test = "" if self.X_test is None else f", test {self.X_test.shape}"
        kind = f"{len(self.classes)} classes" if self.classes else "a real target"
        return f"Dataset({self.name}: {self.X.shape}{test}, {self.X.dtype}, {kind})"


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
    sha256 : dict
        Hashes of its files, or of the numbers inside, by their names.
    """

    name: str
    what: str
    carrier: str
    command: str
    licence: str
    note: str = ""
    sha256: dict[str, str] = field(default_factory=dict, hash=False, repr=False)

    def dataset(self, *arrays: Any, **names: Any) -> Dataset:
        """Return the data set of X, y, X_test, y_test, and names of columns and classes."""
        names |= {"licence": self.licence, "note": self.note}
        return Dataset(self.name, *arrays, **names)

    def file(self, place: str) -> Path:
        """Find a file of the installed package without importing it, or raise MissingDataError."""
        spec = importlib.util.find_spec(self.carrier)
        for folder in (spec.submodule_search_locations or ()) if spec else ():
            path = Path(folder) / place
            if path.is_file():
                return path
        raise MissingDataError(
            f"{self.name}: {place} of the package {self.carrier} is not installed; this brings it: "
            f"{self.command}"
        )

    def read(self, place: str) -> bytes:
        """Return the content of a file of the installed package, with its hash verified."""
        path = self.file(place)
        return self.verified(path.read_bytes(), path.name)

    def verified(self, content: bytes, name: str) -> bytes:
        """Return the content if its hash is that of `name`, or raise DamagedDataError."""
        digest, expected = hashlib.sha256(content).hexdigest(), self.sha256[name]
        if digest != expected:
            raise DamagedDataError(
                f"{name} has the sha256 {digest[:16]}..., not {expected[:16]}...: it is "
                "another version or damaged; bring it anew, in the version that the loader names"
            )
        return content


SOURCES = {
    name: Source(name=name, **entries)
    for name, entries in tomllib.loads(
        files("mehler.data").joinpath("sources.toml").read_text(encoding="utf-8")
    ).items()
}
