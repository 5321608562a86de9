"""The paper's sets, read from UCI files that a user has."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from mehler.reproduce.leverage._world import Problem


def _year(paths: list[Path]) -> Problem:
    """Read year, then 90 numbers, in each line."""
    table = np.loadtxt(paths[0], delimiter=",", dtype=np.float64, ndmin=2)
    return _regression("year", table[:, 1:], table[:, 0])


def _news(paths: list[Path]) -> Problem:
    """Read a header, address and age, 58 numbers, and shares, whose logarithm is the target."""
    rows = _lines(paths[0])[1:]
    table = np.array([[float(entry) for entry in row[2:]] for row in rows])
    return _regression("news", table[:, :-1], np.log(table[:, -1]))


def _adult(paths: list[Path]) -> Problem:
    """Read 14 entries and the class, with and without a full stop, of both parts."""
    # The test part begins with a comment.
    rows = [row for path in paths for row in _lines(path) if not row[0].startswith("|")]
    columns = []
    for column in zip(*(row[:-1] for row in rows), strict=True):
        try:
            columns.append(np.array(column, dtype=np.float64)[:, None])
        except ValueError:
            levels = sorted(set(column))
            columns.append(np.equal(np.array(column)[:, None], levels).astype(np.float64))
    above = np.array([row[-1].startswith(">50K") for row in rows])
    return Problem("adult-uci", np.concatenate(columns, axis=1), np.where(above, 1.0, -1.0), True)


def _seizure(paths: list[Path]) -> Problem:
    """Read a header, a name, 178 numbers, and a class, of which 1 is a seizure."""
    rows = _lines(paths[0])[1:]
    table = np.array([[float(entry) for entry in row[1:]] for row in rows])
    return Problem("seizure", table[:, :-1], np.where(table[:, -1] == 1, 1.0, -1.0), True)


# Files of each set, all of which must be there, and how they are read.
SETS: dict[str, tuple[tuple[str, ...], Callable[[list[Path]], Problem]]] = {
    "year": (("YearPredictionMSD.txt",), _year),
    "news": (("OnlineNewsPopularity.csv",), _news),
    "adult-uci": (("adult.data", "adult.test"), _adult),
    "seizure": (("Epileptic Seizure Recognition.csv",), _seizure),
}


def names(folder: Path) -> list[str]:
    """Return the sets whose files are in a folder; ValueError if there are none."""
    found = [
        name
        for name, (files, _) in SETS.items()
        if all((folder / file).is_file() for file in files)
    ]
    if not found:
        wanted = "; ".join(" and ".join(files) for files, _ in SETS.values())
        raise ValueError(f"{folder} has none of the UCI sets: {wanted}")
    return found


def load(folder: Path) -> list[Problem]:
    """Read the sets of a folder; ValueError, with the file's name, if one cannot be read."""
    problems = []
    for name in names(folder):
        files, read = SETS[name]
        try:
            problem = read([folder / file for file in files])
        except (ValueError, IndexError) as error:
            raise ValueError(f"{folder / files[0]} is not as UCI has it: {error}") from error
        if not np.all(np.isfinite(problem.X)) or not np.all(np.isfinite(problem.y)):
            raise ValueError(f"{folder / files[0]} is not as UCI has it: NaN or infinity")
        problems.append(problem)
    return problems


def _regression(name: str, X: Any, y: Any) -> Problem:
    """Return a problem whose target has mean 0 and variance 1."""
    spread = y.std()
    if not spread > 0:
        raise ValueError("all targets are equal")
    return Problem(name, X, (y - y.mean()) / spread, False)


def _lines(path: Path) -> list[list[str]]:
    """Return the entries of all lines that are not empty."""
    with path.open(encoding="utf-8", newline="") as file:
        return [[entry.strip() for entry in row] for row in csv.reader(file) if row]
