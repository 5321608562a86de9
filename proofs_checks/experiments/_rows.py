"""Data sets of the experiments, in parts and scaled, and bandwidths of exp(-gamma |x - z|^2)."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler import FourierFeatures

from . import data
from ._harness import Level

Part = tuple[Any, Any]  # rows, and their labels or targets


@dataclass(frozen=True, eq=False)
class Problem:
    """Rows X (n, d), and targets y: -1 and +1 for classes, else standardised numbers.

    Of more than two classes y has a column each. Pixels of an `image` are scaled all alike.
    """

    X: Any
    y: Any
    classes: bool
    image: bool = False


@dataclass(frozen=True)
class Split:
    """Three parts of a problem: to fit, to choose by and to test.

    Errors are misclassification rates for `classes`, else mean squared errors.
    """

    fit: Part
    choose: Part
    test: Part
    classes: bool = True

    def error(self, values: NDArray[np.float64], part: Part) -> float:
        """Return the error of predicted values at the rows of a part."""
        if self.classes:
            return float(np.mean(np.sign(values) != part[1]))
        return float(np.mean((values - part[1]) ** 2))


def unit_rows(X: Any, dtype: object = np.float32) -> Any:
    """Return images or recordings, (n, ...), as rows of length 1, normalised in that dtype."""
    rows = X.reshape(len(X), -1).astype(dtype)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def deal(rows: Part, seed: int, *sizes: int) -> list[Part]:
    """Return parts of some sizes, drawn without replacement."""
    X, y = rows
    order = np.random.default_rng(seed).permutation(len(y))[: sum(sizes)]
    return [(X[part], y[part]) for part in np.split(order, np.cumsum(sizes)[:-1])]


def cosines(X: Any, n: int, gamma: float, seed: int) -> FourierFeatures:
    """Draw n random cosines with offset for rows X, whose kernel is exp(-gamma |x - z|^2)."""
    d = X.shape[1]
    return FourierFeatures.draw(d, n, gamma=gamma, form="offset", seed=seed, dtype="float64")


def digits(folder: Path | None, n_train: int) -> tuple[Part, Part]:
    """Return training and test part of MNIST in a folder, or of the 8 x 8 digits at random."""
    if folder is not None:
        mnist = data.mnist(folder)
        return (mnist.X, mnist.y), (mnist.X_test, mnist.y_test)
    small = data.digits()
    train, test = deal((small.X, small.y), 0, n_train, len(small.y) - n_train)
    return train, test


def low_or_high(X: Any, y: Any) -> Part:
    """Return images of digits as rows of pixels, 0 to 4 against 5 to 9."""
    return X.reshape(len(y), -1).astype(np.float64), signs(y >= 5)


# Adult, which Shahrampour, Kolouri (2019) have, and what replaces their other sets.
_SETS = ("adult", "magic", "diamonds", "house_sales")


def sets_of(level: Level, names: Sequence[str] = _SETS) -> Sequence[str]:
    """Return the names of the data sets of a level: quick has the digits alone."""
    return ("digits",) if level == "quick" else names


def problems(level: Level, names: Sequence[str] = _SETS) -> dict[str, Problem]:
    """Return the 8 x 8 digits at level quick, else the sets of these names, as in `_SETS`."""
    if level == "quick":
        small = data.digits()
        return {"digits": Problem(*low_or_high(small.X, small.y), True)}
    by_name = {}
    for name in names:
        table = getattr(data, name)()
        classes = bool(table.classes)
        y = signs(table.y == 1) if classes else scaled(np.log(table.y.astype(np.float64)))
        by_name[name] = Problem(table.X, y, classes)
    return by_name


def signs(above: Any) -> Any:
    return np.where(above, 1.0, -1.0)


def scaled(y: Any) -> Any:
    """Return targets of mean 0 and variance 1."""
    if not (spread := y.std()) > 0:
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
    others = min(2 * n_other, len(problem.y) - n_fit)
    sizes = n_fit, others // 2, others - others // 2
    X, y = zip(*deal((problem.X, problem.y), seed, *sizes))
    fit, choose, test = zip(standardised(*X), y)
    return Split(fit, choose, test, problem.classes)


def gammas_of(rows: NDArray[np.float64], n: int = 3) -> list[float]:
    """Return n bandwidths 4^k / (2 median^2), k >= -1, with the median distance of 500 rows."""
    sample = rows[:500]
    squares = np.sum(sample**2, axis=1)
    apart = squares[:, None] + squares[None] - 2 * sample @ sample.T
    median = float(np.median(apart[np.triu_indices(len(sample), 1)]))
    return [4.0**k / (2 * median) for k in range(-1, n - 1)]
