"""Losses keep the numbers that bounds take, and their envelopes are the lower hulls."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mehler.learn import losses
from tests.learn import audit

ALL = [
    losses.Hinge(),
    losses.Hinge(0.25),
    losses.Hinge(3.0),
    losses.Ramp(),
    losses.Logistic(),
    losses.Logistic(0.4),
    losses.Logistic(5.0),
    losses.Hinge(math.inf),
    losses.Logistic(math.inf),
]
T = np.linspace(-12.0, 12.0, 240_001)


@pytest.mark.parametrize("loss", ALL, ids=repr)
def test_values_are_the_clipped_ones(loss):
    values = audit.clipped(loss.name, T, loss.bound)
    assert np.abs(loss(T) - values).max() <= 1e-15 * 12
    assert loss.at_zero == loss(np.zeros(1))[0]
    assert loss(T).max() <= loss.bound


@pytest.mark.parametrize("loss", ALL, ids=repr)
def test_lipschitz_constants_are_the_least(loss):
    steepest = np.abs(np.diff(loss(T)) / np.diff(T)).max()
    # A chord is not steeper than the curve, and as steep to the first order of its length; the
    # unclipped logistic loss reaches its constant at infinity only. 1e-9: rounding over 1e-4.
    assert steepest <= loss.lipschitz + 1e-9
    assert steepest >= loss.lipschitz - 1e-4
    assert np.abs(np.diff(loss.surrogate(T)) / np.diff(T)).max() <= loss.surrogate_lipschitz + 1e-9


def test_constants_of_the_papers_losses():
    assert (losses.Hinge().lipschitz, losses.Hinge().at_zero, losses.Hinge().bound) == (1, 1, 1)
    assert (losses.Ramp().lipschitz, losses.Ramp().at_zero, losses.Ramp().bound) == (0.5, 0.5, 1)
    logistic = losses.Logistic()
    assert abs(logistic.lipschitz - (1 - 1 / math.e)) <= 1e-16
    assert abs(logistic.at_zero - math.log(2)) <= 1e-16


def envelope(loss, limit):
    return loss.envelope(np.asarray([limit]), loss.bound, 1e-15)


# Limits of every case, and where the cases meet.
LIMITS = st.one_of(
    st.floats(0.0, 10.0), st.sampled_from([0.0, 1e-300, 1e-9, 0.25, 0.5, 0.75, 1.0, 2.0, 1e6])
)


@given(
    loss=st.sampled_from([one for one in ALL if one.name != "logistic"]),
    limit=LIMITS.filter(lambda limit: limit == 0.0 or limit > 1e-9),
)
def test_piecewise_linear_envelopes_are_hulls_of_corners(loss, limit):
    lines = audit.envelope_lines(loss.name, limit, loss.bound)
    t = np.linspace(-limit, limit, 101)
    hull = np.max([slope * t + offset for slope, offset in lines], axis=0)
    values = envelope(loss, limit).values(np, t)
    assert np.abs(values - hull).max() <= 1e-12 * (1 + limit)


@given(loss=st.sampled_from([one for one in ALL if one.name == "logistic"]), limit=LIMITS)
def test_logistic_envelopes_are_hulls_of_many_points(loss, limit):
    t = np.linspace(-limit, limit, 2001)
    clipped = audit.clipped("logistic", t, loss.bound)
    values = envelope(loss, limit).values(np, t)
    # Below the loss everywhere; and below no more than the hull of points is above the envelope:
    # a chord over a step lies at most step^2 / 32 above a curve of second derivative 1/4 or less.
    assert np.all(values <= clipped + 1e-14 * (1 + limit))
    hull = hull_values(t, clipped)
    assert np.all(values >= hull - (limit / 1000) ** 2 / 32 - 1e-13 * (1 + limit))


def hull_values(t, v):
    if t[0] == t[-1]:
        return v
    lines = audit.lower_hull(t, v)
    return np.max([slope * t + offset for slope, offset in lines], axis=0)


@given(loss=st.sampled_from(ALL), limit=LIMITS)
def test_values_and_duals_meet(loss, limit):
    rows = envelope(loss, limit)
    t = np.linspace(-limit, limit, 101)
    theta = rows.maximiser(np, t)
    assert np.all(theta >= rows.low)
    assert np.all(theta <= rows.high)
    # Fenchel: no feasible theta gives more than the one that attains.
    for part in (0.0, 0.3, 1.0):
        other = rows.low + part * (rows.high - rows.low)
        # The entropy of a number that is rounded to within u errs by u log(1 / u) < 1e-14.
        less = rows.dual(np, other) - other * t
        assert np.all(less <= rows.values(np, t) + 1e-14 * (1 + limit))


@pytest.mark.parametrize("bound", [0, -1.0, math.nan, True, "1", None])
def test_bounds_are_numbers_above_zero(bound):
    with pytest.raises(ValueError, match=r"not a number above 0; use math\.inf"):
        losses.Hinge(bound)


def test_losses_are_values():
    assert losses.Hinge(2) == losses.Hinge(2.0) != losses.Ramp(2.0)
    assert str(losses.Ramp()) == "ramp in [0, 1]"
    assert str(losses.Logistic(math.inf)) == "logistic"
