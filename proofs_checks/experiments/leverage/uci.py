"""Read the paper's sets as UCI has them, from files that the user has."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from .._rows import Part, Problem, scaled, signs


def _table(path: Path, header: int, first: int) -> Any:
    """Return the numbers of a table from some line and column on."""
    with path.open(encoding="utf-8") as file:
        n_columns = len(file.readline().split(","))
    columns = range(first, n_columns)
    return np.loadtxt(path, delimiter=",", skiprows=header, usecols=columns, ndmin=2)


def _year(path: Path) -> Part:
    """Read year, then 90 numbers, in each line."""
    table = _table(path, 0, 0)
    return table[:, 1:], table[:, 0]


def _news(path: Path) -> Part:
    """Read a header, address and age, 58 numbers, and shares, whose logarithm is the target."""
    table = _table(path, 1, 2)
    return table[:, :-1], np.log(table[:, -1])


def _seizure(path: Path) -> Part:
    """Read a header, a name, 178 numbers, and a class, of which 1 is a seizure."""
    table = _table(path, 1, 1)
    return table[:, :-1], table[:, -1] == 1


def _adult(*paths: Path) -> Part:
    """Read 14 entries and the class, with and without a full stop, of both parts."""
    rows = []
    for path in paths:
        with path.open(encoding="utf-8", newline="") as file:
            lines = [[entry.strip() for entry in row] for row in csv.reader(file) if row]
        # The test part begins with a comment.
        rows += [row for row in lines if not row[0].startswith("|")]
    columns = []
    for column in zip(*(row[:-1] for row in rows), strict=True):
        try:
            columns.append(np.array(column, dtype=np.float64)[:, None])
        except ValueError:
            levels = sorted(set(column))
            columns.append(np.equal(np.array(column)[:, None], levels).astype(np.float64))
    return np.concatenate(columns, axis=1), np.array([row[-1].startswith(">50K") for row in rows])


# Files of each set, all of which must be there, and how rows and targets, or which rows are of the
# second class, are read.
SETS: dict[str, tuple[tuple[str, ...], Callable[..., Part]]] = {
    "year": (("YearPredictionMSD.txt",), _year),
    "news": (("OnlineNewsPopularity.csv",), _news),
    "adult-uci": (("adult.data", "adult.test"), _adult),
    "seizure": (("Epileptic Seizure Recognition.csv",), _seizure),
}


def names(folder: Path) -> list[str]:
    """Return the sets whose files are in a folder; ValueError if there are none."""
    present = [
        name
        for name, (files, _) in SETS.items()
        if all((folder / file).is_file() for file in files)
    ]
    if not present:
        wanted = "; ".join(" and ".join(files) for files, _ in SETS.values())
        raise ValueError(f"{folder} has none of the UCI sets: {wanted}")
    return present


def problems(folder: Path) -> dict[str, Problem]:
    """Read the sets of a folder; ValueError, with the file's name, if one cannot be read."""
    sets = {}
    for name in names(folder):
        files, read = SETS[name]
        try:
            X, y = read(*(folder / file for file in files))
            classes = y.dtype == bool
            y = signs(y) if classes else scaled(y)
            if not np.all(np.isfinite(X)) or not np.all(np.isfinite(y)):
                raise ValueError("NaN or infinity")
        except (ValueError, IndexError) as error:
            raise ValueError(f"{folder / files[0]} is not as UCI has it: {error}") from error
        sets[name] = Problem(X, y, classes)
    return sets
