"""The slides' summary: random non-linearities against chosen ones, error over CPU time."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mehler import FourierFeatures, KitchenSinks, data, exact, learn
from mehler.reproduce._draws import difference, spread, with_errors
from mehler.reproduce._experiment import Cell, Experiment, Level, Measured, Page, Table
from mehler.reproduce._perceptron import perceptron
from mehler.reproduce.leverage._world import Problem, gammas_of, real, small
from mehler.statements import Plot, Series


def greedy_path(phi: Any, y: Any, sizes: tuple[int, ...]) -> dict[int, Any]:
    """Return weights of the columns after some numbers of the slides' greedy steps.

    Each step is (1 - alpha) f + alpha g with the column g and the alpha of least squared error on
    the rows; columns are scaled so that one alone can reach the targets, and have both signs.

    Parameters
    ----------
    phi : array, shape (N, P)
        Features to choose from.
    y : array, shape (N,)
        Targets.
    sizes : tuple of int
        Ascending numbers of steps to keep.
    """
    lengths = np.sqrt(np.maximum((phi**2).mean(axis=0), 1e-300))
    # The total weight: ten times the targets' norm, so that sums of features can be reached.
    scale = 10.0 * np.sqrt(np.mean(y**2)) / lengths
    atoms = phi * scale
    squares, cross = (atoms**2).mean(axis=0), atoms.T @ y / len(y)
    f, weights, kept = np.zeros(len(y)), np.zeros(phi.shape[1]), {}
    for step in range(1, max(sizes) + 1):
        along, size, fit = atoms.T @ f / len(y), np.mean(f**2), np.mean(f * y)
        best: tuple[float, int, float, float] | None = None
        for sign in (1.0, -1.0):
            # |f + alpha (s g - f) - y|^2 is a parabola in alpha.
            spread = squares - 2 * sign * along + size
            gain = sign * (cross - along) - fit + size
            alpha = np.clip(gain / np.maximum(spread, 1e-300), 0.0, 1.0)
            change = alpha**2 * spread - 2 * alpha * gain
            at = int(np.argmin(change))
            if best is None or change[at] < best[0]:
                best = float(change[at]), at, float(alpha[at]), sign
        assert best is not None
        _, at, alpha_at, sign = best
        f = (1 - alpha_at) * f + alpha_at * sign * atoms[:, at]
        weights *= 1 - alpha_at
        weights[at] += alpha_at * sign * scale[at]
        if step in sizes:
            kept[step] = weights.copy()
    return kept


@dataclass(frozen=True)
class Stumps:
    """A vote of stumps: sum of weight sign (x_column > threshold)."""

    columns: Any
    thresholds: Any
    weights: Any

    def __call__(self, X: Any) -> Any:
        """Compute the vote on rows: above 0 for the second class."""
        above = X[:, self.columns] > self.thresholds
        return np.where(above, 1.0, -1.0) @ self.weights


def boosted(X: Any, y: Any, n_thresholds: int, sizes: tuple[int, ...]) -> dict[int, Stumps]:
    """Run AdaBoost on stumps whose thresholds are quantiles, and keep some numbers of rounds.

    Parameters
    ----------
    X : array, shape (N, d)
        Rows.
    y : array, shape (N,)
        -1 or 1.
    n_thresholds : int
        Quantiles per column.
    sizes : tuple of int
        Ascending numbers of rounds to keep.
    """
    shares = (np.arange(n_thresholds) + 0.5) / n_thresholds
    cuts = np.quantile(X, shares, axis=0)
    columns = np.tile(np.arange(X.shape[1]), n_thresholds)
    thresholds = cuts.ravel()
    votes = np.where(X[:, columns] > thresholds, np.float32(1), np.float32(-1))
    mass = np.full(len(y), 1.0 / len(y))
    chosen: list[int] = []
    weights: list[float] = []
    kept = {}
    for step in range(1, max(sizes) + 1):
        agreement = (mass * y).astype(np.float32) @ votes
        at = int(np.argmax(np.abs(agreement)))
        edge = float(np.clip(agreement[at], -1 + 1e-9, 1 - 1e-9))
        weight = 0.5 * np.log((1 + edge) / (1 - edge))
        mass = mass * np.exp(-weight * y * votes[:, at])
        mass /= mass.sum()
        chosen.append(at)
        weights.append(float(weight))
        if step in sizes:
            at_all = np.array(chosen)
            kept[step] = Stumps(columns[at_all], thresholds[at_all], np.array(weights))
    return kept


_DRAWS = 10
# Rows to learn from and to test on.
_ROWS = {"quick": (500, 500), "full": (3000, 2000)}
_LAMBDAS = (1e-6, 1e-4, 1e-2)
_SIGN = exact.Activation("sign", lambda xp, t: xp.sign(t), degree=0)
# Numbers of non-linearities.
SIZES = {
    "random cosines": (10, 30, 100, 300, 1000),
    "random stumps": (10, 30, 100, 300, 1000),
    "greedy cosines": (10, 30, 100, 300),
    "boosted stumps": (10, 30, 100, 300),
    "joint": (3, 10, 30),
}
# Machines that choose, and the random features of their kind.
RIVALS = {
    "greedy cosines": "random cosines",
    "boosted stumps": "random stumps",
    "joint": "random cosines",
}
_POOL, _THRESHOLDS = 1000, 4


@dataclass(frozen=True)
class World:
    """Problems of two classes."""

    level: Level
    problems: dict[str, Problem]


def prepare(level: Level, folder: Path | None) -> World:
    """Load the 8 x 8 digits, or Adult and 5000 digits of MNIST.

    Raises MissingDataError if a package is not installed.
    """
    if level == "quick":
        found = small()
    else:
        digits = data.mnist_5k()
        rows = digits.X.reshape(len(digits.X), -1).astype(np.float64)
        found = [
            *real(("adult",)),
            Problem("MNIST", rows, np.where(digits.y >= 5, 1.0, -1.0), True),
        ]
    return World(level, {one.name: one for one in found})


def cells(level: Level) -> list[Cell]:
    """Return sets and draws; all machines in one cell, paired."""
    names = ("digits",) if level == "quick" else ("adult", "MNIST")
    return [Cell({"data": name, "draw": draw}) for draw in range(_DRAWS) for name in names]


def measure(world: World, cell: Cell, seed: int) -> Measured:
    """Return test errors in percent, and CPU seconds of learning, of each machine by size."""
    problem, own = world.problems[cell.options["data"]], cell.seed(seed, NAME)
    n_train, n_test = _ROWS[world.level]
    order = np.random.default_rng(own).permutation(len(problem.y))[: n_train + n_test]
    train, test = order[:n_train], order[n_train:]
    mean, deviation = problem.X[train].mean(axis=0), problem.X[train].std(axis=0)
    # A pixel that is always off has deviation 0.
    X, new = (
        (problem.X[part] - mean) / np.where(deviation > 0, deviation, 1.0) for part in (train, test)
    )
    y, right = problem.y[train], problem.y[test]
    gamma = gammas_of(X)[1]

    def error(values: Any) -> float:
        return float(100 * np.mean(np.sign(values) != right))

    found: Measured = {}
    for name, draw in _maps(X.shape[1], gamma, own).items():
        found[name], found[f"{name}, seconds"] = _each(
            SIZES[name], _on_features(draw, (X, y), new, error)
        )
    start = time.process_time()
    pool = _maps(X.shape[1], gamma, own)["random cosines"](_POOL)
    path = greedy_path(pool(X), y - y.mean(), SIZES["greedy cosines"])
    # The time of the whole path, shared in proportion to its steps: the pool is computed once.
    found.update(
        _along("greedy cosines", start, [error(pool(new) @ w + y.mean()) for w in path.values()])
    )
    start = time.process_time()
    votes = boosted(X, y, _THRESHOLDS, SIZES["boosted stumps"])
    found.update(_along("boosted stumps", start, [error(one(new)) for one in votes.values()]))
    found["joint"], found["joint, seconds"] = _each(
        SIZES["joint"], lambda k: error(perceptron(X, y, k, 1e-4, seed=own)(new))
    )
    return found


def _maps(d: int, gamma: float, seed: int) -> dict[str, Callable[[int], Any]]:
    return {
        "random cosines": lambda k: FourierFeatures.draw(
            d, k, gamma=gamma, form="offset", seed=seed, dtype="float64"
        ),
        "random stumps": lambda k: KitchenSinks.draw(
            d, k, activation=_SIGN, law="stumps", bias=2.0, seed=seed, dtype="float64"
        ),
    }


def _on_features(
    draw: Callable[[int], Any], train: tuple[Any, Any], new: Any, error: Callable[[Any], float]
) -> Callable[[int], float]:
    """Return the error of ridge regression by the number of features."""

    def of(k: int) -> float:
        fit = learn.ridge(draw(k), *train, lambdas=_LAMBDAS, scoring="error_rate")
        return error(fit.predict(new))

    return of


def _each(sizes: tuple[int, ...], error: Callable[[int], float]) -> tuple[list[float], list[float]]:
    """Return errors, and CPU seconds of learning and predicting, one size at a time."""
    errors, seconds = [], []
    for k in sizes:
        start = time.process_time()
        errors.append(error(k))
        seconds.append(time.process_time() - start)
    return errors, seconds


def _along(name: str, start: float, errors: list[float]) -> Measured:
    spent = time.process_time() - start
    steps = np.array(SIZES[name])
    return {name: errors, f"{name}, seconds": (spent * steps / steps[-1]).tolist()}


def page(level: Level, found: list[tuple[Cell, Measured]]) -> Page:
    """Return errors by size, curves over time, and random against each rival at its time."""
    tables, plots, verdicts = [], [], []
    for name in dict.fromkeys(cell.options["data"] for cell, _ in found):
        some = [measured for cell, measured in found if cell.options["data"] == name]
        rows = []
        series: list[Series] = []
        for method, sizes in SIZES.items():
            errors = np.array([one[method] for one in some])
            seconds = np.array([one[f"{method}, seconds"] for one in some])
            rows += [
                [method, str(k), spread(errors[:, i]), f"{np.median(seconds[:, i]):.2g}"]
                for i, k in enumerate(sizes)
            ]
            series.append(with_errors(method, np.median(seconds, axis=0), errors))
        tables.append(
            Table(
                f"{name}: test error in percent, mean ± standard deviation over draws, and median "
                "CPU seconds on one core",
                ("machine", "non-linearities", "error", "seconds"),
                rows,
            )
        )
        plots.append(
            Plot(
                title=f"{name}: error over CPU time",
                x_label="CPU seconds",
                x_log=True,
                y_label="test error, percent",
                series=series,
                caption="Mean over draws, with its standard error, at the median time.",
            )
        )
        for rival, kind in RIVALS.items():
            pairs = [at_the_time(one, rival) for one in some]
            mine, theirs = np.transpose(pairs)
            size = SIZES[rival][-1]
            what = f"{name}, {kind} in the time of {rival}, {size} of them, against these"
            verdicts.append(difference(what, mine, theirs))
    return Page(verdicts=verdicts, tables=tables, plots=plots)


def at_the_time(one: Measured, rival: str) -> tuple[float, float]:
    """Return the error of random features within a rival's time, and the rival's.

    The rival is at its largest size; random features of its kind are at the largest size that takes
    no longer, or at their smallest one.
    """
    limit, kind = one[f"{rival}, seconds"][-1], RIVALS[rival]
    within = [i for i, spent in enumerate(one[f"{kind}, seconds"]) if spent <= limit]
    return one[kind][max(within, default=0)], one[rival][-1]


NAME = "kitchen-sinks-summary"
EXPERIMENT = Experiment(
    name=NAME,
    title="Random non-linearities against chosen ones, over time",
    source="Sejdinovic's slides (2014) on Rahimi, Recht (2008), Summary",
    printed=(
        "Many random non-linearities are said to have a better accuracy for the time than greedy "
        "algorithms that optimise non-linearities and weights: many more of them are needed, and "
        "optimisation is much faster. No numbers are on the slides. Here: cosines and stumps drawn "
        "at random with ridge regression, greedy steps on cosines, AdaBoost on stumps, and a "
        "perceptron, on Adult and 5000 digits of MNIST (0 to 4 against 5 to 9)."
    ),
    prepare=prepare,
    cells=cells,
    measure=measure,
    page=page,
    data={
        "quick": "the 8 x 8 digits (0 to 4 against 5 to 9), in place of Adult and MNIST",
        "full": "Adult and 5000 digits of MNIST",
    },
    together=("draw",),
)
