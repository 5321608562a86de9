"""Bounds of arrays are the bounds of their entries, and errors name the entry."""

from __future__ import annotations

import inspect
import json

import array_api_strict as xp
import numpy as np
import pytest

from mehler.bounds import (
    group_invariant,
    kernel_error,
    kitchen_sinks,
    leverage,
    lower,
    margin,
    maxout,
    ridge,
    spectral,
)
from mehler.bounds._bound import Bound
from mehler.bounds._elementwise import NAMES

PAIR = {"n_features": [10, 1000], "delta": [0.1, 1e-6], "pool_size": [2, 8]}
RISK = {"scale": 1.0, "lipschitz": 1.0}
SET = {"n_inputs": 10, "dimension": 3, "diameter": 2.0}
SCORES = {"ridge": 1e-3, "degrees_of_freedom": 10.0}
DELTA = {"delta": [0.1, 1e-3]}
LEARNER = {"ridge": 0.1, "norm": 1.0, "noise": 0.3}
SPECTRUM = {"eigenvalues": np.array([3.0, 0.5, 0.5]), "sup": 2.0}

# Each function with all that it takes an array for, two values each; no bound is left out below.
CASES = [
    (kernel_error.one_pair, PAIR),
    # Another method is the smallest at each entry: "variance" and "tail", or "deviation".
    (kernel_error.one_pair, {"n_features": [1, 10**5], "delta": [0.5, 1e-9], "width": 4.0}),
    (kernel_error.all_pairs, {**PAIR, "n_rows": [5, 5000]}),
    (kernel_error.uniform, {"n_features": [100, 10**5], **DELTA, "pool_size": 4, **SET}),
    (
        kernel_error.uniform_by_slope,
        {
            **{"n_features": [100, 10**5], **DELTA, "dimension": 3, "diameter": 2.0},
            **{"slope": (1.25, 2.0), "width": 2.0},
        },
    ),
    (kernel_error.normal_quantile, {**PAIR, "n_pairs": [1, 7]}),
    (kitchen_sinks.approximation, {"n_features": [10, 50], **DELTA, "scale": 1.0}),
    (kitchen_sinks.approximation_risk, {"n_features": [10, 50], **DELTA, **RISK}),
    (kitchen_sinks.generalisation_gap, {"n_samples": [10, 50], **DELTA, **RISK}),
    (kitchen_sinks.excess_risk, {"n_features": [10, 50], "n_samples": [9, 10**6], **DELTA, **RISK}),
    (kitchen_sinks.approximation_greedy, {"n_features": [1, 100], "total_weight": 2.0}),
    (maxout.collision_probability, {"rho": 0.4, "pool_size": [1, 4, 300]}),
    (maxout.supremum, {"pool_size": 2, **DELTA, "mean_sup": 1.0}),
    (maxout.supremum_by_dimension, {"pool_size": [2, 4], **DELTA, **SET}),
    (
        maxout.approximation_by_dimension,
        {"n_features": [10, 200], "pool_size": 2, **DELTA, "scale": 0.3, **SET},
    ),
    (
        maxout.approximation_risk_by_dimension,
        {"n_features": [10, 200], "pool_size": 2, **DELTA, **RISK, **SET},
    ),
    (
        maxout.excess_risk_by_dimension,
        {"n_features": [10, 200], "n_samples": 9, "pool_size": 2, **DELTA, **RISK, **SET},
    ),
    (maxout.approximation, {"n_features": [10, 200], "pool_size": [2, 8], **DELTA, "scale": 0.3}),
    (
        maxout.approximation_risk,
        {"n_features": [10, 200], "pool_size": [2, 8], **DELTA, "scale": 0.3, "lipschitz": 2.0},
    ),
    (
        maxout.excess_risk,
        {"n_features": [10, 10**5], "n_samples": [5, 10**6], "pool_size": 4, **DELTA, **RISK},
    ),
    (
        group_invariant.theorem_1,
        {"n_inputs": [10, 40], "epsilon": [0.1, 0.3], "side": "below", "templates": "redraw"},
    ),
    (
        group_invariant.theorem_2,
        {
            **{"n_templates": [50, 2092], "n_bins": [5, 14], "n_points": [2, 12], **DELTA},
            **{"window": 1.3, "templates": "redraw"},
        },
    ),
    (
        group_invariant.theorem_2_templates,
        {
            **{"eps": [0.3, 0.5], "n_bins": 14, "n_points": [2, 12], "delta": 0.1},
            **{"window": 1.3, "templates": "redraw", "n_inputs": 40},
        },
    ),
    (
        group_invariant.theorem_2_sizes,
        {"eps": [0.3, 0.1], "n_points": [2, 12], **DELTA, "window": 1.3, "reach": 1.3**0.5},
    ),
    (
        group_invariant.theorem_3,
        {
            **{"n_samples": [10, 10**6], "n_templates": [10, 10**6], "n_bins": [5, 100]},
            **{**DELTA, "window": 1.0, **RISK},
        },
    ),
    (group_invariant.theorem_4, {"n_elements": [5, 50], **DELTA}),
    (
        group_invariant.lemma_4,
        {"n_templates": [10, 100], "n_bins": [5, 10], **DELTA, "window": 1.0, "scale": 1.0},
    ),
    (spectral.gram_error, {"n_features": [20, 10**4], **DELTA, **SPECTRUM, "ridge": 1.0}),
    (spectral.approximation, {"n_features": [20, 10**4], "norm": 1.0, **SPECTRUM}),
    (spectral.operator_error, {"n_features": [20, 10**4], **DELTA, **SPECTRUM}),
    (lower.one_pair, {**PAIR, "rho": 0.5}),
    (lower.one_pair, {"n_features": [20, 300], **DELTA, "collision": 0.3}),
    (lower.all_pairs, {**PAIR, "n_rows": [1, 50]}),
    (lower.uniform, {**PAIR, "dimension": 3}),
    (lower.collision_probability, {"rho": 0.4, "pool_size": [1, 4, 300]}),
    (lower.approximation, {"n_features": [10, 50], "pool_size": [1, 4], "scale": 2.0}),
    (lower.excess_risk, {"n_samples": [9, 500], "pool_size": [1, 4], **RISK}),
    (
        lower.gram_error_direction,
        {
            **{"n_features": [100, 10**4], "delta": [0.1, 0.01], "ridge": 1.0, "mean": 1.0},
            **{"variance": 2.0, "third": 3.1},
        },
    ),
    (
        lower.gram_error_rare,
        {
            **{"n_features": [100, 10**4], "delta": [0.1, 0.01], "ridge": 1.0, "own": 900.0},
            **{"mean": 1.0, "chance": 0.002},
        },
    ),
    (
        lower.gram_error_grid,
        {
            **{"n_features": [20, 200], "n_rows": 500, "delta": [0.5, 0.1], "ridge": 1.0},
            **{"spacing": 0.2, "gamma": 0.5},
        },
    ),
    (lower.gram_error, {"n_features": [1, 5], "ridge": 1.0, "eigenvalues": np.ones(3)}),
    (margin.error_rate, {"margins": np.array([0.5, 0.4, 0.8, -0.1]), **DELTA}),
    (margin.error_rate_separated, {"n_samples": [5, 10**6], **DELTA, "margin": 0.4}),
    (
        group_invariant.elements,
        {"n_elements": [3, 9], "n_inputs": [2, 5], **DELTA, "n_points": 4, "group_order": 12},
    ),
    (
        group_invariant.rotations,
        {"n_turns": 12, "n_inputs": [4, 64], "frequency": 3, "moves": 1.5, "slips": 0.1},
    ),
    (
        group_invariant.least_squares_risk,
        {"n_samples": [2, 50], "n_inputs": [4, 9], "n_fixed": 2, "noise": 0.5, "norm": 1.0},
    ),
    (
        ridge.excess_risk_clipped,
        {"n_samples": [5, 10**6], "ridge": 0.1, "norm": 1.0, "clip": 1.0, "degrees_of_freedom": 9},
    ),
    (ridge.excess_risk, {"n_features": [5, 10**6], **SPECTRUM, **LEARNER}),
    (leverage.approximation, {"n_features": [2, 6000], **DELTA, **SCORES}),
    (leverage.score_error, {"n_scored": [1000, 10**7], **DELTA, **SCORES}),
    (leverage.probability_error, {"n_scored": [10, 10**9], "pool_size": 100, **DELTA, **SCORES}),
    (
        leverage.score_ratio,
        {
            **{"n_scored": [5, 500], "pool_size": [10, 1000], "estimated": 10.0, "mix": 0.5},
            **{**DELTA, **SCORES},
        },
    ),
    (
        leverage.excess_risk,
        {
            **{"n_samples": [40, 400], "n_scored": [10**3, 10**7], "n_features": 25_000},
            **{"ridge": 1 / 400, "degrees_of_freedom": 10.0, "radius": 1.0, "lipschitz": 1.0},
            **{"pool_degrees": 10.0, "estimated": 10.0, "pool_size": 20_000, "delta": 0.03},
        },
    ),
]
IDS = [f"{f.__module__.split('.')[2]}.{f.__name__}" for f, _ in CASES]


def grid(given):
    """Arguments with an axis of its own for each list, and the scalars at each entry."""
    lists = {name: value for name, value in given.items() if isinstance(value, list)}
    axes = np.meshgrid(*lists.values(), indexing="ij", sparse=True)
    arrays = dict(zip(lists, axes, strict=True))
    shape = tuple(len(value) for value in lists.values())
    entries = {
        index: {name: lists[name][k] for name, k in zip(lists, index, strict=True)}
        for index in np.ndindex(*shape)
    }
    return shape, {**given, **arrays}, {k: {**given, **one} for k, one in entries.items()}


def at(value, index):
    """One entry of a value that is an array, or the same everywhere."""
    return value[index] if np.ndim(value) else value


@pytest.mark.parametrize(("function", "given"), CASES, ids=IDS)
def test_entries_are_the_bounds_of_scalars(function, given):
    shape, arrays, entries = grid(given)
    found = function(**arrays)
    for index, scalars in entries.items():
        expected = function(**scalars)
        if isinstance(expected, Bound):
            assert at(found.value, index) == expected.value
            assert at(found.total, index) == expected.total
            assert at(found.probability, index) == expected.probability
            assert at(found.trivial, index) == expected.trivial
            assert at(found.vacuous, index) == expected.vacuous
            terms = {t.name: at(t.value, index) for t in found.terms if at(t.value, index)}
            assert terms == {t.name: t.value for t in expected.terms if t.value}
            unmet = {one.text for one in found.assumptions if at(one.met, index) is False}
            assert unmet == {one.text for one in expected.unmet}
        elif isinstance(expected, tuple):
            assert tuple(column[index] for column in found) == tuple(expected)
        else:
            assert found.shape == shape
            assert found[index] == expected
    if isinstance(found, Bound):
        assert found.value.shape == shape
        json.dumps(found.to_dict(), allow_nan=False)
        assert found.statement in str(found)


def test_no_bound_is_left_out():
    """Every public function with such an argument is in the table.

    What a bound is told of a map is a dictionary, of one map.
    """
    tried = {function for function, _ in CASES}
    rooms = (
        *(group_invariant, kernel_error, kitchen_sinks, leverage, lower),
        *(margin, maxout, ridge, spectral),
    )
    for room in rooms:
        for name in room.__all__:
            one = getattr(room, name)
            if not inspect.isfunction(one) or one.__annotations__["return"] == "dict[str, Any]":
                continue
            if one is kitchen_sinks.feature_scale_maxout:
                continue
            if NAMES & inspect.signature(one).parameters.keys():
                assert one in tried, name


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"delta": [0.1, 1.5]}, ValueError, r"delta=1\.5 must be .* \(at entry \[1\] of"),
        ({"n_features": [[10], [0]], "delta": [0.1, 0.2]}, ValueError, r"n_features=0 .*\[1, 0\]"),
        (
            {"n_features": [10.5]},
            TypeError,
            r"n_features=10\.5 must .* \(at entry \[0\]",
        ),
        ({"delta": [0.1, np.nan]}, ValueError, r"delta=nan .*entry \[1\]"),
        ({"delta": []}, ValueError, "delta is empty"),
        ({"delta": ["0.1"]}, TypeError, "delta has dtype <U3: give numbers"),
        ({"n_features": [True]}, TypeError, "n_features has dtype bool: give numbers"),
        ({"delta": [[0.1], [0.1, 0.2]]}, ValueError, "delta is a ragged list"),
        (
            {"n_features": [1, 2, 3], "delta": [0.1, 0.2]},
            ValueError,
            r"shapes do not broadcast: n_features \(3,\), delta \(2,\)",
        ),
    ],
)
def test_errors_name_argument_and_entry(given, error, message):
    with pytest.raises(error, match=message):
        kernel_error.one_pair(**{"n_features": 10, "delta": 0.1, "width": 1.0, **given})


def test_a_missing_argument_is_named_with_its_function():
    with pytest.raises(TypeError, match="one_pair: missing a required argument: 'delta'"):
        kernel_error.one_pair(10, width=1.0)


def test_arrays_of_any_library_are_taken_and_numbers_of_numpy_are_numbers():
    expected = kernel_error.one_pair([10, 20], delta=0.1, width=1.0).value
    found = kernel_error.one_pair(xp.asarray([10, 20]), delta=0.1, width=1.0).value
    assert np.array_equal(found, expected)
    assert isinstance(kernel_error.one_pair(np.int64(10), delta=0.1, width=1.0).value, float)


def test_terms_of_arrays_cannot_be_written_to():
    term = kernel_error.one_pair([10, 20], delta=0.1, width=1.0).terms[0]
    with pytest.raises(ValueError, match="read-only"):
        term.value[0] = 0.0
