"""Data sets of the leverage experiments: standardised rows, scaled targets, random splits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mehler import data
from mehler.data import Dataset
from mehler.reproduce._experiment import Level

# Adult, which the paper has, and what stands in for its other sets.
SETS = ("adult", "magic", "diamonds", "house_sales")


@dataclass(frozen=True)
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

    def error(self, values: Any, part: tuple[Any, Any]) -> float:
        """Return the error of predicted values at the rows of a part."""
        if self.classes:
            return float(np.mean(np.sign(values) != part[1]))
        return float(np.mean((values - part[1]) ** 2))


def small() -> list[Problem]:
    """Return the 8 x 8 digits, 0 to 4 against 5 to 9."""
    digits = data.digits()
    y = np.where(digits.y >= 5, 1.0, -1.0)
    return [Problem("digits", digits.X.reshape(len(y), -1), y, True)]


def real(names: Sequence[str] = SETS) -> list[Problem]:
    """Return Adult, and substitutes for the paper's unavailable sets, or those of some names.

    Raises MissingDataError if a package is not installed.
    """
    loaders: dict[str, Callable[[], Dataset]] = {
        "adult": data.adult,
        "magic": data.magic,
        "diamonds": data.diamonds,
        "house_sales": data.house_sales,
    }
    problems = []
    for name in names:
        loaded = loaders[name]()
        if loaded.classes:
            y = np.where(loaded.y == 1, 1.0, -1.0)
        else:
            y = np.log(loaded.y.astype(np.float64))
            y = (y - y.mean()) / y.std()
        problems.append(Problem(name, loaded.X, y, bool(loaded.classes)))
    return problems


def world_of(level: Level, names: Sequence[str] = SETS) -> World:
    """Return the 8 x 8 digits at level quick, or real sets."""
    problems = small() if level == "quick" else real(names)
    return World({problem.name: problem for problem in problems}, level)


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


def gammas_of(rows: Any, n: int = 3) -> list[float]:
    """Return n bandwidths 4^k / (2 median^2), k >= -1, with the median distance of 500 rows."""
    some = rows[:500]
    squares = np.sum(some**2, axis=1)
    apart = squares[:, None] + squares[None] - 2 * some @ some.T
    median = float(np.median(apart[np.triu_indices(len(some), 1)]))
    return [4.0**k / (2 * median) for k in range(-1, n - 1)]
