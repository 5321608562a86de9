"""Panels: they tile what they split, close in on jumps, and give up on noise."""

from __future__ import annotations

import numpy as np
import pytest

from mehler.exact import activation_kernel, activation_kernel_error
from mehler.exact.activations import _panels


def split(function, low=0.5, high=0.75):
    """Leaves of one panel, for a function of g > 0 that is 0 on the other side."""

    def sample(which, g):
        return function(g), 0.0 * g

    one = np.zeros(1, dtype=np.int64)
    return _panels.refined(sample, one, np.array([low]), np.array([high]), np.ones(1))


@pytest.mark.parametrize("at", [0.5 + 1e-9, 0.6, 0.7321, 0.75 - 1e-9])
def test_a_jump_is_closed_in_on(at):
    leaves = split(lambda g: (g > at).astype(float))
    assert leaves.low[0] == 0.5
    assert leaves.high[-1] == 0.75
    assert np.array_equal(leaves.high[:-1], leaves.low[1:])
    (jump,) = np.flatnonzero(leaves.jump)
    assert leaves.low[jump] <= at <= leaves.high[jump]
    # A panel that is 8 eps wide, at most, after 2 + log2(1/(8 eps)) bisections of one of 1/4.
    assert leaves.high[jump] - leaves.low[jump] <= 8 * np.finfo(float).eps
    assert leaves.scale.size <= 52


def test_a_jump_between_halves_needs_no_panel_of_its_own():
    leaves = split(lambda g: (g > 0.625).astype(float))
    assert leaves.high.tolist() == [0.625, 0.75]
    assert not np.any(leaves.jump)


@pytest.mark.parametrize("ats", [(0.55, 0.7), (0.6, 0.6 + 1e-7), (0.51, 0.6, 0.61, 0.74)])
def test_every_jump_has_a_panel_of_its_own(ats):
    leaves = split(lambda g: sum((g > at).astype(float) for at in ats))
    assert np.array_equal(leaves.high[:-1], leaves.low[1:])
    for at in ats:
        holds = (leaves.low <= at) & (at <= leaves.high)
        assert np.min((leaves.high - leaves.low)[holds]) < 1e-7
    # What they lose, by their own account, is less than rounding times the jumps.
    mass = np.sum((leaves.deviation * leaves.mass)[leaves.jump])
    assert mass < 1e-6 if min(np.diff(ats)) < 1e-6 else mass < 1e-13


def test_a_smooth_panel_stays_whole():
    assert split(np.exp).scale.size == 1


@pytest.mark.parametrize("function", [np.tanh, lambda t: np.maximum(t, 0)])
def test_a_function_of_lower_precision_is_not_chased(function):
    """Its rounding is no kink: the error says so, and the work stays that of a kink."""
    count = 0

    def rounded(t):
        nonlocal count
        count += t.size
        return function(t.astype(np.float32)).astype(float)

    value = activation_kernel(rounded, 0.5, np.linspace(0.5, 2.0, 50), 1.3)
    few = count
    error = activation_kernel_error(rounded, 0.5, np.linspace(0.5, 2.0, 50), 1.3)
    truth = activation_kernel(function, 0.5, np.linspace(0.5, 2.0, 50), 1.3)
    # Rounding of the function, 6e-8 of values up to 14 times the scale, is not the kernel's error.
    assert np.max(np.abs(value - truth) - error) < 2e-7
    assert np.max(error) < 1e-5
    assert few < 51 * 10 * 2 * (_panels.POINTS + _panels.FINER) * _panels.N_PANELS


def test_interpolation_is_exact_for_what_it_should_be():
    """Polynomials of degree 15 from 16 points; the finer rule integrates them as the coarse."""
    x, w = _panels.points(_panels.POINTS)
    y, v = _panels.points(_panels.FINER)
    for degree in (0, 1, 7, 15):
        assert x**degree @ _panels.interpolation() == pytest.approx(y**degree, abs=1e-12)
        assert w @ x**degree == pytest.approx(1 / (degree + 1), rel=1e-14)
        assert v @ y**degree == pytest.approx(1 / (degree + 1), rel=1e-14)
