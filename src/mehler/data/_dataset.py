"""The in-memory data set that every loader returns."""

from __future__ import annotations

from dataclasses import dataclass
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

    See Also
    --------
    sources : List the loaders.
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
