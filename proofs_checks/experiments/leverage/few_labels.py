"""Test errors from few labels, with features chosen by leverage scores of unlabelled rows.

A score says how much a feature of a random pool adds to the others. ELSS of Shahrampour, Kolouri
(2019) keeps features by scores, RKS (random kitchen sinks) any. Logistic regression (LR) on them is
compared with LR and a perceptron on the rows themselves.
"""

import itertools
from functools import partial
from typing import Any

import numpy as np

from mehler import FourierFeatures
from mehler.features import leverage
from mehler.statements import Plot

from .._harness import Cell, Level, declared
from .._learners import perceptron
from .._results import Options, Record, Results, Tables, curves, differences, draws, spread
from .._rows import Problem, Split, cosines, gammas_of, problems, sets_of, standardised
from ._logistic import fitted, logistic
from ._methods import LAM, Errors, best_of
from .rivals import TopVariance

SETS = ("adult", "magic")  # magic in the place of Epileptic Seizure
DRAWS, LABELS = {"quick": 10, "full": 20}, {"quick": (5, 20), "full": (5, 20, 50)}
# Features kept, those of the pool, unlabelled rows, and test rows.
SIZES = {"quick": (20, 200, 500, 500), "full": (50, 500, 1000, 5000)}
# Ridges of logistic regression (LR) and perceptron; folds of labelled rows choose among them.
RIDGES, FOLDS = (1e-3, 1e-2, 1e-1), 3
METHODS = {
    "rows": "logistic regression on the rows",
    "plain": "RKS + LR",
    "letter": "ELSS, Algorithm 1 as published + LR",
    "ours": "ELSS, systematic and mixed + LR",
    "top": "ELSS, Algorithm 2 + LR",
    "variance": "largest variance + LR",
    "perceptron": "perceptron",
}


def selectors(pool: FourierFeatures, m: int, seed: int) -> dict[str, leverage.Selector]:
    """Return what chooses m features of a pool: RKS without scores, ELSS by leverage scores."""
    sampling = partial(leverage.LeverageSampling, pool, m, lam=LAM, seed=seed)
    return {
        "plain": leverage.PlainSampling(pool, m),
        "letter": sampling(draws="iid", mix=0.0),
        "ours": sampling(),
        "top": leverage.TopLeverage(pool, m, lam=LAM),
        "variance": TopVariance(pool, m),
    }


def cells(level: Level) -> list[Options]:
    """Return cells: a data set, a number of labels and a draw; methods share one, to be paired."""
    settings = itertools.product(sets_of(level, SETS), LABELS[level])
    return draws(({"data": name, "labels": n} for name, n in settings), DRAWS[level])


def split(problem: Problem, n: int, unlabelled: int, n_test: int, seed: int) -> tuple[Split, Any]:
    """Draw disjoint parts, with n labels of each class, and balanced folds of the labelled rows.

    Rows are fitted on the labelled part; the part to choose by, without labels, standardises all.
    """
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(problem.y))
    few = np.concatenate([order[problem.y[order] == sign][:n] for sign in (-1.0, 1.0)])
    rest = rng.permutation(np.setdiff1d(order, few, assume_unique=True))
    parts = rest[:unlabelled], few, rest[unlabelled : unlabelled + n_test]
    rows = standardised(*(problem.X[part] for part in parts))
    choose, fit, test = zip(rows, (problem.y[part] for part in parts))
    folds = np.concatenate([rng.permutation(n) % FOLDS for _ in range(2)])  # rows are by class
    return Split(fit, choose, test), folds


def measure(level: Level, sets: dict[str, Problem], cell: Cell) -> Record:
    """Return test errors of all methods on one split, each with its own bandwidth and ridge."""
    m, size, unlabelled, n_test = SIZES[level]
    seed = cell.seed()
    parts, folds = split(sets[cell["data"]], cell["labels"], unlabelled, n_test, seed)
    rows, ridges = parts.choose[0], [logistic(lam) for lam in RIDGES]
    joint = [partial(perceptron, n_hidden=m, lam=lam / m, seed=seed) for lam in RIDGES]
    candidates: dict[str, list[Errors]] = {name: [] for name in METHODS}
    candidates["rows"].append(fitted(parts, folds, ridges, lambda rows: rows))
    for gamma in gammas_of(rows):
        for name, selector in selectors(cosines(rows, size, gamma, seed), m, seed).items():
            candidates[name].append(fitted(parts, folds, ridges, selector.fit(rows)))
    candidates["perceptron"].append(fitted(parts, folds, joint, lambda rows: rows))
    return {name: best_of(errors)[1] for name, errors in candidates.items()}


def table(level: Level, results: Results) -> Tables:
    """Return errors by labels, and the paired differences that the paper claims."""
    tables, pairs = {}, {}
    for name in results.options("data"):
        sizes = sorted(results.options("labels"))
        errors = {key: results.columns(key, "labels", sizes, data=name) for key in METHODS}
        tables[f"{name}: test error in percent, mean ± standard deviation over draws"] = [
            {"method": label}
            | {f"{n} a class": spread(errors[key][:, k]) for k, n in enumerate(sizes)}
            for key, label in METHODS.items()
        ]
        claims = itertools.product(("letter", "top"), ("rows", "perceptron", "plain"))
        for (k, n), (ours, rival) in itertools.product(enumerate(sizes), claims):
            what = f"{name}, {n} a class: {METHODS[ours]} less {METHODS[rival]}"
            pairs[what] = errors[ours][:, k], errors[rival][:, k]
    return tables | {"Differences of test errors, percent": differences(pairs, "errors")}


def figure(level: Level, results: Results) -> list[Plot]:
    plots, sizes = [], sorted(results.options("labels"))
    for name in results.options("data"):
        errors = {
            label: results.columns(key, "labels", sizes, data=name)
            for key, label in METHODS.items()
        }
        title = f"{name}: error over the labels per class"
        plots.append(curves(title, "labels per class", sizes, "test error, percent", errors))
    return plots


EXPERIMENT = declared(
    __name__,  # with the functions cells, measure, table and figure of this module
    name="leverage-few-labels",
    title="Few labels, and scores from unlabelled rows",
    source="Shahrampour, Kolouri (2019), section V and Figure 4",
    prepare=lambda level, folder: problems(level, SETS),
    data={
        "quick": "the 8 x 8 digits, in place of Adult and Seizure",
        "full": "Adult, and magic in place of Seizure",
    },
)
