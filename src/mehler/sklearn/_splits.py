"""Fits by splits, of sparse or weighted rows, and of rows that arrive in chunks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import check_cv

from mehler import _arrays, learn
from mehler._arrays import Array
from mehler._validate import require_integer
from mehler.features import FeatureMap
from mehler.learn import Errors, HeldOut, LeftOut, Scoring, best, rows_at
from mehler.sklearn import _inputs


def splits_of(cv: Any, targets: np.ndarray, *, classifier: bool) -> list[tuple[Any, Any]]:
    """Return the training and validation indices of scikit-learn's `cv`."""
    if isinstance(cv, (bool, np.generic, np.ndarray)) and np.ndim(cv) == 0:
        cv = require_integer("cv", cv, least=2)
    splitter = check_cv(cv, targets, classifier=classifier)
    n = targets.shape[0]
    # Splitters use the number of rows and the targets only.
    parts = splitter.split(np.zeros((n, 1)), targets)
    splits = [(_indices(train, n), _indices(test, n)) for train, test in parts]
    if not splits:
        raise ValueError(f"cv={cv!r} gives no splits; was it an iterator that is used up?")
    if not all(len(train) and len(test) for train, test in splits):
        raise ValueError(f"cv={cv!r} has a split without rows to fit, or without rows held out")
    return splits


def choose_by_splits(
    phi: Any,
    x: Array,
    y: Array,
    splits: list[tuple[Any, Any]],
    *,
    lambdas: tuple[float, ...],
    scoring: Scoring,
    intercept: bool,
) -> learn.RidgeFit:
    """Fit all rows with the lambda of least mean error over splits."""
    options: Any = {"lambdas": lambdas, "scoring": scoring, "intercept": intercept}
    folds = _as_folds(splits, x.shape[0])
    if folds is not None:
        return learn.ridge(phi, x, y, choose="folds", folds=folds, **options)
    errors = [
        learn.ridge(
            phi,
            rows_at(x, train),
            rows_at(y, train),
            choose="hold-out",
            holdout=(rows_at(x, test), rows_at(y, test)),
            **options,
        ).errors
        for train, test in splits
    ]
    mean = np.mean(errors, axis=0)
    (fit,) = learn.RidgeSums(phi).add(x, y).solve(lambdas[best(lambdas, mean)], intercept=intercept)
    return replace(fit, lambdas=lambdas, errors=mean)


def _as_folds(splits: list[tuple[Any, Any]], n: int) -> Any:
    """Return the fold of each row if every split trains on all rows outside its fold, else None."""
    folds = np.full(n, -1)
    for number, (train, test) in enumerate(splits):
        twice = np.any(folds[test] != -1) or np.unique(test).shape != test.shape
        folds[test] = number
        if twice or not np.array_equal(np.sort(train), np.flatnonzero(folds != number)):
            return None
    return folds


def _indices(rows: Array, n: int) -> Any:
    """Convert scikit-learn's indices or mask of n rows to indices from 0."""
    return np.arange(n)[np.asarray(rows)]


def solve_by_blocks(
    phi: Any,
    x: Array,
    y: Array,
    weights: Array,
    *,
    lambdas: tuple[float, ...],
    splits: list[tuple[Any, Any]] | None,
    scoring: Scoring,
    intercept: bool,
) -> learn.RidgeFit:
    """Fit all rows, for the lambda of least leave-one-out error or least mean error of splits."""
    sums = add(learn.RidgeSums(phi), x, y, weights)
    if len(lambdas) == 1:
        (fit,) = sums.solve(lambdas, intercept=intercept)
        return fit
    if splits is None:
        path = sums._solved(lambdas, intercept, "eigen", overwrite=True)
        errors = _summed(LeftOut(path, scoring, weighted=True), x, y, weights) / sums.n_rows
        return path.fit(best(lambdas, errors), errors)
    found = []
    for train, test in splits:
        part = add(learn.RidgeSums(phi), *_at(train, x, y, weights))
        path = part._solved(lambdas, intercept, "auto", overwrite=True)
        held = _at(test, x, y, weights)
        total = float(np.sum(_arrays.to_host(held[2])))
        if not total:
            raise ValueError("sample_weight is 0 on all rows that a split of cv holds out")
        found.append(_summed(HeldOut(path, scoring, weighted=True), *held) / total)
    errors = np.mean(found, axis=0)
    (fit,) = sums.solve(lambdas[best(lambdas, errors)], intercept=intercept)
    return replace(fit, lambdas=lambdas, errors=errors)


def add(sums: learn.RidgeSums, x: Array, y: Array, weights: Array) -> learn.RidgeSums:
    """Add rows with weights, block by block if they are sparse."""
    for rows, targets, some in _blocks(x, y, weights):
        sums.add(rows, targets, some)
    return sums


def _summed(errors: Errors, x: Array, y: Array, weights: Array) -> Any:
    total: Any = 0.0
    for rows, targets, some in _blocks(x, y, weights):
        xp = _arrays.array_namespace(targets)
        total = total + errors.of_rows(rows, xp.concat((targets, some[:, None]), axis=1))
    return total


def _blocks(x: Array, y: Array, weights: NDArray[np.float64]) -> Iterator[tuple[Any, Any, Any]]:
    for rows in _inputs.row_blocks(x):
        yield _inputs.dense(x[rows, :]), y[rows, :], weights[rows]


def _at(
    index: NDArray[np.int64], x: Array, y: Array, weights: NDArray[np.float64]
) -> tuple[Any, Any, Any]:
    chosen = x[index, :] if _inputs.is_sparse(x) else rows_at(x, index)
    return chosen, rows_at(y, index), rows_at(weights, index)


# scikit-learn's default number of folds.
_FOLDS = 5


def folds_of(cv: Any, lambdas: tuple[float, ...]) -> int:
    """Return the number of sums needed: one, if there is nothing to select."""
    if len(lambdas) == 1:
        return 1
    if cv is None:
        return _FOLDS
    try:
        return require_integer("cv", cv, least=2)
    except TypeError:
        raise TypeError(
            f"cv={cv!r}: partial_fit deals rows to folds by turns, so that cv must be an integer "
            "or None; a splitter needs all rows at once"
        ) from None


@dataclass
class Stream:
    """Sums of the rows so far."""

    parts: list[learn.RidgeSums]
    n_axes: int  # axes of the targets
    lambdas: tuple[float, ...]
    intercept: bool
    n_rows: int = 0

    def add(self, x: Array, y: Array, weights: Array = None) -> None:
        """Add rows, or as many of each as their weights say, to the folds in turn."""
        n = x.shape[0]
        if len(self.parts) == 1:
            self.parts[0].add(x, y, weights)
        else:
            turns = (self.n_rows + np.arange(n)) % len(self.parts)
            for fold, part in enumerate(self.parts):
                rows = np.flatnonzero(turns == fold)
                if len(rows):
                    some = None if weights is None else rows_at(weights, rows)
                    part.add(rows_at(x, rows), rows_at(y, rows), some)
        self.n_rows += n

    def solve(self) -> learn.RidgeFit:
        """Fit all rows so far."""
        if len(self.parts) == 1:
            return self.parts[0].solve(self.lambdas, intercept=self.intercept)[0]
        filled = [part for part in self.parts if part.n_rows]
        if len(filled) < 2:
            raise ValueError(
                "1 row came so far, which cannot be held out to choose among lambdas: give more "
                "rows, or one lambda"
            )
        return learn.RidgeSums.cross_validate(filled, self.lambdas, intercept=self.intercept)[0]

    def at(self, phi: FeatureMap) -> None:
        """Move to the device of `phi`, which pickles do not store."""
        for part in self.parts:
            part._move(phi)
