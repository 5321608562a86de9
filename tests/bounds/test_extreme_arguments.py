"""Bounds at the ends of what floats and counts hold: a number, infinity, or a refusal by name."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from mehler.bounds._function import REGISTRY
from tests.bounds.formulas import Arguments, rows

ROWS = rows()
# Where no bound from above is rounded to 0, and none from below to infinity.
ROUNDED = ("lower.", "margin.", "ridge.")
NUMBERS = (5e-324, 1e-300, 1e-160, 1e-20, 1e20, 1e160, 1e300, 1.7e308)
COUNTS = (1, 2, 10**6, 10**18)
PROBABILITIES = (1e-300, 1e-16, 1 - 1e-16)
SETTINGS = 24


def extremes(name: str, value: Any) -> tuple[Any, ...]:
    """Return what an argument may be at its ends; nothing for flags, words and arrays."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ()
    if isinstance(value, int):
        return COUNTS
    return PROBABILITIES if name in ("delta", "epsilon", "collision") else NUMBERS


def settings(name: str) -> list[Arguments]:
    """Return random arguments, of which one or two are extreme."""
    row, rng = ROWS[name], np.random.default_rng(0)
    found = []
    for i in range(SETTINGS):
        arguments = {**row.draw(rng), **row.branches[i % len(row.branches)]}
        ends = {key: extremes(key, value) for key, value in arguments.items()}
        keys = [key for key, values in ends.items() if values]
        for key in rng.choice(keys, size=min(len(keys), 1 + i % 2), replace=False):
            arguments[key] = ends[key][int(rng.integers(len(ends[key])))]
        if "block" in arguments:
            arguments["block"] = 1
        found.append(arguments)
    return found


@pytest.mark.parametrize("name", [name for name in ROWS if not name.startswith("printed.")])
def test_a_bound_is_a_number_or_refused(name):
    numbers = 0
    for arguments in settings(name):
        try:
            bound = REGISTRY[name](**arguments)
        except (TypeError, ValueError):
            continue
        numbers += 1
        values = [bound.value, bound.probability, *(term.value for term in bound.terms)]
        assert not any(math.isnan(value) for value in values), arguments
        if name.startswith(ROUNDED):
            bounds = 0 <= bound.value < math.inf if "lower" in name else 0 < bound.value
            assert bounds, arguments
    assert numbers > 0
