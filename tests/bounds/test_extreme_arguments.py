"""Bounds at the ends of what floats and counts hold: a number, infinity, or a refusal by name."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from mehler.bounds._function import REGISTRY
from tests.bounds.formulas import Arguments, rows

ROWS = rows()
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
    drawn = []
    for i in range(SETTINGS):
        arguments = {**row.draw(rng), **row.branches[i % len(row.branches)]}
        ends = {key: extremes(key, value) for key, value in arguments.items()}
        keys = [key for key, values in ends.items() if values]
        for key in rng.choice(keys, size=min(len(keys), 1 + i % 2), replace=False):
            arguments[key] = ends[key][int(rng.integers(len(ends[key])))]
        if "block" in arguments:
            arguments["block"] = 1
        drawn.append(arguments)
    return drawn


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", [name for name in ROWS if not name.startswith("printed.")])
def test_a_bound_is_a_number_or_refused(name):
    """No bound from above is rounded to 0, and none from below to infinity."""
    numbers = 0
    for arguments in settings(name):
        try:
            bound = REGISTRY[name](**arguments)
        except (TypeError, ValueError):
            continue
        numbers += 1
        values = [bound.value, bound.probability, *(term.value for term in bound.terms)]
        assert not any(math.isnan(value) for value in values), arguments
        if name.startswith("lower."):
            assert 0 <= bound.value < math.inf, arguments
        elif name != "group_invariant.kernel_bias":
            zeros = [key for key, value in arguments.items() if np.ndim(value) == 0 and value == 0]
            zero = zeros or all(term.formula == "0" for term in bound.terms)
            assert bound.value > 0 or zero, arguments
    assert numbers > 0


@pytest.mark.parametrize("templates", ["zero", "redraw"])
@pytest.mark.parametrize("epsilon", [1e-9, 0.3, 40.0, 1e6])
def test_the_bias_below_is_never_negative(templates, epsilon):
    """Templates that are drawn again lose no mass, and few of them are at a large margin."""
    for n_inputs in (2, 40, 10**6):
        arguments = {"epsilon": epsilon, "templates": templates}
        below = REGISTRY["group_invariant.kernel_bias"](n_inputs, side="below", **arguments)
        assert below.total >= 0
        assert (below.total == 0) == (templates == "redraw")
        if templates == "redraw":
            above = REGISTRY["group_invariant.kernel_bias"](n_inputs, side="above", **arguments)
            assert above.total > 0


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("kernel_error.one_pair", {"n_features": 10**18, "delta": 0.1, "variance": 5e-324}),
        (
            "kitchen_sinks.approximation",
            {"n_features": 1, "scale": 1e-200, "feature_scale": 1e-200},
        ),
        ("leverage.approximation", {"n_features": 10**6, "ridge": 5e-324, "norm": 1e-9}),
    ],
)
def test_what_underflows_is_refused(name, arguments):
    others = {"delta": 0.1}
    if name.startswith("leverage"):
        others["degrees_of_freedom"] = 2.0
    with pytest.raises(ValueError, match=r"other units|to be squared"):
        REGISTRY[name](**{**others, **arguments})
