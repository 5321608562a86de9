"""Kernels of deep maxout networks on real data, beside ReLU, arc-cosine and Gaussian ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mehler import data, learn
from mehler.reproduce._experiment import Cell, Experiment, Level, Measured, Page
from mehler.reproduce._learners import kernel_ridge
from mehler.reproduce.depth import _machines as machines
from mehler.reproduce.depth._tables import page
from mehler.reproduce.leverage._world import gammas_of

_DRAWS = 10
# Rows to learn from and to test on.
_ROWS = {"quick": (120, 200), "full": (300, 500)}
POOLS = {"quick": (2, 4), "full": (2, 4, 16)}
DEPTHS = {"quick": (1, 3), "full": (1, 2, 3, 4, 5, 6)}
SETS = {
    "quick": ("digits",),
    "full": ("digits", "letter", "magic", "diamonds", "MNIST"),
}
_LAMBDAS = tuple(10.0**k for k in range(-8, 1))


@dataclass(frozen=True)
class Problem:
    """Rows with the codes of their classes, or one target; images keep their pixels' scale."""

    X: Any
    codes: Any
    classes: bool
    image: bool


@dataclass(frozen=True)
class World:
    """Problems by name."""

    level: Level
    problems: dict[str, Problem]


def prepare(level: Level, folder: Path | None) -> World:
    """Load the 8 x 8 digits; at level full letters, air showers, diamonds and MNIST's digits too.

    Raises MissingDataError if a package is not installed.
    """
    loaders: dict[str, Callable[[], Any]] = {
        "digits": data.digits,
        "letter": data.letter,
        "magic": data.magic,
        "diamonds": data.diamonds,
        "MNIST": data.mnist_5k,
    }
    problems = {}
    for name in SETS[level]:
        found = loaders[name]()
        rows = found.X.reshape(len(found.X), -1).astype(np.float64)
        if found.classes:
            codes = learn.one_vs_all(found.y)[0]
        else:
            target = np.log(found.y)
            codes = ((target - target.mean()) / target.std())[:, None]
        problems[name] = Problem(rows, codes, bool(found.classes), found.X.ndim == 3)
    return World(level, problems)


def cells(level: Level) -> list[Cell]:
    """Return draws, exact kernels first; the seed does not see which of both."""
    return [
        Cell({"data": name, "draw": draw, "machines": kind})
        for draw in range(_DRAWS)
        for kind in ("kernels", "features", "more features")
        for name in SETS[level]
    ]


@dataclass(frozen=True)
class Split:
    """Rows to learn from and to test on, whose mean square entry is about 1."""

    X: Any
    codes: Any
    new: Any
    right: Any
    classes: bool

    def error(self, values: Any) -> float:
        """Return mistakes, or the share of the variance that is not explained, in percent."""
        if self.classes:
            wrong = values.argmax(axis=1) != self.right.argmax(axis=1)
            return float(100 * np.mean(wrong))
        return float(100 * np.mean((values - self.right) ** 2) / np.var(self.right))


def split(problem: Problem, n_train: int, n_test: int, seed: int) -> Split:
    """Draw both parts, centred and scaled by the first: columns of tables, images as a whole."""
    order = np.random.default_rng(seed).permutation(len(problem.X))[: n_train + n_test]
    parts = problem.X[order[:n_train]], problem.X[order[n_train:]]
    mean = parts[0].mean(axis=0)
    if problem.image:
        deviation = np.sqrt(np.mean((parts[0] - mean) ** 2))
    else:
        deviation = parts[0].std(axis=0)
        # A column that is constant there.
        deviation = np.where(deviation > 0, deviation, 1.0)
    X, new = ((part - mean) / deviation for part in parts)
    codes = problem.codes[order]
    return Split(X, codes[:n_train], new, codes[n_train:], problem.classes)


def measure(world: World, cell: Cell, seed: int) -> Measured:
    """Return test and leave-one-out errors of kernels, or of features, on one split."""
    own = cell.seed(seed, NAME, "machines")
    parts = split(world.problems[cell.options["data"]], *_ROWS[world.level], own)
    found: Measured = {}

    def keep(name: str, fit: Any) -> None:
        found[name] = parts.error(fit.predict(parts.new))
        found[f"{name}, left out"] = float(fit.errors.min())

    def of_kernel(kernel: machines.Kernel) -> Any:
        return kernel_ridge(kernel, parts.X, parts.codes, _LAMBDAS)

    def best_of(kernels: list[machines.Kernel]) -> tuple[int, Any]:
        fits = [of_kernel(kernel) for kernel in kernels]
        best = int(np.argmin([fit.errors.min() for fit in fits]))
        return best, fits[best]

    kind = cell.options["machines"]
    if kind != "kernels":
        if kind == "features":
            gamma = gammas_of(parts.X)[best_of(machines.others(parts.X)["RBF"])[0]]
            maps = machines.features(parts.X, gamma, own)
        else:
            maps = machines.more_features(parts.X.shape[1], own)
        for name, phi in maps.items():
            keep(name, learn.ridge(phi, parts.X, parts.codes, lambdas=_LAMBDAS))
        return found
    for q in POOLS[world.level]:
        for depth in DEPTHS[world.level]:
            network = machines.deep(q, depth)
            for which in ("nngp", "ntk"):
                fit = of_kernel(machines.of_network(network, which))
                keep(f"{which.upper()}, {machines.named(q, depth)}", fit)
    for name, kernels in machines.others(parts.X).items():
        keep(name, best_of(kernels)[1])
    return found


def _page(level: Level, found: list[tuple[Cell, Measured]]) -> Page:
    both: dict[tuple[str, int], Measured] = {}
    for cell, measured in found:
        both.setdefault((cell.options["data"], cell.options["draw"]), {}).update(measured)
    joined = [(Cell({"data": name, "draw": draw}), one) for (name, draw), one in both.items()]
    return page(joined, POOLS[level], DEPTHS[level])


NAME = "depth"
EXPERIMENT = Experiment(
    name=NAME,
    title="Kernels of deep maxout networks",
    source="Ours; kernels of Lee and others (2018), Jacot and others (2018)",
    printed=(
        "No paper's experiment. Kernel ridge regression, which is the mean of Gaussian process "
        "regression, with the covariance and the tangent kernel of maxout networks of pools 2 "
        "(which is ReLU) to 16 and depth 1 to 6 at their critical weight variance, bias variance "
        "0.05. Beside them one-layer arc-cosine kernels, the Gaussian kernel with one of three "
        "bandwidths, random features and Nystroem's method with 200 columns. Ridges, and the "
        "bandwidth, by exact leave-one-out squared errors. 300 rows to learn from and 500 to test "
        "on; ten draws. Classes are coded one against all."
    ),
    prepare=prepare,
    cells=cells,
    measure=measure,
    page=_page,
    data={"quick": "the 8 x 8 digits", "full": "digits, letter, magic, diamonds and MNIST"},
    together=("draw", "machines"),
)
