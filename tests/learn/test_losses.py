"""Losses keep the numbers that bounds take, and their envelopes are the lower hulls."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mehler.learn import _box_solver, losses
from tests.learn import audit

ALL = [losses.Hinge(), losses.Hinge(0.25), losses.Hinge(3.0), losses.Ramp(), losses.Hinge(math.inf)]
T = np.linspace(-12.0, 12.0, 240_001)


@pytest.mark.parametrize("loss", ALL, ids=repr)
def test_numbers_of_a_loss(loss):
    values = audit.clipped(loss.name, T, loss.bound)
    assert np.abs(loss(T) - values).max() <= 1e-15 * 12
    assert loss.at_zero == loss(np.zeros(1))[0]
    # The least Lipschitz constant; 1e-9 is rounding over 1e-4.
    for function in (loss, loss.surrogate):
        steepest = np.abs(np.diff(function(T)) / np.diff(T)).max()
        assert abs(steepest - loss.lipschitz) <= 1e-9


def envelope(loss, limit):
    return _box_solver.envelope(np.asarray([limit]), loss.lipschitz, loss.bound, 1e-15)


# Limits of every case, and where the cases meet.
LIMITS = st.one_of(
    st.floats(0.0, 10.0), st.sampled_from([0.0, 1e-300, 1e-9, 0.25, 0.5, 0.75, 1.0, 2.0, 1e6])
)


@given(loss=st.sampled_from(ALL), limit=LIMITS.filter(lambda limit: limit == 0.0 or limit > 1e-9))
def test_piecewise_linear_envelopes_are_hulls_of_corners(loss, limit):
    lines = audit.envelope_lines(loss.name, limit, loss.bound)
    t = np.linspace(-limit, limit, 101)
    hull = np.max([slope * t + offset for slope, offset in lines], axis=0)
    values = envelope(loss, limit).values(np, t)
    assert np.abs(values - hull).max() <= 1e-12 * (1 + limit)


@given(loss=st.sampled_from(ALL), limit=LIMITS)
def test_values_and_duals_meet(loss, limit):
    rows = envelope(loss, limit)
    t = np.linspace(-limit, limit, 101)
    theta = rows.maximiser(np, t)
    low = rows.clip(np, np.full_like(t, -1.0))
    assert np.all((low <= theta) & (theta <= rows.high))
    # Fenchel: no feasible theta gives more than the one that attains.
    for part in (0.0, 0.3, 1.0):
        point = low + part * (rows.high - low)
        less = rows.dual(np, point) - point * t
        assert np.all(less <= rows.values(np, t) + 1e-14 * (1 + limit))
