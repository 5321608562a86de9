"""Ridge regression over blocks of rows that are sparse, or have weights."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from mehler import _arrays, learn
from mehler.learn._arguments import rows_at
from mehler.learn._ridge._path import HeldOut, LeftOut, best
from mehler.sklearn import _inputs


def solve(
    phi: Any,
    x: Any,
    y: _arrays.Array,
    weights: _arrays.Array,
    *,
    lambdas: tuple[float, ...],
    splits: list[tuple[Any, Any]] | None,
    scoring: str,
    intercept: bool,
) -> learn.RidgeFit:
    """Fit all rows, for the lambda of least leave-one-out error or least mean error of splits."""
    sums = add(learn.RidgeSums(phi), x, y, weights)
    if len(lambdas) == 1:
        (fit,) = sums.solve(lambdas, intercept=intercept)
        return fit
    if splits is None:
        path = sums._path(lambdas, intercept, "eigen", spend=True)
        errors = _summed(LeftOut(phi, path, scoring, weighted=True), x, y, weights) / sums.n_rows
        return path.fit(best(lambdas, errors), errors)
    found = []
    for train, test in splits:
        part = add(learn.RidgeSums(phi), *_at(train, x, y, weights))
        path = part._path(lambdas, intercept, "auto", spend=True)
        held = _at(test, x, y, weights)
        total = float(np.sum(_arrays.to_host(held[2])))
        if not total:
            raise ValueError("sample_weight is 0 on all rows that a split of cv holds out")
        found.append(_summed(HeldOut(phi, path, scoring, weighted=True), *held) / total)
    errors = np.mean(found, axis=0)
    (fit,) = sums.solve(lambdas[best(lambdas, errors)], intercept=intercept)
    return replace(fit, lambdas=lambdas, errors=errors)


def add(sums: learn.RidgeSums, x: Any, y: _arrays.Array, weights: _arrays.Array) -> learn.RidgeSums:
    """Add rows with weights, block by block if they are sparse."""
    for rows, targets, some in _blocks(x, y, weights):
        sums.add(rows, targets, some)
    return sums


def _summed(function: Any, x: Any, y: _arrays.Array, weights: _arrays.Array) -> Any:
    total: Any = 0.0
    for rows, targets, some in _blocks(x, y, weights):
        xp = _arrays.array_namespace(targets)
        total = total + function(rows, xp.concat((targets, some[:, None]), axis=1))
    return total


def _blocks(x: Any, y: Any, weights: Any) -> Iterator[tuple[Any, Any, Any]]:
    for rows in _inputs.row_blocks(x):
        yield _inputs.dense(x[rows, :]), y[rows, :], weights[rows]


def _at(index: Any, x: Any, y: Any, weights: Any) -> tuple[Any, Any, Any]:
    chosen = x[index, :] if _inputs.is_sparse(x) else rows_at(x, index)
    return chosen, rows_at(y, index), rows_at(weights, index)
