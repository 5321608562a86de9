"""Score a linear model on each map's features by rows that were held out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from scipy.special import ndtri

from mehler import _arrays, learn
from mehler.report.inputs._matrix import DataMatrix
from mehler.report.model._data_result import Score
from mehler.report.on_data._maps import MapUnderTest
from mehler.report.render._format import count
from mehler.statements import Context
from mehler.verify import intervals

# Rows, entries, and multiplications of all projections of one map, at most.
_MOST_ROWS, _MOST_ENTRIES, _MOST_WORK = 3000, 5_000_000, 1e10
_MOST_FEATURES, _FEWEST_FEATURES = 400, 48
_HELD_OUT = 1 / 3
_MOST_CLASSES = 50
# Regularisations, in units of the mean squared length of the features.
_LAMBDAS = 10.0 ** np.arange(-9, 1)
_ERROR = 0.05
RAW = "raw columns"


@dataclass(frozen=True)
class Task:
    """Rows and targets to fit and to score, drawn at random; `classes` is None for numbers.

    Rows go through `prepare` before the map.
    """

    fit: tuple[np.ndarray, np.ndarray]
    held_out: tuple[np.ndarray, np.ndarray]
    classes: Any
    n_features: int
    prepare: Callable[[np.ndarray], np.ndarray]

    @property
    def method(self) -> str:
        """Describe in a sentence how scores are computed."""
        kind = "R², the share of variance explained" if self.classes is None else "accuracy"
        return (
            f"Ridge regression fitted to {count(len(self.fit[0]))} rows, its penalty chosen by "
            f"leaving rows out, on {self.n_features} features of each map; scored by {kind} on "
            f"{count(len(self.held_out[0]))} other rows, with an interval of 95 %"
            + (" (normal limit)." if self.classes is None else " (Clopper-Pearson).")
        )


def task_of(rows: DataMatrix, rng: np.random.Generator) -> Task | None:
    """Split rows with a target into two parts; None without target or with too few rows."""
    target = rows.target
    if target is None:
        return None
    held, d = rows.values.shape
    chosen = rng.permutation(held)[: min(_MOST_ROWS, max(60, _MOST_ENTRIES // d))]
    values, target = rows.values[chosen], np.asarray(target)[chosen]
    classes = _classes(target)
    if len(chosen) < 10 or len(np.unique(target)) < 2:
        return None
    codes = target.astype(np.float64) if classes is None else learn.one_vs_all(target, classes)[0]
    n = len(chosen) - int(_HELD_OUT * len(chosen))
    wide = _MOST_WORK / (len(chosen) * d * 16)
    return Task(
        (values[:n], codes[:n]),
        (values[n:], codes[n:]),
        classes,
        int(np.clip(wide, _FEWEST_FEATURES, _MOST_FEATURES)),
        _same,
    )


def _classes(target: np.ndarray) -> Any:
    """Return the classes of labels, of which there are few; None for numbers."""
    if target.dtype.kind == "f":
        return None
    classes = np.unique(target)
    few = len(classes) <= _MOST_CLASSES
    return classes if few or target.dtype.kind not in "iu" else None


def raw_score(task: Task, context: Context) -> Score:
    """Score the raw columns."""
    return _score(RAW, 0, lambda: _same, task, context)


def score(one: MapUnderTest, task: Task, context: Context) -> Score | None:
    """Score the features of a map; None if they are no numbers on which to learn."""
    if not one.linear:
        return None
    size = max(1, task.n_features // one.multiple) * one.multiple
    seed = context.seed_for(f"score: {one.label}")
    draw = partial(one.draw, size, seed=seed, like=context.like())
    return _score(one.label, size, draw, replace(task, prepare=one.rows), context)


def _same(values: Any) -> Any:
    return values


def _score(
    label: str, n_features: int, draw: Callable[[], Any], task: Task, context: Context
) -> Score:
    try:
        value, interval = _held_out(draw(), task, context)
    except Exception as error:  # a map that fails is reported, never hidden
        reason = f"{type(error).__name__}: {error}"
        return Score(map=label, n_features=n_features, value=None, interval=None, reason=reason)
    return Score(map=label, n_features=n_features, value=value, interval=interval)


def _held_out(phi: Any, task: Task, context: Context) -> tuple[float, tuple[float, float]]:
    # Features of all rows fit in memory, and are computed once.
    Z, new = (
        np.asarray(_arrays.to_host(phi(context.asarray(task.prepare(rows)))), dtype=np.float64)
        for rows in (task.fit[0], task.held_out[0])
    )
    wanted = task.held_out[1]
    scale = float(np.mean(np.sum((Z - Z.mean(axis=0)) ** 2, axis=1))) or 1.0
    lambdas = [float(one) for one in _LAMBDAS * scale]
    said = learn.ridge(_same, Z, task.fit[1], lambdas=lambdas).predict(new)
    if task.classes is not None:
        right = int(np.sum(said.argmax(axis=1) == wanted.argmax(axis=1)))
        low, high = intervals.binomial(right, len(wanted), _ERROR)
        return right / len(wanted), (float(low), float(high))
    squares, spread = (wanted - said) ** 2, (wanted - task.fit[1].mean()) ** 2
    share = float(squares.mean() / spread.mean())
    # Of a ratio of two means over the same rows, to first order in both.
    off = (squares - share * spread) / spread.mean()
    half = float(ndtri(1.0 - _ERROR / 2.0) * off.std()) / len(off) ** 0.5
    # R^2 is at most 1, which a normal limit does not know.
    return 1.0 - share, (1.0 - share - half, min(1.0, 1.0 - share + half))
