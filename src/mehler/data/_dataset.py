"""A data set in memory: rows, targets, and what they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Dataset:
    """Rows and targets as NumPy arrays.

    Parameters
    ----------
    name : str
        Of the loader.
    X : array, shape (n, ...)
        Rows as the file has them: no scaling, no centring.
    y : array, shape (n,)
        Classes as integers, or a real target.
    X_test, y_test : array or None
        The set's own test part, where it has one.
    columns : tuple of str
        Names of the columns of `X`; empty for images and sequences.
    classes : tuple of str
        Names of the classes; empty for regression.
    licence : str
        Of the package, and of the data.
    note : str
        What a user has to know.
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
