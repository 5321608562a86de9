"""Named activations leave the array that they are called with as it is."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

from mehler.exact.activations import ACTIVATIONS


@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize("name", ACTIVATIONS)
def test_the_argument_is_not_overwritten(name, library):
    pytest.importorskip(library)
    xp = importlib.import_module(f"array_api_compat.{library}")
    numbers = [[-2.0, -0.0, 0.5], [3.0, -1e-3, 0.0]]
    t = xp.asarray(numbers, dtype=xp.float64)
    values = np.asarray(ACTIVATIONS[name](xp, t))
    assert np.asarray(t).tolist() == numbers
    np.testing.assert_allclose(values, ACTIVATIONS[name].on_host(np.array(numbers)), atol=1e-15)
