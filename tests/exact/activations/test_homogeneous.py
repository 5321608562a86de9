"""Homogeneous activations are what their values say, and no argument is written to.

The series, which is told nothing, is the second route.
"""

import dataclasses
import importlib

import numpy as np
import pytest

from mehler.exact import activation_kernel, activation_kernel_error
from mehler.exact.activations import ACTIVATIONS, Activation

RHO = np.array([-1.0, -0.8, -0.1, 0.0, 0.5, 0.9, 1.0])


def leaky(xp, t):
    return xp.where(t > 0.0, t, -0.2 * t)


CASES = {
    "abs": Activation("abs", lambda xp, t: xp.abs(t), degree=1),
    "sign": Activation("sign", lambda xp, t: xp.sign(t), degree=0),
    "leaky": Activation("leaky", leaky, degree=1),
    "cube": Activation("cube", lambda xp, t: t**3, degree=3),
    "half of a step": Activation("half", lambda xp, t: xp.astype(t < 0.0, t.dtype) - 0.5, degree=0),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("power", [1, 2, 3])
def test_against_the_series(name, power):
    a = CASES[name]
    alone = dataclasses.replace(a, degree=None)
    for scales in ((1.0, 1.0), (0.3, 2.5)):
        closed, series = (activation_kernel(f, RHO, *scales, power=power) for f in (a, alone))
        slack = sum(activation_kernel_error(f, RHO, *scales, power=power) for f in (a, alone))
        assert np.all(np.abs(closed - series) <= slack)


def test_a_name_lends_no_law():
    """A new function under any name has its own kernel."""
    activation = Activation("erf", lambda xp, t: xp.tanh(t))
    assert activation_kernel(activation, 0.5) == activation_kernel("tanh", 0.5)
    assert activation_kernel(activation, 0.5) != activation_kernel("erf", 0.5)


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
