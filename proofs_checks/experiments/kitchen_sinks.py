"""The slides' summary: random non-linearities against chosen ones, error over CPU time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler import KitchenSinks, exact, learn
from mehler.statements import Plot

from . import _rows, data
from ._harness import Cell, Experiment, Level
from ._learners import perceptron
from ._results import Measured, Results, Tables, curves, differences, draws, spread
from ._rows import Part, Problem

# Rows to learn from and to test on.
ROWS = {"quick": (500, 500), "full": (3000, 2000)}
LAMBDAS = (1e-6, 1e-4, 1e-2)
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
POOL, THRESHOLDS = 1000, 4
SIGN = exact.Activation("sign", lambda xp, t: xp.sign(t), degree=0)


def greedy_path(
    phi: NDArray[np.float64], y: NDArray[np.float64], sizes: tuple[int, ...]
) -> dict[int, Any]:
    """Return weights of the columns after some numbers of the slides' greedy steps.

    Each step is (1 - alpha) f + alpha g with the column g and the alpha of least squared error on
    the rows; columns are scaled so that one alone can reach the targets, and have both signs.
    Features `phi` have shape (N, P), targets `y` (N,); `sizes` ascend.
    """
    lengths = np.sqrt(np.maximum((phi**2).mean(axis=0), 1e-300))
    # The total weight: ten times the targets' norm, so that sums of features can be reached.
    scale = 10.0 * np.sqrt(np.mean(y**2)) / lengths
    atoms = phi * scale
    squares, cross = (atoms**2).mean(axis=0), atoms.T @ y / len(y)
    f, weights, kept = np.zeros(len(y)), np.zeros(phi.shape[1]), {}
    signs = np.array([[1.0], [-1.0]])
    for step in range(1, max(sizes) + 1):
        along, size, fit = atoms.T @ f / len(y), np.mean(f**2), np.mean(f * y)
        # |f + alpha (s g - f) - y|^2 is a parabola in alpha.
        distance = squares - 2 * signs * along + size
        gain = signs * (cross - along) - fit + size
        alpha = np.clip(gain / np.maximum(distance, 1e-300), 0.0, 1.0)
        change = alpha**2 * distance - 2 * alpha * gain
        best = np.unravel_index(np.argmin(change), change.shape)
        alpha_at, sign, column = alpha[best], signs[best[0], 0], best[1]
        f = (1 - alpha_at) * f + alpha_at * sign * atoms[:, column]
        weights *= 1 - alpha_at
        weights[column] += alpha_at * sign * scale[column]
        if step in sizes:
            kept[step] = weights.copy()
    return kept


def stumps(X: Any, thresholds: Any) -> Any:
    """Return the votes, -1 or 1, of stumps: is x_j above the i-th of its thresholds, (i, j)?"""
    columns = np.tile(np.arange(X.shape[1]), len(thresholds))
    return np.where(X[:, columns] > thresholds.ravel(), np.float32(1), np.float32(-1))


def boosted(votes: Any, y: NDArray[np.float64], sizes: tuple[int, ...]) -> dict[int, Any]:
    """Return weights of stumps after some numbers of AdaBoost's rounds.

    Votes have shape (N, P), `y` is -1 or 1; `sizes` ascend.
    """
    mass = np.full(len(y), 1.0 / len(y))
    weights, kept = np.zeros(votes.shape[1]), {}
    for step in range(1, max(sizes) + 1):
        agreement = (mass * y).astype(np.float32) @ votes
        column = int(np.argmax(np.abs(agreement)))
        edge = float(np.clip(agreement[column], -1 + 1e-9, 1 - 1e-9))
        weight = 0.5 * np.log((1 + edge) / (1 - edge))
        mass = mass * np.exp(-weight * y * votes[:, column])
        mass /= mass.sum()
        weights[column] += weight
        if step in sizes:
            kept[step] = weights.copy()
    return kept


def prepare(level: Level, folder: Path | None) -> dict[str, Problem]:
    """Load the 8 x 8 digits, or Adult and 5000 digits of MNIST."""
    sets = _rows.problems(level, ("adult",))
    if level == "full":
        mnist = data.mnist_5k()
        sets["MNIST"] = Problem(*_rows.halves(mnist.X, mnist.y), True)
    return sets


def measure(level: Level, sets: dict[str, Problem], cell: Cell) -> Measured:
    """Return test errors in percent, and CPU seconds of learning, of each machine by size."""
    problem, seed = sets[cell["data"]], cell.seed()
    (X, y), (X_test, y_test) = _rows.deal((problem.X, problem.y), seed, *ROWS[level])
    X, X_test = _rows.standardised(X, X_test)
    maps = _maps(X, _rows.gammas_of(X)[1], seed)
    measured: Measured = {}

    def error(values: Any) -> float:
        return float(100 * np.mean(np.sign(values) != y_test))

    def by_size(name: str, predict: Callable[[int], Any]) -> None:
        """Measure errors, and the time of learning and predicting, one size at a time."""
        measured[name], measured[f"{name}, seconds"] = errors, seconds = [], []
        for k in SIZES[name]:
            start = time.process_time()
            errors.append(error(predict(k)))
            seconds.append(time.process_time() - start)

    def by_path(name: str, predict: Callable[[], Iterable[Any]]) -> None:
        """Measure a whole path, and share its time in proportion to its steps."""
        start = time.process_time()
        measured[name] = [error(values) for values in predict()]
        spent, steps = time.process_time() - start, np.array(SIZES[name])
        measured[f"{name}, seconds"] = (spent * steps / steps[-1]).tolist()

    def greedy() -> Iterator[Any]:
        pool = maps["random cosines"](POOL)
        path = greedy_path(pool(X), y - y.mean(), SIZES["greedy cosines"])
        return (pool(X_test) @ weights + y.mean() for weights in path.values())

    def boosting() -> Iterator[Any]:
        cuts = np.quantile(X, (np.arange(THRESHOLDS) + 0.5) / THRESHOLDS, axis=0)
        path = boosted(stumps(X, cuts), y, SIZES["boosted stumps"])
        votes = stumps(X_test, cuts)
        return (votes @ weights for weights in path.values())

    for name, draw in maps.items():
        by_size(name, partial(_by_ridge, draw, (X, y), X_test))
    by_path("greedy cosines", greedy)
    by_path("boosted stumps", boosting)
    by_size("joint", lambda k: perceptron(X, y, k, 1e-4, seed=seed)(X_test))
    return measured


def _maps(X: Any, gamma: float, seed: int) -> dict[str, Callable[[int], Any]]:
    return {
        "random cosines": lambda k: _rows.cosines(X, k, gamma, seed),
        "random stumps": lambda k: KitchenSinks.draw(
            X.shape[1], k, activation=SIGN, law="stumps", bias=2.0, seed=seed, dtype="float64"
        ),
    }


def _by_ridge(draw: Callable[[int], Any], train: Part, new: Any, k: int) -> Any:
    return learn.ridge(draw(k), *train, lambdas=LAMBDAS, scoring="error_rate").predict(new)


def table(level: Level, results: Results) -> Tables:
    """Return errors and times by size, and random against each rival at its time."""
    tables: Tables = {}
    pairs = {}
    for name in results.options("data"):
        some = results.where(data=name)
        tables[
            f"{name}: test error in percent, mean ± standard deviation over draws, and median "
            "CPU seconds on one core"
        ] = [
            {
                "machine": method,
                "non-linearities": str(k),
                "error": spread(some.values(method, i)),
                "seconds": f"{np.median(some.values(f'{method}, seconds', i)):.2g}",
            }
            for method, sizes in SIZES.items()
            for i, k in enumerate(sizes)
        ]
        for rival, kind in RIVALS.items():
            what = f"{name}, {kind} in the time of {rival}, {SIZES[rival][-1]} of them"
            pairs[what] = np.transpose([at_the_time(m, rival) for _, m in some.cells])
    return tables | {"Error less that of the rival, percent": differences(pairs, "machines")}


def at_the_time(measured: Measured, rival: str) -> tuple[float, float]:
    """Return the error of random features within a rival's time, and the rival's.

    The rival is at its largest size; random features of its kind are at the largest size that takes
    no longer, or at their smallest one.
    """
    limit, kind = measured[f"{rival}, seconds"][-1], RIVALS[rival]
    within = [i for i, spent in enumerate(measured[f"{kind}, seconds"]) if spent <= limit]
    return measured[kind][max(within, default=0)], measured[rival][-1]


def figure(level: Level, results: Results) -> list[Plot]:
    """Draw the errors over the median time, for each problem."""
    caption, plots = "Mean over draws, with its standard error, at the median time.", []
    for name in results.options("data"):
        some = results.where(data=name)
        errors = {method: some.values(method) for method in SIZES}
        times = {method: np.median(some.values(f"{method}, seconds"), axis=0) for method in SIZES}
        title, percent = f"{name}: error over CPU time", "test error, percent"
        plots.append(curves(title, "CPU seconds", times, percent, errors, caption))
    return plots


EXPERIMENT = Experiment(
    name="kitchen-sinks-summary",
    title="Random non-linearities against chosen ones, over time",
    source="Sejdinovic's slides (2014) on Rahimi, Recht (2008), Summary",
    page=Path(__file__).with_suffix(".md"),
    prepare=prepare,
    cells=lambda level: draws({"data": name} for name in _rows.sets_of(level, ("adult", "MNIST"))),
    measure=measure,
    table=table,
    figure=figure,
    data={
        "quick": "the 8 x 8 digits (0 to 4 against 5 to 9), in place of Adult and MNIST",
        "full": "Adult and 5000 digits of MNIST",
    },
)
