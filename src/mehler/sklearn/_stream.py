"""Sums of rows that arrive in chunks and are not kept, with rows assigned to folds in turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mehler import _arrays, learn
from mehler._validate import require_integer
from mehler.features import FeatureMap
from mehler.learn._arguments import rows_at

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

    def add(self, x: _arrays.Array, y: _arrays.Array, weights: _arrays.Array = None) -> None:
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
