"""Few labels: scores from unlabelled rows, logistic regression, and a perceptron beside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mehler import FourierFeatures
from mehler.features import leverage
from mehler.reproduce._experiment import Cell, Experiment, Level, Measured, Page
from mehler.reproduce._learners import linear, perceptron, values
from mehler.reproduce._results import Results, curves, difference, table
from mehler.reproduce.leverage._world import Problem, World, gammas_of, standardised, world_of

# magic in the place of Epileptic Seizure.
_SETS = ("adult", "magic")
_DRAWS = {"quick": 10, "full": 20}
_LABELS = {"quick": (5, 20), "full": (5, 20, 50)}
# Features kept, those of the pool, unlabelled rows, and test rows.
_SIZES = {"quick": (20, 200, 500, 500), "full": (50, 500, 1000, 5000)}
_LAM = 1e-3
_RIDGES = (1e-3, 1e-2, 1e-1)
_FOLDS = 3

_Choose = Callable[[Any, int, int], Any]
_SELECTED: dict[str, tuple[str, _Choose]] = {
    "plain": ("RKS", lambda pool, m, seed: leverage.PlainSampling(pool, m)),
    "letter": (
        "ELSS, Algorithm 1 to the letter",
        lambda pool, m, seed: leverage.LeverageSampling(
            pool, m, lam=_LAM, draws="iid", mix=0.0, method="gram", seed=seed
        ),
    ),
    "ours": (
        "ELSS, systematic and mixed",
        lambda pool, m, seed: leverage.LeverageSampling(
            pool, m, lam=_LAM, method="gram", seed=seed
        ),
    ),
    "top": (
        "ELSS, Algorithm 2",
        lambda pool, m, seed: leverage.TopLeverage(pool, m, lam=_LAM, method="gram"),
    ),
    "variance": ("largest variance", lambda pool, m, seed: leverage.TopVariance(pool, m)),
}
LABELS = {
    "rows": "logistic regression on the rows",
    **{name: f"{label} + LR" for name, (label, _) in _SELECTED.items()},
    "perceptron": "perceptron",
}


def cells(level: Level) -> list[Cell]:
    """Return sets, labels a class and draws; all methods in one cell, paired."""
    names = ("digits",) if level == "quick" else _SETS
    return [
        Cell({"data": name, "labels": n, "draw": draw})
        for draw in range(_DRAWS[level])
        for name in names
        for n in _LABELS[level]
    ]


@dataclass(frozen=True)
class _Split:
    """Unlabelled, labelled and test rows, standardised by the unlabelled ones."""

    unlabelled: Any
    X: Any
    y: Any
    test: tuple[Any, Any]
    folds: Any

    def error(self, predicted: Any) -> float:
        """Return the share of test rows that are wrong, in percent."""
        return float(100 * np.mean(np.sign(predicted) != self.test[1]))


def split(problem: Problem, n: int, unlabelled: int, n_test: int, seed: int) -> _Split:
    """Draw disjoint parts, with n labels of each class."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(problem.y))
    few = np.concatenate([order[problem.y[order] == sign][:n] for sign in (-1.0, 1.0)])
    rest = np.setdiff1d(order, few, assume_unique=True)
    rest = rng.permutation(rest)
    rows, test = rest[:unlabelled], rest[unlabelled : unlabelled + n_test]
    scored, learnt, tested = standardised(*(problem.X[part] for part in (rows, few, test)))
    # Balanced folds: rows are ordered by class.
    folds = np.concatenate([rng.permutation(n) % _FOLDS for _ in range(2)])
    return _Split(scored, learnt, problem.y[few], (tested, problem.y[test]), folds)


_Machine = Callable[[Any, Any], Callable[[Any], Any]]


def _fitted(
    parts: _Split, machines: list[_Machine], features: Callable[[Any], Any]
) -> tuple[int, float]:
    """Return mistakes over folds of the labelled rows, and test error, of the best machine."""
    z = features(parts.X)
    wrong = [
        sum(
            int(np.sum(np.sign(fit(z[kept], parts.y[kept])(z[~kept])) != parts.y[~kept]))
            for kept in (parts.folds != fold for fold in range(_FOLDS))
        )
        for fit in machines
    ]
    best = machines[int(np.argmin(wrong))]
    return min(wrong), parts.error(best(z, parts.y)(features(parts.test[0])))


def logistic(lam: float) -> _Machine:
    """Return logistic regression with one ridge."""

    def fit(z: Any, y: Any) -> Callable[[Any], Any]:
        weights = linear(z, y, lam)
        return lambda new: values(new, weights)

    return fit


def measure(world: World, cell: Cell, seed: int) -> Measured:
    """Return test errors of all methods on one split, each with its own bandwidth and ridge."""
    o = cell.options
    m, size, unlabelled, n_test = _SIZES[world.level]
    own = cell.seed(seed, _NAME)
    parts = split(world.problems[o["data"]], o["labels"], unlabelled, n_test, own)
    ridges = [logistic(lam) for lam in _RIDGES]
    errors: Measured = {"rows": _fitted(parts, ridges, lambda rows: rows)[1]}
    for name, (_, choose) in _SELECTED.items():
        tried = []
        for gamma in gammas_of(parts.unlabelled):
            pool = FourierFeatures.draw(
                parts.X.shape[1], size, gamma=gamma, form="offset", seed=own, dtype="float64"
            )
            phi = choose(pool, m, own).fit(parts.unlabelled)
            tried.append(_fitted(parts, ridges, phi))
        errors[name] = min(tried, key=lambda pair: pair[0])[1]
    joint = [_joint(lam, m, own) for lam in _RIDGES]
    errors["perceptron"] = _fitted(parts, joint, lambda rows: rows)[1]
    return errors


def _joint(lam: float, n_hidden: int, seed: int) -> _Machine:
    return lambda z, y: perceptron(z, y, n_hidden, lam / n_hidden, seed=seed)


def page(level: Level, cells: list[tuple[Cell, Measured]]) -> Page:
    """Return errors by labels, curves, and the paired differences that the paper claims."""
    tables, plots, verdicts = [], [], []
    for name in Results(cells).options("data"):
        some = Results(cells).where(data=name)
        sizes = sorted(some.options("labels"))
        errors = {label: some.columns(key, "labels", sizes) for key, label in LABELS.items()}
        tables.append(
            table(
                f"{name}: test error in percent, mean ± standard deviation over draws",
                ("method", *(f"{n} a class" for n in sizes)),
                {label: values.T for label, values in errors.items()},
            )
        )
        plots.append(
            curves(
                f"{name}: error over the labels a class",
                "labels a class",
                sizes,
                "test error, percent",
                errors,
            )
        )
        verdicts += [
            difference(
                f"{name}, {n} labels a class, {LABELS[key]} against {LABELS[rival]}",
                errors[LABELS[key]][:, k],
                errors[LABELS[rival]][:, k],
            )
            for k, n in enumerate(sizes)
            for key in ("letter", "top")
            for rival in ("rows", "perceptron", "plain")
        ]
    return Page(verdicts=verdicts, tables=tables, plots=plots)


_NAME = "leverage-few-labels"
EXPERIMENT = Experiment(
    name=_NAME,
    title="Few labels, and scores from unlabelled rows",
    source="Shahrampour, Kolouri (2019), section V and Figure 4",
    printed=(
        "On Seizure and Adult, with few labels a class, ELSS features with logistic regression are "
        "said to beat logistic regression on the rows and a perceptron; the numbers of labels, "
        "features, nodes and repetitions are missing in the source text. Here 5, 20 and 50 labels "
        "a class, 50 features of a pool of 500, 50 nodes, and scores of 1000 unlabelled rows; "
        "magic stands in for Seizure. Each method has its own bandwidth and ridge, by three folds "
        "of the labelled rows."
    ),
    prepare=lambda level, folder: world_of(level, _SETS),
    cells=cells,
    measure=measure,
    page=page,
    data={
        "quick": "the 8 x 8 digits, in place of Adult and Seizure",
        "full": "Adult, and magic in place of Seizure",
    },
)
