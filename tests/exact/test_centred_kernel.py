"""The centred kernel is the integral of the collision probability from 0, without cancellation."""

from __future__ import annotations

import numpy as np
import pytest

from mehler import exact

RHO = np.array(
    [-1.0, -0.97, -0.6, -0.1, -1e-3, -1e-9, 0.0, 1e-12, 1e-5, 0.02, 0.4, 0.9, 0.999, 1.0]
)
NODES, WEIGHTS = np.polynomial.legendre.leggauss(200)


def integral(rho: float, q: int) -> float:
    """By a rule of another number of nodes, in the angle, of values that are right to 1e-13."""
    angle = np.pi / 2 + (np.arccos(rho) - np.pi / 2) * (1 + NODES) / 2
    kappa = exact.collision_probability(np.cos(angle), q)
    return float((kappa * np.sin(angle)) @ WEIGHTS * (np.pi / 2 - np.arccos(rho)) / 2)


@pytest.mark.parametrize("q", [1, 2, 3, 8, 100, 1000, 10**6])
def test_float64_is_right_in_units_of_the_correlation(q):
    values = exact.centred_kernel(RHO, q)
    for rho, value in zip(RHO.tolist(), values.tolist(), strict=True):
        # pi/2 - acos(rho) loses digits of a small rho; there the integrand is constant to 1e-4.
        if abs(rho) > 1e-4:
            assert abs(value - integral(rho, q)) <= 1e-13 * abs(rho)
        else:
            kappa = exact.collision_probability(0.0, q)
            assert abs(value - rho * kappa) <= 1e-13 * abs(rho) + rho**2
        assert exact.centred_kernel(rho, q) == pytest.approx(value, rel=1e-12, abs=0.0)
    assert exact.centred_kernel(0.0, q) == 0.0


@pytest.mark.parametrize("q", [1, 2, 3, 1000, 10**6])
def test_float32_is_right_in_units_of_the_correlation(q):
    rho = RHO.astype(np.float32)
    values = exact.centred_kernel(rho, q)
    assert values.dtype == np.float32
    wide = exact.centred_kernel(rho.astype(np.float64), q)
    assert np.all(np.abs(values - wide) <= 1e-6 * np.abs(rho))
    negative = (rho < 0) & (q <= 1000)
    assert np.all(np.abs(values - wide)[negative] <= 2e-4 * np.abs(wide)[negative])
