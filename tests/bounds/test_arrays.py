"""Bounds of arrays are the bounds of their entries, and errors name the entry."""

from __future__ import annotations

import array_api_strict as xp
import numpy as np
import pytest

from mehler.bounds import kernel_error, lower, spectral
from mehler.bounds._bound import Bound

PAIR = {"n_features": [10, 1000], "delta": [0.1, 1e-6], "pool_size": [2, 8]}
SET = {"n_inputs": 10, "dimension": 3, "diameter": 2.0}
DELTA = {"delta": [0.1, 1e-3]}
SPECTRUM = {"eigenvalues": np.array([3.0, 0.5, 0.5]), "sup": 2.0}

# Those whose terms differ from entry to entry; `test_formulas` has arrays of all bounds.
CASES = [
    (kernel_error.one_pair, PAIR),
    # Another method is the smallest at each entry: "variance" and "tail", or "deviation".
    (kernel_error.one_pair, {"n_features": [1, 10**5], "delta": [0.5, 1e-9], "width": 4.0}),
    (kernel_error.all_pairs, {**PAIR, "n_rows": [5, 5000]}),
    (kernel_error.uniform, {"n_features": [100, 10**5], **DELTA, "pool_size": 4, **SET}),
    (spectral.gram_error, {"n_features": [20, 10**4], **DELTA, **SPECTRUM, "ridge": 1.0}),
    (spectral.approximation, {"n_features": [20, 10**4], "norm": 1.0, **SPECTRUM}),
    (spectral.gram_error, {"n_features": [20, 10**4], **DELTA, **SPECTRUM}),
    (lower.one_pair, {**PAIR, "rho": 0.5}),
    (lower.one_pair, {"n_features": [20, 300], **DELTA, "collision": 0.3}),
]
IDS = [f"{f.__module__.split('.')[2]}.{f.__name__}" for f, _ in CASES]


def grid(options):
    """Arguments with an axis of its own for each list, and the scalars at each entry."""
    lists = {name: value for name, value in options.items() if isinstance(value, list)}
    axes = np.meshgrid(*lists.values(), indexing="ij", sparse=True)
    arrays = dict(zip(lists, axes, strict=True))
    shape = tuple(len(value) for value in lists.values())
    entries = {
        index: {name: lists[name][k] for name, k in zip(lists, index, strict=True)}
        for index in np.ndindex(*shape)
    }
    return shape, {**options, **arrays}, {k: {**options, **item} for k, item in entries.items()}


def at(value, index):
    """One entry of a value that is an array, or the same everywhere."""
    return value[index] if np.ndim(value) else value


@pytest.mark.parametrize(("function", "options"), CASES, ids=IDS)
def test_entries_are_the_bounds_of_scalars(function, options):
    shape, arrays, entries = grid(options)
    result = function(**arrays)
    for index, scalars in entries.items():
        expected = function(**scalars)
        if isinstance(expected, Bound):
            assert at(result.value, index) == expected.value
            assert at(result.total, index) == expected.total
            assert at(result.probability, index) == expected.probability
            assert at(result.trivial, index) == expected.trivial
            assert at(result.vacuous, index) == expected.vacuous
            terms = {t.name: at(t.value, index) for t in result.terms if at(t.value, index)}
            assert terms == {t.name: t.value for t in expected.terms if t.value}
            unmet = {item.text for item in result.assumptions if at(item.fails, index)}
            assert unmet == {item.text for item in expected.unmet}
        elif isinstance(expected, tuple):
            assert tuple(column[index] for column in result) == tuple(expected)
        else:
            assert result.shape == shape
            assert result[index] == expected
    if isinstance(result, Bound):
        assert result.value.shape == shape
        assert result.statement in str(result)


def test_arrays_of_any_library_are_taken_and_numbers_of_numpy_are_numbers():
    expected = kernel_error.one_pair([10, 20], delta=0.1, width=1.0).value
    result = kernel_error.one_pair(xp.asarray([10, 20]), delta=0.1, width=1.0).value
    assert np.array_equal(result, expected)
    assert isinstance(kernel_error.one_pair(np.int64(10), delta=0.1, width=1.0).value, float)


def test_terms_of_arrays_cannot_be_written_to():
    term = kernel_error.one_pair([10, 20], delta=0.1, width=1.0).terms[0]
    with pytest.raises(ValueError, match="read-only"):
        term.value[0] = 0.0
