"""Data sets of the leverage experiment: rows standardised, targets scaled, split for each draw."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mehler import data
from mehler.data import Dataset


@dataclass(frozen=True)
class Problem:
    """Rows and one target.

    Parameters
    ----------
    name : str
    X : array, shape (n, d)
    y : array, shape (n,)
        -1 and +1 for two classes, else a target of mean 0 and variance 1.
    classes : bool
        Whether errors are shares of wrong signs, else mean squares.
    """

    name: str
    X: Any
    y: Any
    classes: bool


@dataclass(frozen=True)
class Split:
    """Three parts of a problem, standardised by the first: to fit, to choose by, to test.

    Parameters
    ----------
    fit, choose, test : (array, array)
    classes : bool
    """

    fit: tuple[Any, Any]
    choose: tuple[Any, Any]
    test: tuple[Any, Any]
    classes: bool

    def error(self, values: Any, part: tuple[Any, Any]) -> float:
        """Error of values at the rows of a part.

        Parameters
        ----------
        values : array, shape (n,)
        part : (array, array)

        Returns
        -------
        float
        """
        if self.classes:
            return float(np.mean(np.sign(values) != part[1]))
        return float(np.mean((values - part[1]) ** 2))


def small() -> list[Problem]:
    """The 8 x 8 digits, 0 to 4 against 5 to 9.

    Returns
    -------
    list of Problem
    """
    found = data.digits()
    y = np.where(found.y >= 5, 1.0, -1.0)
    return [Problem("digits", found.X.reshape(len(y), -1), y, True)]


def real() -> list[Problem]:
    """Adult, and the stand-ins for the sets of the paper that are shipped nowhere.

    Returns
    -------
    list of Problem

    Raises
    ------
    MissingDataError
        If a package is not installed.
    """
    loaders: dict[str, tuple[Callable[[], Dataset], str]] = {
        "adult": (data.adult, "classes"),
        "magic": (data.magic, "classes"),
        "diamonds": (data.diamonds, "log"),
        "house_sales": (data.house_sales, "log"),
    }
    found = []
    for name, (load, kind) in loaders.items():
        loaded = load()
        X, y = loaded.X, loaded.y.astype(np.float64)
        if kind == "classes":
            y = np.where(y == 1, 1.0, -1.0)
        else:
            y = np.log(y)
            y = (y - y.mean()) / y.std()
        found.append(Problem(name, X, y, kind == "classes"))
    return found


def split(problem: Problem, n_fit: int, n_other: int, seed: int) -> Split:
    """Draw three parts without overlap; columns get mean 0 and variance 1 on the first.

    Parameters
    ----------
    problem : Problem
    n_fit : int
        Rows to fit on.
    n_other : int
        Rows to choose by, and rows to test on, at most.
    seed : int

    Returns
    -------
    Split
    """
    order = np.random.default_rng(seed).permutation(len(problem.y))[: n_fit + 2 * n_other]
    half = n_fit + (len(order) - n_fit) // 2
    rows = order[:n_fit], order[n_fit:half], order[half:]
    X = problem.X[rows[0]]
    mean, deviation = X.mean(axis=0), X.std(axis=0)
    # A level that no row of the first part has would be divided by 0.
    deviation = np.where(deviation > 0, deviation, 1.0)
    parts = [((problem.X[r] - mean) / deviation, problem.y[r]) for r in rows]
    return Split(parts[0], parts[1], parts[2], problem.classes)
