"""Data sets of the leverage experiments: packages' and UCI's files, scaled targets, splits."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler import data
from mehler.data import Dataset
from mehler.reproduce._experiment import Level

# Adult, which the paper has, and what stands in for its other sets.
SETS = ("adult", "magic", "diamonds", "house_sales")


@dataclass(frozen=True, eq=False)
class Problem:
    """Rows and one target: -1 and +1 for two classes, else of mean 0 and variance 1.

    Errors are misclassification rates for `classes`, else mean squared errors.
    """

    name: str
    X: Any
    y: Any
    classes: bool


@dataclass(frozen=True)
class World:
    """Problems by name, and the level, which sizes depend on."""

    problems: dict[str, Problem]
    level: Level


@dataclass(frozen=True)
class Split:
    """Three parts of a problem, to fit, to choose by and to test, standardised by the first."""

    fit: tuple[Any, Any]
    choose: tuple[Any, Any]
    test: tuple[Any, Any]
    classes: bool

    def error(self, values: NDArray[np.float64], part: tuple[Any, Any]) -> float:
        """Return the error of predicted values at the rows of a part."""
        if self.classes:
            return float(np.mean(np.sign(values) != part[1]))
        return float(np.mean((values - part[1]) ** 2))


def halves(name: str, digits: Dataset) -> Problem:
    """Return images of digits as rows of pixels, 0 to 4 against 5 to 9."""
    rows = digits.X.reshape(len(digits.y), -1).astype(np.float64)
    return Problem(name, rows, _signs(digits.y >= 5), True)


def world_of(level: Level, names: Sequence[str] = SETS) -> World:
    """Return the 8 x 8 digits at level quick, else Adult and substitutes for the paper's sets.

    Raises MissingDataError if a package is not installed.
    """
    if level == "quick":
        return World({"digits": halves("digits", data.digits())}, level)
    problems = {}
    for name in names:
        loaded = getattr(data, name)()
        classes = bool(loaded.classes)
        y = _signs(loaded.y == 1) if classes else scaled(np.log(loaded.y.astype(np.float64)))
        problems[name] = Problem(name, loaded.X, y, classes)
    return World(problems, level)


def _signs(above: Any) -> Any:
    return np.where(above, 1.0, -1.0)


def scaled(y: Any) -> Any:
    """Return targets of mean 0 and variance 1."""
    spread = y.std()
    if not spread > 0:
        raise ValueError("all targets are equal")
    return (y - y.mean()) / spread


def standardised(*parts: Any) -> list[Any]:
    """Return rows of several parts, with columns of mean 0 and variance 1 on the first."""
    mean, deviation = parts[0].mean(axis=0), parts[0].std(axis=0)
    # A level absent from the first part, or a pixel that is always off, has deviation 0.
    deviation = np.where(deviation > 0, deviation, 1.0)
    return [(part - mean) / deviation for part in parts]


def split(problem: Problem, n_fit: int, n_other: int, seed: int) -> Split:
    """Draw three disjoint parts, with columns of mean 0 and variance 1 on the first.

    `n_fit` rows to fit on, and at most `n_other` each to choose by and to test on.
    """
    order = np.random.default_rng(seed).permutation(len(problem.y))[: n_fit + 2 * n_other]
    half = n_fit + (len(order) - n_fit) // 2
    rows = order[:n_fit], order[n_fit:half], order[half:]
    X = standardised(*(problem.X[part] for part in rows))
    fit, choose, test = zip(X, (problem.y[part] for part in rows))
    return Split(fit, choose, test, problem.classes)


def gammas_of(rows: NDArray[np.float64], n: int = 3) -> list[float]:
    """Return n bandwidths 4^k / (2 median^2), k >= -1, with the median distance of 500 rows."""
    some = rows[:500]
    squares = np.sum(some**2, axis=1)
    apart = squares[:, None] + squares[None] - 2 * some @ some.T
    median = float(np.median(apart[np.triu_indices(len(some), 1)]))
    return [4.0**k / (2 * median) for k in range(-1, n - 1)]


def _year(path: Path) -> tuple[Any, Any]:
    """Read year, then 90 numbers, in each line."""
    table = _numbers(path, header=0, first=0)
    return table[:, 1:], table[:, 0]


def _news(path: Path) -> tuple[Any, Any]:
    """Read a header, address and age, 58 numbers, and shares, whose logarithm is the target."""
    table = _numbers(path, header=1, first=2)
    return table[:, :-1], np.log(table[:, -1])


def _seizure(path: Path) -> tuple[Any, Any]:
    """Read a header, a name, 178 numbers, and a class, of which 1 is a seizure."""
    table = _numbers(path, header=1, first=1)
    return table[:, :-1], table[:, -1] == 1


def _adult(*paths: Path) -> tuple[Any, Any]:
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


def _numbers(path: Path, *, header: int, first: int) -> Any:
    """Return the numbers of a table from some line and column on."""
    with path.open(encoding="utf-8") as file:
        n_columns = len(file.readline().split(","))
    columns = range(first, n_columns)
    return np.loadtxt(path, delimiter=",", skiprows=header, usecols=columns, ndmin=2)


# Files of each of UCI's sets, all of which must be there, and how rows and targets, or which rows
# are of the second class, are read.
_UCI: dict[str, tuple[tuple[str, ...], Callable[..., tuple[Any, Any]]]] = {
    "year": (("YearPredictionMSD.txt",), _year),
    "news": (("OnlineNewsPopularity.csv",), _news),
    "adult-uci": (("adult.data", "adult.test"), _adult),
    "seizure": (("Epileptic Seizure Recognition.csv",), _seizure),
}


def uci_names(folder: Path) -> list[str]:
    """Return the sets whose files are in a folder; ValueError if there are none."""
    names = [
        name
        for name, (files, _) in _UCI.items()
        if all((folder / file).is_file() for file in files)
    ]
    if not names:
        wanted = "; ".join(" and ".join(files) for files, _ in _UCI.values())
        raise ValueError(f"{folder} has none of the UCI sets: {wanted}")
    return names


def uci(level: Level, folder: Path) -> World:
    """Read the sets of a folder; ValueError, with the file's name, if one cannot be read."""
    problems = {}
    for name in uci_names(folder):
        files, read = _UCI[name]
        try:
            X, y = read(*(folder / file for file in files))
            classes = y.dtype == bool
            y = _signs(y) if classes else scaled(y)
            if not np.all(np.isfinite(X)) or not np.all(np.isfinite(y)):
                raise ValueError("NaN or infinity")
        except (ValueError, IndexError) as error:
            raise ValueError(f"{folder / files[0]} is not as UCI has it: {error}") from error
        problems[name] = Problem(name, X, y, classes)
    return World(problems, level)
