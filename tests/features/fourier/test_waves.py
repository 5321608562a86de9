"""Cosines and sines of many angles, in turns on NumPy in float64."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest

from mehler import _arrays
from mehler._arrays import _waves


def test_waves_in_arbitrary_precision():
    rng = np.random.default_rng(0)
    angles = np.concatenate(
        [rng.standard_normal(2000) * 3, rng.uniform(-1e3, 1e3, 500), np.arange(-16, 17) / 8, [-0.0]]
    )
    assert _arrays.angle_unit(angles) == 1 / (2 * math.pi)
    cosines, sines = _arrays.cosine_and_sine(np, angles)
    with mpmath.workdps(30):
        for ours, function in ((cosines, mpmath.cos), (sines, mpmath.sin)):
            exact = np.array([float(function(2 * mpmath.pi * float(t))) for t in angles])
            # A polynomial of 11 terms, each rounded.
            assert np.abs(ours - exact).max() < 1e-15
    assert np.array_equal(_arrays.cosine(np, angles), cosines)


def test_special_angles():
    quarter = np.array([0.0, 0.25, 0.5, 0.75, -0.25, 1e15])
    cosines, sines = _arrays.cosine_and_sine(np, quarter)
    assert np.abs(cosines - [1, 0, -1, 0, 0, 1]).max() < 4e-16
    assert np.abs(sines - [0, 1, 0, -1, -1, 0]).max() < 4e-16


@pytest.mark.parametrize("shape", [(3, 5), (1, 1), (200, 300), (_waves._TILE + 1, 1)])
def test_any_memory_order(shape):
    x = np.random.default_rng(1).standard_normal(shape)
    cosines, sines = _arrays.cosine_and_sine(np, x)
    for view in (np.asfortranarray(x), np.repeat(x, 2, axis=1)[:, ::2]):
        again = _arrays.cosine_and_sine(np, view)
        assert np.array_equal(again[0], cosines)
        assert np.array_equal(again[1], sines)
    assert np.array_equal(_arrays.cosine(np, np.asfortranarray(x)), cosines)
    assert np.array_equal(x, np.random.default_rng(1).standard_normal(shape))


def test_float32_and_other_libraries_take_radians():
    import array_api_strict as strict

    narrow = np.array([0.3, 2.0], dtype=np.float32)
    assert _arrays.angle_unit(narrow) == 1.0
    assert _arrays.cosine(np, narrow).dtype == np.float32
    assert np.array_equal(_arrays.cosine_and_sine(np, narrow)[1], np.sin(narrow))
    assert _arrays.angle_unit(strict.asarray([0.3])) == 1.0
