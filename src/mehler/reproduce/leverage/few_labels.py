"""Few labels: scores from unlabelled rows, logistic regression, and a perceptron beside it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from mehler import FourierFeatures
from mehler.features import leverage
from mehler.reproduce import _rows
from mehler.reproduce._experiment import Cell, Experiment, Level, Measured, Page, draws
from mehler.reproduce._learners import perceptron
from mehler.reproduce._results import Results, curves, difference, table
from mehler.reproduce._rows import Problem, Split
from mehler.reproduce.leverage._methods import chosen

# magic in the place of Epileptic Seizure.
_SETS = ("adult", "magic")
_DRAWS = {"quick": 10, "full": 20}
_LABELS = {"quick": (5, 20), "full": (5, 20, 50)}
# Features kept, those of the pool, unlabelled rows, and test rows.
_SIZES = {"quick": (20, 200, 500, 500), "full": (50, 500, 1000, 5000)}
_LAM = 1e-3
_RIDGES = (1e-3, 1e-2, 1e-1)
_FOLDS = 3

LABELS = {
    "rows": "logistic regression on the rows",
    "plain": "RKS + LR",
    "letter": "ELSS, Algorithm 1 to the letter + LR",
    "ours": "ELSS, systematic and mixed + LR",
    "top": "ELSS, Algorithm 2 + LR",
    "variance": "largest variance + LR",
    "perceptron": "perceptron",
}


def selectors(pool: FourierFeatures, m: int, seed: int) -> dict[str, leverage.Selector]:
    """Return what chooses m features of a pool, by method."""
    return {
        "plain": leverage.PlainSampling(pool, m),
        "letter": leverage.LeverageSampling(
            pool, m, lam=_LAM, draws="iid", mix=0.0, method="gram", seed=seed
        ),
        "ours": leverage.LeverageSampling(pool, m, lam=_LAM, method="gram", seed=seed),
        "top": leverage.TopLeverage(pool, m, lam=_LAM, method="gram"),
        "variance": leverage.TopVariance(pool, m),
    }


def cells(level: Level) -> list[Cell]:
    """Return sets, labels a class and draws; all methods in one cell, paired."""
    names, counts = _rows.sets_of(level, _SETS), _LABELS[level]
    return draws(({"data": name, "labels": n} for name in names for n in counts), _DRAWS[level])


def split(problem: Problem, n: int, unlabelled: int, n_test: int, seed: int) -> tuple[Split, Any]:
    """Draw disjoint parts, with n labels of each class, and balanced folds of the labelled rows.

    Rows are fitted on the labelled part; the part to choose by is used without labels, and all are
    standardised by it.
    """
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(problem.y))
    few = np.concatenate([order[problem.y[order] == sign][:n] for sign in (-1.0, 1.0)])
    rest = rng.permutation(np.setdiff1d(order, few, assume_unique=True))
    parts = rest[:unlabelled], few, rest[unlabelled : unlabelled + n_test]
    scored, learnt, tested = zip(
        _rows.standardised(*(problem.X[part] for part in parts)),
        (problem.y[part] for part in parts),
    )
    # Rows are ordered by class.
    folds = np.concatenate([rng.permutation(n) % _FOLDS for _ in range(2)])
    return Split(learnt, scored, tested), folds


_Machine = Callable[[Any, Any], Callable[[Any], Any]]


def _fitted(
    parts: Split, folds: Any, machines: Sequence[_Machine], features: Callable[[Any], Any]
) -> tuple[int, float]:
    """Return mistakes over folds, and test error in percent, of the best machine."""
    z, y = features(parts.fit[0]), parts.fit[1]
    wrong = [
        sum(
            int(np.sum(np.sign(fit(z[kept], y[kept])(z[~kept])) != y[~kept]))
            for kept in (folds != fold for fold in range(_FOLDS))
        )
        for fit in machines
    ]
    best = machines[int(np.argmin(wrong))](z, y)
    return min(wrong), 100 * parts.error(best(features(parts.test[0])), parts.test)


def logistic(lam: float) -> _Machine:
    """Return logistic regression with one ridge, of the mean loss and lambda |w|^2."""
    from sklearn.linear_model import LogisticRegression

    return lambda z, y: (
        LogisticRegression(C=1 / (2 * lam * len(z)), tol=1e-8, max_iter=1000)
        .fit(z, y)
        .decision_function
    )


def measure(level: Level, sets: dict[str, Problem], cell: Cell, seed: int) -> Measured:
    """Return test errors of all methods on one split, each with its own bandwidth and ridge."""
    m, size, unlabelled, n_test = _SIZES[level]
    own = cell.seed(seed, _NAME)
    problem, n = sets[cell.options["data"]], cell.options["labels"]
    parts, folds = split(problem, n, unlabelled, n_test, own)
    rows, ridges = parts.choose[0], [logistic(lam) for lam in _RIDGES]
    joint = [partial(perceptron, n_hidden=m, lam=lam / m, seed=own) for lam in _RIDGES]
    tried: dict[str, list[tuple[float, float]]] = {name: [] for name in LABELS}
    tried["rows"].append(_fitted(parts, folds, ridges, lambda rows: rows))
    for gamma in _rows.gammas_of(rows):
        pool = _rows.cosines(rows, size, gamma, own)
        for name, selector in selectors(pool, m, own).items():
            tried[name].append(_fitted(parts, folds, ridges, selector.fit(rows)))
    tried["perceptron"].append(_fitted(parts, folds, joint, lambda rows: rows))
    return {name: chosen(errors)[1] for name, errors in tried.items()}


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
        title, percent = f"{name}: error over the labels a class", "test error, percent"
        plots.append(curves(title, "labels a class", sizes, percent, errors))
        for k, n in enumerate(sizes):
            for key, rival in itertools.product(("letter", "top"), ("rows", "perceptron", "plain")):
                mine, theirs = LABELS[key], LABELS[rival]
                what = f"{name}, {n} labels a class, {mine} against {theirs}"
                verdicts.append(difference(what, errors[mine][:, k], errors[theirs][:, k]))
    return Page(verdicts=verdicts, tables=tables, plots=plots)


_NAME = "leverage-few-labels"
EXPERIMENT = Experiment(
    name=_NAME,
    title="Few labels, and scores from unlabelled rows",
    source="Shahrampour, Kolouri (2019), section V and Figure 4",
    printed=(
        "On Seizure and Adult, with few labels a class, ELSS features with logistic regression are "
        "said to beat logistic regression on the rows and a perceptron; the numbers of labels, "
        "features, nodes and repetitions are missing in the source text."
    ),
    prepare=lambda level, folder: _rows.problems(level, _SETS),
    cells=cells,
    measure=measure,
    page=page,
    data={
        "quick": "the 8 x 8 digits, in place of Adult and Seizure",
        "full": "Adult, and magic in place of Seizure",
    },
)
