"""`_arrays.cosine_and_sine`: angles in turns on NumPy in float64, in radians elsewhere."""

import math

import mpmath
import numpy as np
import pytest

from mehler import _arrays
from mehler._arrays import _products


def cosines_and_sines(angles):
    """Return cosines and sines of one row of angles."""
    both = _arrays.cosine_and_sine(np, np.asarray(angles)[None, :], 1.0)
    return np.split(both[0], 2)


def test_all_digits_against_arbitrary_precision():
    rng = np.random.default_rng(0)
    angles = np.concatenate(
        [rng.standard_normal(2000) * 3, rng.uniform(-1e3, 1e3, 500), np.arange(-16, 17) / 8, [-0.0]]
    )
    assert _arrays.angle_unit(angles) == 1 / (2 * math.pi)
    cosines, sines = cosines_and_sines(angles)
    with mpmath.workdps(30):
        for values, function in ((cosines, mpmath.cos), (sines, mpmath.sin)):
            exact = np.array([float(function(2 * mpmath.pi * float(t))) for t in angles])
            # A polynomial of 11 terms, each rounded.
            assert np.abs(values - exact).max() < 1e-15
    assert np.array_equal(_arrays.cosine(np, angles[None, :], 1.0)[0], cosines)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(3, 5), (1, 1), (200, 300), (2, _products._TILE + 1)])
def test_any_memory_order(shape, dtype):
    x = np.random.default_rng(1).standard_normal(shape).astype(dtype)
    before = x.copy()
    both = _arrays.cosine_and_sine(np, x, 0.5)
    assert both.shape == (shape[0], 2 * shape[1])
    assert both.dtype == dtype
    radians = x.astype(float) * (1.0 if dtype == "float32" else 2 * math.pi)
    expected = 0.5 * np.hstack([np.cos(radians), np.sin(radians)])
    assert np.abs(both - expected).max() < 8 * np.finfo(dtype).eps
    for view in (np.asfortranarray(x), np.repeat(x, 2, axis=1)[:, ::2], x[::-1][::-1]):
        assert np.array_equal(_arrays.cosine_and_sine(np, view, 0.5), both)
        assert np.array_equal(_arrays.cosine(np, view, 0.5), both[:, : shape[1]])
    assert np.array_equal(x, before)
