"""Test error over CPU time: non-linearities drawn at random, against ones that are optimised.

Sejdinovic's slides (2014) claim that drawing pays. Ridge regression on drawn cosines or stumps,
signs of a column less a threshold, is compared with greedy cosines, boosted stumps, and a
perceptron, all of whose weights are fitted together ("joint").
"""

import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from mehler import KitchenSinks, exact, learn
from mehler.statements import Plot

from . import _rows, data
from ._harness import Cell, Level, declared
from ._learners import boosted, greedy_path, perceptron, stumps
from ._results import Record, Results, Tables, curves, differences, draws, spread
from ._rows import Problem

ROWS = {"quick": (500, 500), "full": (3000, 2000)}  # to learn from and to test on
LAMBDAS = (1e-6, 1e-4, 1e-2)
SIZES = {  # numbers of non-linearities
    **dict.fromkeys(("random cosines", "random stumps"), (10, 30, 100, 300, 1000)),
    **dict.fromkeys(("greedy cosines", "boosted stumps"), (10, 30, 100, 300)),
    "joint": (3, 10, 30),
}
# Learners that optimise, and the random features of their kind.
COSINES, STUMPS = "random cosines", "random stumps"
RIVALS = {"greedy cosines": COSINES, "boosted stumps": STUMPS, "joint": COSINES}
POOL, THRESHOLDS = 1000, 4  # cosines to choose from, and stumps per input
SIGN = exact.Activation("sign", lambda xp, t: xp.sign(t), degree=0)


def prepare(level: Level, folder: Path | None) -> dict[str, Problem]:
    """Load the 8 x 8 digits, or Adult and 5000 digits of MNIST."""
    sets = _rows.problems(level, ("adult",))
    if level == "full":
        mnist = data.mnist_5k()
        sets["MNIST"] = Problem(*_rows.low_or_high(mnist.X, mnist.y), True)
    return sets


def measure(level: Level, sets: dict[str, Problem], cell: Cell) -> Record:
    """Return test errors in percent, and CPU seconds of learning, of each machine by size."""
    problem, seed = sets[cell["data"]], cell.seed()
    (X, y), (X_test, y_test) = _rows.deal((problem.X, problem.y), seed, *ROWS[level])
    X, X_test = _rows.standardised(X, X_test)
    gamma = _rows.gammas_of(X)[1]
    record: Record = {}

    def cosines(k: int) -> Any:
        return _rows.cosines(X, k, gamma, seed)

    def signs(k: int) -> Any:
        options: Any = {"law": "stumps", "bias": 2.0, "seed": seed, "dtype": "float64"}
        return KitchenSinks.draw(X.shape[1], k, activation=SIGN, **options)

    def by_ridge(phi: Any) -> Any:
        return learn.ridge(phi, X, y, lambdas=LAMBDAS, scoring="error_rate").predict(X_test)

    def greedy() -> Iterator[Any]:
        pool = cosines(POOL)
        path = greedy_path(pool(X), y - y.mean(), SIZES["greedy cosines"])
        yield from (pool(X_test) @ weights + y.mean() for weights in path.values())

    def boosting() -> Iterator[Any]:
        cuts = np.quantile(X, (np.arange(THRESHOLDS) + 0.5) / THRESHOLDS, axis=0)
        path = boosted(stumps(X, cuts), y, SIZES["boosted stumps"])
        votes = stumps(X_test, cuts)
        yield from (votes @ weights for weights in path.values())

    def add(name: str, predictions: Iterable[Any], *, path: bool = False) -> None:
        """Add errors, and the time of learning and predicting; that of a path by its steps."""
        start, errors, seconds = time.process_time(), [], []
        for values in predictions:
            errors.append(float(100 * np.mean(np.sign(values) != y_test)))
            seconds.append(time.process_time() - start)
            start = start if path else time.process_time()
        if path:
            steps = np.array(SIZES[name])
            seconds = (seconds[-1] * steps / steps[-1]).tolist()
        record[name], record[f"{name}, seconds"] = errors, seconds

    add("random cosines", (by_ridge(cosines(k)) for k in SIZES["random cosines"]))
    add("random stumps", (by_ridge(signs(k)) for k in SIZES["random stumps"]))
    add("greedy cosines", greedy(), path=True)
    add("boosted stumps", boosting(), path=True)
    add("joint", (perceptron(X, y, k, 1e-4, seed=seed)(X_test) for k in SIZES["joint"]))
    return record


def table(level: Level, results: Results) -> Tables:
    """Return errors and times by size, and random against each rival at its time."""
    tables, pairs = {}, {}
    for name in results.options("data"):
        subset = results.where(data=name)
        caption = f"{name}: test error in percent, mean ± standard deviation over draws"
        tables[f"{caption}, and median CPU seconds on one core"] = [
            {
                "machine": method,
                "non-linearities": str(k),
                "error": spread(subset.values(method, i)),
                "seconds": f"{np.median(subset.values(f'{method}, seconds', i)):.2g}",
            }
            for method, sizes in SIZES.items()
            for i, k in enumerate(sizes)
        ]
        for rival, kind in RIVALS.items():
            what = f"{name}, {kind} in the time of {rival}, {SIZES[rival][-1]} of them"
            pairs[what] = np.transpose([at_the_time(m, rival) for _, m in subset.cells])
    return tables | {"Error less that of the rival, percent": differences(pairs, "machines")}


def at_the_time(record: Record, rival: str) -> tuple[float, float]:
    """Return the error of random features within a rival's time, and the rival's.

    The rival is at its largest size; random features of its kind are at the largest size within
    that time, or at their smallest one.
    """
    limit, kind = record[f"{rival}, seconds"][-1], RIVALS[rival]
    within = [i for i, spent in enumerate(record[f"{kind}, seconds"]) if spent <= limit]
    return record[kind][max(within, default=0)], record[rival][-1]


def figure(level: Level, results: Results) -> list[Plot]:
    caption, plots = "Mean over draws, with its standard error, at the median time.", []
    for name in results.options("data"):
        subset = results.where(data=name)
        errors = {method: subset.values(method) for method in SIZES}
        times = {method: np.median(subset.values(f"{method}, seconds"), axis=0) for method in SIZES}
        title, percent = f"{name}: error over CPU time", "test error, percent"
        plots.append(curves(title, "CPU seconds", times, percent, errors, caption))
    return plots


EXPERIMENT = declared(
    __name__,  # with the functions prepare, measure, table and figure of this module
    name="kitchen-sinks-summary",
    title="Random non-linearities against chosen ones, over time",
    source="Sejdinovic's slides (2014) on Rahimi, Recht (2008), Summary",
    cells=lambda level: draws({"data": name} for name in _rows.sets_of(level, ("adult", "MNIST"))),
    data={
        "quick": "the 8 x 8 digits (0 to 4 against 5 to 9), in place of Adult and MNIST",
        "full": "Adult and 5000 digits of MNIST",
    },
)
