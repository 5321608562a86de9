"""Which rows are held out for a choice of lambda, and sums of rows that arrive in chunks."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import check_cv

from mehler import learn
from mehler._arrays import Array
from mehler._validate import require_integer
from mehler.features import FeatureMap


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


def as_folds(splits: list[tuple[Any, Any]], n: int) -> Any:
    """Return the rows of each fold if every split trains on all others, else None."""
    folds = np.full(n, -1)
    for number, (train, test) in enumerate(splits):
        twice = np.any(folds[test] != -1) or np.unique(test).shape != test.shape
        folds[test] = number
        if twice or not np.array_equal(np.sort(train), np.flatnonzero(folds != number)):
            return None
    return [np.flatnonzero(folds == number) for number in range(len(splits))]


def _indices(rows: Array, n: int) -> Any:
    """Convert scikit-learn's indices or mask of n rows to indices from 0."""
    return np.arange(n)[np.asarray(rows)]


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
        features = learn.Features(self.parts[0].phi, x, weights)
        turns = (self.n_rows + np.arange(x.shape[0])) % len(self.parts)
        for fold, part in enumerate(self.parts):
            rows = np.flatnonzero(turns == fold)
            if len(rows):
                part.add_features(features, y, False, rows)
        self.n_rows += x.shape[0]

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

    def __getstate__(self) -> dict[str, Any]:
        """Return the sums without the map, which the estimator holds."""
        parts = [copy.copy(part) for part in self.parts]
        for part in parts:
            part.phi = learn.left_behind
        return {**self.__dict__, "parts": parts}

    def at(self, phi: FeatureMap) -> None:
        """Move to the device of `phi`, which pickles do not store."""
        for part in self.parts:
            part.move(phi)
