"""Scores on held-out rows: a linear model on features, on the raw columns, gradient boosting."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri

from mehler import _arrays, learn
from mehler._text import install_command
from mehler.report._maps import Candidate
from mehler.report._model import Score
from mehler.report._read import DataMatrix
from mehler.report.render._format import count
from mehler.statements import Context
from mehler.verify import intervals

RAW, BOOSTING = "raw columns", "gradient boosting"
# Multiples of 16, which all maps may have; the full level goes on.
SIZES = (32, 64, 128, 256, 512, 1024, 2048)
_QUICK = 5
# Rows, entries, and multiplications of all projections of one map, at most; rows at least.
_MOST_ROWS, _MOST_ENTRIES, _MOST_WORK, _FEWEST_ROWS = 3000, 5_000_000, 2e10, 30
_HELD_OUT, _OUTSIDE = 1 / 3, 0.05
_MOST_CLASSES = 50
# Regularisations, in units of the mean squared length of the features.
_LAMBDAS = 10.0 ** np.arange(-9, 1)


@dataclass(frozen=True)
class Task:
    """Rows and targets to fit and to score, drawn at random; `classes` is None for numbers."""

    fit: tuple[np.ndarray, np.ndarray]
    held_out: tuple[np.ndarray, np.ndarray]
    classes: Any
    sizes: tuple[int, ...]

    @property
    def measure(self) -> str:
        """The name of the score."""
        return "R²" if self.classes is None else "accuracy"

    @property
    def method(self) -> str:
        """Describe in a sentence how scores are computed."""
        share = " (the share of variance explained)" if self.classes is None else ""
        limit = "normal limit" if self.classes is None else "Clopper-Pearson"
        return (
            f"Scores are {self.measure}{share} on {count(len(self.held_out[0]))} held-out rows, "
            f"with an interval of 95 % ({limit}). The linear model is ridge regression on "
            f"{count(len(self.fit[0]))} other rows, its penalty chosen by leaving rows out; "
            "gradient boosting is scikit-learn's at its defaults. The best of several maps on the "
            "same rows is a little too good."
        )


def task_of(rows: DataMatrix, context: Context) -> Task | str:
    """Split rows with a target into two parts, or return a sentence that says why not."""
    target, name = rows.target, rows.target_name
    if target is None:
        return "No target is given: --target scores the maps, and mehler plan counts features"
    held, d = rows.values.shape
    chosen = context.rng("split").permutation(held)[: min(_MOST_ROWS, max(60, _MOST_ENTRIES // d))]
    values, target = rows.values[chosen], np.asarray(target)[chosen]
    n, n_values = len(chosen), len(np.unique(target))
    if n_values < 2:
        return f"No score: the target {name} is the same in all rows"
    if n < _FEWEST_ROWS:
        return f"No score: {n} rows are too few to hold some out, {_FEWEST_ROWS} are needed"
    classes = None
    if target.dtype.kind != "f" and (n_values <= _MOST_CLASSES or target.dtype.kind not in "iu"):
        classes = np.unique(target)
        if n_values > n // 2:
            return f"No score: the target {name} has {n_values} classes in {n} rows"
    codes = target.astype(np.float64) if classes is None else learn.one_vs_all(target, classes)[0]
    n -= int(_HELD_OUT * n)
    if min(len(np.unique(part, axis=0)) for part in (codes[:n], codes[n:])) < 2:
        return f"No score: the target {name} is the same in nearly all rows"
    wide = max(_MOST_WORK / (len(chosen) * d * 16), SIZES[1])
    return Task(
        (values[:n], codes[:n]),
        (values[n:], codes[n:]),
        classes,
        tuple(size for size in SIZES[: _QUICK if context.quick else None] if size <= wide),
    )


def scores_of(learner: Any, task: Task, context: Context) -> tuple[Score, ...]:
    """Score a map at each number of features, `RAW` or `BOOSTING`; a failure has its reason."""
    label = str(getattr(learner, "label", learner))
    try:
        with np.errstate(over="ignore", invalid="ignore"):  # what is no number has no score
            if isinstance(learner, Candidate):
                return tuple(_map_scores(learner, task, context))
            boosted = learner == BOOSTING
            predicted = _boosted(task, context.seed) if boosted else _predicted(*_rows(task), task)
            return (_score(label, 0, predicted, task),)
    except Exception as error:  # a map that fails is reported, never hidden
        reason = f"{type(error).__name__}: {error}"
        return (Score(map=label, n_features=0, value=None, interval=None, reason=reason),)


def _rows(task: Task) -> tuple[np.ndarray, np.ndarray]:
    return task.fit[0], task.held_out[0]


def _map_scores(candidate: Candidate, task: Task, context: Context) -> Iterator[Score]:
    """Yield the scores at all numbers of features, of which the first weights are the same."""
    seed = context.seed_for(f"score: {candidate.label}")
    rows = [context.asarray(candidate.rows(X)) for X in _rows(task)]
    for n in dict.fromkeys(candidate.rounded(size) for size in task.sizes):
        phi = candidate.draw(n, seed=seed, like=context.like())
        Z, new = (np.asarray(_arrays.to_host(phi(X)), dtype=float) for X in rows)
        yield _score(candidate.label, n, _predicted(Z, new, task), task)


def _boosted(task: Task, seed: int) -> np.ndarray:
    try:
        from sklearn import ensemble
    except ImportError:
        raise ImportError(f"needs scikit-learn: {install_command('sklearn')}") from None
    if task.classes is None:
        model = ensemble.HistGradientBoostingRegressor(random_state=seed)
        return np.asarray(model.fit(*task.fit).predict(task.held_out[0]))
    model = ensemble.HistGradientBoostingClassifier(random_state=seed)
    model.fit(task.fit[0], task.fit[1].argmax(axis=1))
    return np.asarray(np.eye(len(task.classes))[model.predict(task.held_out[0])])


def _predicted(Z: np.ndarray, new: np.ndarray, task: Task) -> np.ndarray:
    """Fit ridge regression on features, and predict the targets of new rows."""
    scale = float(np.mean(np.sum((Z - Z.mean(axis=0)) ** 2, axis=1))) or 1.0
    lambdas = [float(lam) for lam in _LAMBDAS * scale]
    return np.asarray(learn.ridge(np.asarray, Z, task.fit[1], lambdas=lambdas).predict(new))


def _score(label: str, n_features: int, predicted: np.ndarray, task: Task) -> Score:
    truth = task.held_out[1]
    if task.classes is not None:
        right = int(np.sum(predicted.argmax(axis=1) == truth.argmax(axis=1)))
        value = right / len(truth)
        low, high = intervals.binomial(right, len(truth), _OUTSIDE)
    else:
        squares, spread = (truth - predicted) ** 2, (truth - task.fit[1].mean()) ** 2
        unexplained = float(squares.mean() / spread.mean())
        # Delta method: a ratio of two means over the same rows, to first order in both.
        deviations = (squares - unexplained * spread) / spread.mean()
        half = float(ndtri(1.0 - _OUTSIDE / 2.0) * deviations.std()) / len(deviations) ** 0.5
        value = 1.0 - unexplained
        # R^2 is at most 1, which a normal limit does not know.
        low, high = value - half, min(1.0, value + half)
    if not np.isfinite([value, low, high]).all():
        raise ValueError("the score overflows: standardize the columns")
    interval = (float(low), float(high))
    return Score(map=label, n_features=n_features, value=value, interval=interval)
