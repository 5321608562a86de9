"""Validate the arguments of the doubly stochastic gradient."""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler import _arrays
from mehler._arrays import Array
from mehler.features import FeatureMap, MaxoutCodes


def check_map_of_units(phi: Any) -> None:
    """Raise unless `phi` is a real-valued map whose units can be drawn alone."""
    if not isinstance(phi, FeatureMap) or isinstance(phi, MaxoutCodes):
        raise TypeError(
            f"phi is {type(phi).__name__}: units that are drawn alone have the maps of mehler "
            "with real features, for instance MaxoutFeatures.draw(..., stored=False)"
        )
    phi.unit_blocks()


def check_codes(targets: Array) -> None:
    """Raise unless rows are -1 with a single +1, in two columns or more."""
    codes = _arrays.to_host(targets)
    good = codes.shape[1] > 1 and np.isin(codes, (-1, 1)).all()
    if not good or not np.all(np.sum(codes == 1, axis=1) == 1):
        raise ValueError(
            "Y must be codes for loss='logistic', a column for each class, +1 in that of the row "
            "and -1 in the others: pass learn.one_vs_all(labels)[0]"
        )
