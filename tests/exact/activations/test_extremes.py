"""Closed forms at rows of zeros, at huge rows, and at rows that are almost equal or opposite."""

import math

import mpmath
import numpy as np
import pytest

from mehler.exact import activation_kernel, activation_kernel_error
from mehler.exact.activations import Activation

# Correlations that are floating-point numbers themselves, so that gaps are theirs.
NEAR = [1 - 2.0**-52, 1 - 2.0**-40, 1 - 2.0**-27, 1 - 2.0**-10]


@pytest.mark.parametrize("name", ["erf", "sin", "cos", "tanh"])
def test_huge_rows_have_the_limit(name):
    """Saturated functions are signs, with kernel (2/pi) asin rho; waves forget each other."""
    rho = np.array([-1.0, -0.4, 0.0, 0.7, 1.0])
    value = activation_kernel(name, rho, 1e160, 1e160)
    error = activation_kernel_error(name, rho, 1e160, 1e160)
    signs = 2 / np.pi * np.arcsin(rho)
    ends = np.abs(rho) == 1
    waves = {"cos": ends / 2, "sin": ends * rho / 2}
    assert np.all(np.isfinite(value))
    assert np.max(np.abs(value - waves.get(name, signs)) - error) <= 0
    if name != "tanh":
        assert np.max(error) < 1e-13


@pytest.mark.parametrize("rho", [sign * r for r in NEAR for sign in (-1, 1)])
def test_closed_forms_near_the_ends_have_all_digits(rho):
    """Against the formulas in 60 digits; long rows make 1 - rho and 1 + rho visible."""
    for scale in (0.7, 30.0, 1e7):
        with mpmath.workdps(60):
            r, s = mpmath.mpf(rho), mpmath.mpf(scale)
            same, opposite = mpmath.exp(-s * s * (1 - r)), mpmath.exp(-s * s * (1 + r))
            truth = {
                "cos": (same + opposite) / 2,
                "sin": (same - opposite) / 2,
                "erf": 2 / mpmath.pi * mpmath.asin(2 * r * s**2 / (1 + 2 * s**2)),
                "step": (mpmath.pi - mpmath.acos(r)) / (2 * mpmath.pi),
            }
            for name, value in truth.items():
                ours = activation_kernel(name, rho, scale, scale)
                assert ours == pytest.approx(float(value), rel=1e-13, abs=1e-300), (name, scale)


@pytest.mark.parametrize("power", [1, 2])
def test_rows_of_zeros_have_the_value_at_zero(power):
    """Of step 0, of cos 1, and of a step that is 1 at 0, exactly; and none of the mean 1/2."""

    def heaviside(xp, t):
        return xp.astype(t >= 0.0, t.dtype)

    for f, centre in (("step", 0.0), ("cos", 1.0), (Activation("h", heaviside, degree=0), 1.0)):
        assert activation_kernel(f, 1.0, 0.0, 0.0, power=power) == centre
        value = activation_kernel(f, 0.3, 1.5, 0.0, power=power)
        # The mean of the function at the other row, from its product with itself at right angles.
        mean = activation_kernel(f, 0.0, 1.5, 1.5, power=power) ** 0.5
        assert value == pytest.approx(centre * mean, rel=1e-14)


@pytest.mark.parametrize("function", [lambda t: t >= 0, np.tanh, lambda t: np.cos(t) + t])
def test_the_series_knows_rows_of_zeros_too(function):
    centre = float(function(np.zeros(1))[0])
    assert activation_kernel(function, 1.0, 0.0, 0.0) == centre**2
    assert activation_kernel_error(function, 1.0, 0.0, 0.0) < 1e-300


def test_large_powers_are_moments_or_refused():
    """E relu(g)^64 = 63!!/2 twice at rho = 1, and E cos(g)^2p by its binomial sum."""
    moment = 0.5 * math.prod(range(1, 64, 2))
    assert activation_kernel("relu", 1.0, power=32) == pytest.approx(moment, rel=1e-12)
    p = 20
    truth = sum(math.comb(2 * p, k) * math.exp(-2.0 * (p - k) ** 2) for k in range(2 * p + 1))
    assert activation_kernel("cos", 1.0, power=p) == pytest.approx(truth / 4.0**p, rel=1e-12)


def test_powers_of_small_integers_do_not_wrap_around():
    """2^8 is 0 in eight bits."""
    steps = activation_kernel(lambda t: np.where(t > 0, 2, 0).astype(np.int8), 0.0, power=8)
    assert steps == pytest.approx((2.0**8 / 2.0) ** 2, rel=1e-12)


def test_one_huge_row_and_one_of_ordinary_length():
    """E erf(u) sign(v) = (2/pi) asin(rho s / sqrt(s^2 + 1/2)): erf of a huge row is its sign."""
    rho, s = np.array([-0.9, 0.2, 1.0]), 1.3
    truth = 2 / np.pi * np.arcsin(rho * s / np.sqrt(s * s + 0.5))
    assert activation_kernel("erf", rho, 1e160, s) == pytest.approx(truth, rel=1e-14)
