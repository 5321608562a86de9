"""Groups of features: scored by their sum, kept or dropped together."""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler import _arrays


def check_groups(groups: Any, n_columns: int) -> Any:
    """Return group labels 0 .. G-1 of the columns, on the host; one per column for None."""
    if groups is None:
        return np.arange(n_columns)
    labels = _arrays.to_host(groups)
    if labels.shape != (n_columns,) or labels.dtype.kind not in "iu":
        raise ValueError(
            f"groups must be {n_columns} integers, one label a feature, not an array of shape "
            f"{labels.shape} and dtype {labels.dtype}"
        )
    return np.unique(labels, return_inverse=True)[1].reshape(-1)


def members(labels: Any) -> list[Any]:
    """Return the column numbers of each group, in order."""
    order = np.argsort(labels, kind="stable")
    ends = np.cumsum(np.bincount(labels))[:-1]
    return np.split(order, ends)


def sum_groups(xp: Any, values: _arrays.Array, labels: Any) -> _arrays.Array:
    """Sum `values` (m,) over groups, by a table with one row per group, padded with 0."""
    n = values.shape[0]
    sizes = np.bincount(labels)
    if np.array_equal(labels, np.arange(n)):
        return values
    table = np.full((sizes.size, sizes.max()), n, dtype=np.int32)
    for row, columns in enumerate(members(labels)):
        table[row, : columns.size] = columns
    place = _arrays.place_of(values)
    padded = xp.concat([values, xp.zeros((1,), dtype=values.dtype, device=place.device)])
    indices = _arrays.from_host(table.reshape(-1), place)
    return xp.sum(xp.reshape(xp.take(padded, indices, axis=0), table.shape), axis=1)
