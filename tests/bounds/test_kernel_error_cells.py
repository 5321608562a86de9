"""What holds psi_rho between the correlations at which it is computed: derivatives, by differences.

The expectations of q = 2 come from `pair_of_two`, a route without the joint density.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from mehler import exact
from mehler.bounds.kernel_error import _exponent
from tests.bounds.test_kernel_error_exponent import pair_of_two

AT = np.array([0.05, 0.2, 0.35, 0.45])


def test_slope_bounds_the_derivative():
    """Finite differences in the correlation against the bound that the cells use."""
    for q in (2, 8):
        at = _exponent._GRID
        slope = _exponent.derivative(q, at, _exponent._square_excess(at, q))
        for rho in (-0.8, -0.2, 0.3, 0.8, 0.99):
            left, right = (_exponent.at_correlation(q, rho + h, shared=True) for h in (-1e-3, 1e-3))
            for name in ("upper", "lower"):
                change = np.abs(getattr(right, name) - getattr(left, name)) / 2e-3
                assert np.all(change <= slope)


def growth(q: int, rho: float, t: float, h: float = 1e-3) -> float:
    """d/drho E exp(t F), by the exponents on both sides."""
    values = []
    for entry in (rho - h, rho + h):
        if q == 2:
            values.append(pair_of_two(entry, t))
            continue
        result = _exponent.at_correlation(q, entry, shared=True)
        psi = np.interp(abs(t), result.at, result.upper if t > 0 else result.lower)
        values.append(math.exp(psi + t * float(exact.maxout_kernel(entry, q))))
    return (values[1] - values[0]) / (2 * h)


@pytest.mark.parametrize("q", [2, 16])
@pytest.mark.parametrize("rho", [-0.9, -0.5, 0.0, 0.6])
@pytest.mark.sampled(3)
def test_expectations_change_as_little_as_the_cells_take(q, rho):
    kappa = float(exact.collision_probability(rho + 1e-3, q))
    for t in _exponent._GRID[-30::6]:
        least = -t * math.exp(-2) * kappa
        assert growth(q, rho, t) >= least - 1e-6
        assert growth(q, rho, -t) <= -least + 1e-6


def test_the_growth_down_to_opposite_rows():
    """q = 2: from -0.9 to -0.99 by quadrature, to -1 by F = -max min = -g_1 g_2."""
    for t in AT:
        start = pair_of_two(-0.9, -t)
        for rho in (-0.95, -0.99):
            assert pair_of_two(rho, -t) - start <= float(_exponent.to_opposite(2, t, -0.9))
        end = (1 - t * t) ** -0.5
        assert 0 < end - start <= float(_exponent.to_opposite(2, t, -0.9))


def test_a_cell_of_two_ends_holds_what_is_inside():
    """Three correlations only: cells so wide that each of their bounds is seen to be needed."""
    rho = np.array([1.0, 0.3, -0.6])
    at = _exponent._GRID[-40:]
    for q in (2, 8):
        ends = [_exponent.at_correlation(q, float(entry), shared=True) for entry in rho]
        upper = np.array([end.upper[-40:] for end in ends])
        lower = np.array([end.lower[-40:] for end in ends])
        simple = _exponent._square_excess(at, q)
        result = _exponent.supremum(q, at, rho, upper, lower, simple)
        for inside in (-0.9, -0.4, 0.0, 0.7, 0.9, 0.99):
            entry = _exponent.at_correlation(q, inside, shared=True)
            assert np.all(entry.upper[-40:] <= result[0])
            assert np.all(entry.lower[-40:] <= result[1])


def test_the_last_cell_holds_what_is_larger_than_its_end():
    """The lower exponent of q = 4 grows towards opposite rows, where no end is computed."""
    rho, q = np.array([-0.4, -0.6]), 4
    at = _exponent._GRID[-12:]
    ends = [_exponent.at_correlation(q, float(entry), shared=True) for entry in rho]
    upper = np.array([end.upper[-12:] for end in ends])
    lower = np.array([end.lower[-12:] for end in ends])
    result = _exponent.supremum(q, at, rho, upper, lower, _exponent._square_excess(at, q))
    inside = _exponent.at_correlation(q, -0.95, shared=True).lower[-12:]
    assert np.any(inside > lower.max(axis=0))
    assert np.all(inside <= result[1])


# -- planted defects: each must be seen by a test above -------------------------------------------

OPPOSITE, DERIVATIVE, SUPREMUM = _exponent.to_opposite, _exponent.derivative, _exponent.supremum


def of_the_ends(q, at, rho, upper, lower, simple):
    """As if nothing happened between two correlations."""
    return upper.max(axis=0), lower.max(axis=0)


@pytest.mark.parametrize(
    ("name", "plant", "check"),
    [
        (
            "to_opposite",
            lambda *setting: 0.0 * OPPOSITE(*setting),
            "the_growth_down_to_opposite_rows",
        ),
        ("derivative", lambda *setting: 0.1 * DERIVATIVE(*setting), "slope_bounds_the_derivative"),
        ("supremum", of_the_ends, "the_last_cell_holds_what_is_larger_than_its_end"),
    ],
)
def test_planted_defects_are_caught(name, plant, check, monkeypatch):
    monkeypatch.setattr(_exponent, name, plant)
    with pytest.raises(AssertionError):
        globals()[f"test_{check}"]()
