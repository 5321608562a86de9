"""The influence function's two inequalities, the root finder, and the power-sum enclosure."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mehler.verify._sources import power_sums
from mehler.verify.intervals._known_variance import CatoniPowerSums, crossing, psi, score

EPS = float(np.finfo(float).eps)

reals = st.floats(-1e6, 1e6, allow_nan=False)
clouds = arrays(np.float64, st.integers(5, 60), elements=st.floats(-100, 100, width=32))


@given(reals)
def test_influence_lies_between_the_logarithms_of_catoni(u):
    value = float(psi(np.float64(u)))
    slack = 4 * EPS * (1 + abs(value))
    # On the other side the argument is 1 - |u| + u^2/2 >= 1/2: no cancellation worth a bound.
    assert -math.log(1 - u + u * u / 2) - slack - EPS * u * u <= value
    assert value <= math.log(1 + u + u * u / 2) + slack + EPS * u * u


@given(clouds, st.floats(1e-3, 10), st.floats(-30, 30))
def test_crossing_finds_the_level(x, a, level):
    theta = crossing(x, a, level)
    total = score(x, theta, a)
    # |psi'| <= 1, so S moves by at most a n times the root's error, 1e-13/a + 4 eps |theta|;
    # S itself is summed with an error of n eps times its largest terms.
    reach = a * (np.abs(x).max() + abs(theta))
    assert abs(total - level) <= x.size * (2e-13 + 16 * EPS * (1 + reach))


@given(clouds, st.floats(1e-3, 0.3), st.floats(0.5, 30), st.floats(-50, 50))
def test_enclosure_contains_score_and_interval(x, a, level, theta):
    enclosure = CatoniPowerSums(x.size, power_sums(x[:, None]), np.array([a]))
    least, most = enclosure.score_range(np.array([theta]))
    total = score(x, theta, a)
    # Terms up to (a (|x| + |theta|))^3 cancel; the sum rounds each by a few eps.
    slack = 64 * EPS * x.size * (1 + a * (np.abs(x).max() + abs(theta))) ** 3
    assert least[0] - slack <= total <= most[0] + slack
    low, high = enclosure.interval(level)
    rounding = 1e-9 * (1 + np.abs(x).max())
    assert low[0] <= crossing(x, a, level) + rounding
    assert high[0] >= crossing(x, a, -level) - rounding
