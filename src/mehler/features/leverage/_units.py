"""Units of a map: their columns, and which of them belong together."""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler import _arrays
from mehler.features._base import FeatureMap
from mehler.features.fourier import FourierFeatures
from mehler.features.invariant._invariant import GroupInvariantFeatures
from mehler.features.kitchen_sinks._kitchen_sinks import KitchenSinks
from mehler.features.maxout._codes import MaxoutCodes
from mehler.features.maxout._maxout import MaxoutFeatures

# Maps whose units can be computed separately, if their weights are one matrix.
_SEPARABLE = (FourierFeatures, KitchenSinks, MaxoutFeatures)


def require_pool(pool: Any) -> FeatureMap:
    """Raise unless `pool` is a map with real features."""
    if not isinstance(pool, FeatureMap) or isinstance(pool, MaxoutCodes):
        raise TypeError(
            f"pool must be a map of this library with real features, not "
            f"{type(pool).__name__}; draw one, for instance FourierFeatures.draw(...)"
        )
    return pool


def columns_of_units(pool: FeatureMap) -> Any:
    """Return column numbers, (units, columns per unit): one for a maxout unit, two for a pair."""
    columns = np.arange(pool.n_features)
    if isinstance(pool, FourierFeatures) and pool.form == "pairs":
        # All cosines come first.
        return columns.reshape(2, -1).T
    if isinstance(pool, GroupInvariantFeatures):
        return columns.reshape(pool.n_units, -1)
    return columns.reshape(-1, 1)


def natural_groups(pool: FeatureMap) -> Any:
    """Label the columns by unit, or by block of orthogonal directions."""
    columns = columns_of_units(pool)
    labels = np.empty(pool.n_features, dtype=np.int64)
    labels[columns] = (np.arange(columns.shape[0]) // _block(pool, columns.shape[0]))[:, None]
    return labels


def _block(pool: FeatureMap, n_units: int) -> int:
    """Return the units per block of orthogonal directions; 1 if there are none."""
    projection = getattr(pool, "_projection", None)
    near = projection and projection.orthogonal_pairs(pool.n_inputs, n_units)
    return near.dimension if near else 1


def separate(pool: FeatureMap, columns: Any) -> tuple[Any, Any] | None:
    """Return the units that can be computed alone for `columns`, and these columns in their order.

    None if the whole pool has to be computed.
    """
    if not isinstance(pool, _SEPARABLE) or not pool._projection.dense:
        return None
    of_units = columns_of_units(pool)
    kept = np.isin(of_units, columns)
    if not np.array_equal(kept.any(axis=1), kept.all(axis=1)):
        return None
    units = np.flatnonzero(kept.all(axis=1))
    return units, of_units[units].T.reshape(-1)


def require_groups(groups: Any, n_columns: int) -> Any:
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
