"""Stated errors hold where functions jump and bend, wherever that is.

Truths are probabilities of two correlated Gaussians above two levels, by an integral over the
angle, which knows nothing of Hermite polynomials or of panels.
"""

import math

import numpy as np
import pytest
from scipy import special

from mehler.exact import activation_kernel, activation_kernel_error

# Of the truth: a few operations on numbers of size 1.
ROUNDING = 2e-15


def above(h, k, rho):
    r"""P(g > h, g' > k) = Q(h)Q(k) + the integral of the density over correlations from 0 to rho.

    With the correlation sin t, on panels that halve towards rho, where the integrand may turn
    sharply; arrays of one shape.
    """
    h, k, rho = (np.asarray(v, dtype=float)[..., None] for v in np.broadcast_arrays(h, k, rho))
    x, w = np.polynomial.legendre.leggauss(60)
    ends = np.append(1 - 0.5 ** np.arange(36), 1.0)
    share = (ends[:-1, None] + np.diff(ends)[:, None] * (1 + x) / 2).ravel()
    weight = (np.diff(ends)[:, None] * w / 2).ravel()
    angle = np.arcsin(rho)
    sine, cosine = np.sin(angle * share), np.cos(angle * share)
    density = np.exp(-(h * h + k * k - 2 * h * k * sine) / (2 * cosine**2))
    both = special.ndtr(-h) * special.ndtr(-k)
    return both[..., 0] + (density @ weight) * angle[..., 0] / (2 * np.pi)


def thresholds(seed, n):
    """Levels, scales and correlations: of all sizes, a third of them near the ends."""
    rng = np.random.default_rng(seed)
    scales = 10 ** rng.uniform(-1.5, 1.5, (2, n))
    rho = rng.uniform(-1, 1, n)
    near = np.sign(rng.normal(size=n)) * (1 - 10 ** rng.uniform(-6, -1, n))
    return scales[0], scales[1], np.where(np.arange(n) % 3 == 0, near, rho)


@pytest.mark.slow
@pytest.mark.parametrize("level", [-3.1, -0.37, -6e-10, 1e-17, 0.0, 1e-4, 0.25, 0.7, 1.9, 20.0])
@pytest.mark.sampled(2)
def test_the_stated_error_of_a_threshold_is_never_exceeded(level):
    """400 levels of a standard normal each, as the level over the scale: 4000 in all."""
    sx, sy, rho = thresholds(int(1e6 * abs(level)), 400)

    def unit(t):
        return t > level

    value = activation_kernel(unit, rho, sx, sy)
    error = activation_kernel_error(unit, rho, sx, sy)
    off = np.abs(value - above(level / sx, level / sy, rho))
    assert np.max(off - error) <= ROUNDING
    # And it promises something: away from the ends it is rounding.
    assert np.max(error[np.abs(rho) < 0.9]) < 1e-12


def test_many_jumps_at_once():
    """A staircase is a sum of thresholds, and its moments are sums of theirs."""
    levels = np.array([-1.5, -0.5, 0.3, 0.35, 2.0])
    sx, sy, rho = thresholds(5, 100)

    def stairs(t):
        return sum((t > level).astype(float) for level in levels)

    value = activation_kernel(stairs, rho, sx, sy)
    error = activation_kernel_error(stairs, rho, sx, sy)
    truth = sum(above(a / sx, b / sy, rho) for a in levels for b in levels)
    assert np.max(np.abs(value - truth) - error) <= 25 * ROUNDING
    assert np.max(error[np.abs(rho) < 0.9]) < 1e-10


@pytest.mark.parametrize("level", [-0.8, 0.0, 0.43])
def test_a_kink_anywhere(level):
    """E (u - c)_+ (v - c)_+ grows with the correlation as s_x s_y times the chance of both."""
    sx, sy, rho = thresholds(6, 40)
    x, w = np.polynomial.legendre.leggauss(60)
    share, weight = (1 + x) / 2, w / 2

    def mean(s):
        return s * np.exp(-0.5 * (level / s) ** 2) / math.sqrt(math.tau) - level * special.ndtr(
            -level / s
        )

    # In the angle, where the chance is smooth up to the ends.
    angle = np.arcsin(rho)[:, None] * share
    chance = above((level / sx)[:, None], (level / sy)[:, None], np.sin(angle)) * np.cos(angle)
    truth = mean(sx) * mean(sy) + sx * sy * np.arcsin(rho) * (chance @ weight)

    def unit(t):
        return np.maximum(t - level, 0.0)

    value = activation_kernel(unit, rho, sx, sy)
    error = activation_kernel_error(unit, rho, sx, sy)
    size = np.maximum(sx, abs(level)) * np.maximum(sy, abs(level))
    assert np.max((np.abs(value - truth) - error) / size) <= 4 * ROUNDING


def test_hundreds_of_rows_of_a_jump_take_no_longer_than_smooth_ones():
    """Counted in evaluations of the function: bisection stays a small part."""
    rng = np.random.default_rng(7)
    scales = rng.uniform(0.5, 2.0, 300)

    def evaluations(function):
        count = 0

        def counted(t):
            nonlocal count
            count += t.size
            return function(t)

        activation_kernel(counted, 0.5, scales, scales)
        return count

    assert evaluations(lambda t: t > 0.7) < 3 * evaluations(np.tanh)


def test_at_equal_and_opposite_rows_a_threshold_is_exact():
    level, scale = 0.7, np.array([0.3, 1.0, 4.0])
    rho = np.array([[1.0], [-1.0]])
    value = activation_kernel(lambda t: t > level, rho, scale, scale)
    assert value[0] == pytest.approx(special.ndtr(-level / scale), rel=1e-13)
    assert np.max(np.abs(value[1])) < 1e-14
