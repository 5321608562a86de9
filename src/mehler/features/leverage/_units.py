"""Units of a map: their columns, and which of them belong together."""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler.features._base import FeatureMap
from mehler.features.fourier._fourier import FourierFeatures
from mehler.features.invariant._invariant import GroupInvariantFeatures
from mehler.features.kitchen_sinks._kitchen_sinks import KitchenSinks
from mehler.features.maxout._codes import MaxoutCodes
from mehler.features.maxout._maxout import MaxoutFeatures

# Maps whose units can be computed separately, if their weights are one matrix.
_SEPARABLE = (FourierFeatures, KitchenSinks, MaxoutFeatures)


def check_pool(pool: Any) -> FeatureMap:
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
