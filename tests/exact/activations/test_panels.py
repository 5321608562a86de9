"""Panels: they tile what they split, close in on jumps, give up on noise, and keep moments."""

import math
import tracemalloc
from dataclasses import fields

import mpmath
import numpy as np
import pytest

from mehler.exact import activation_kernel, activation_kernel_error
from mehler.exact.activations import _series
from mehler.exact.activations._series import coefficients


def panels_of(function, low=0.5, high=0.75):
    """Parts of one panel by position, for a function of g > 0 that is 0 on the other side."""

    def sample(which, g):
        return function(g), 0.0 * g

    ones = np.zeros(1, dtype=np.int64)
    parts = list(_series.bisect(sample, ones, np.array([low]), np.array([high]), np.ones(1)))
    columns = [column.name for column in fields(_series.Panels)]
    merged_columns = [np.concatenate([getattr(part, name) for part in parts]) for name in columns]
    order = np.argsort(merged_columns[columns.index("low")])
    return _series.Panels(*(column[order] for column in merged_columns))


@pytest.mark.parametrize("at", [0.5 + 1e-9, 0.6, 0.7321, 0.75 - 1e-9])
def test_a_jump_is_closed_in_on(at):
    leaves = panels_of(lambda g: (g > at).astype(float))
    assert leaves.low[0] == 0.5
    assert leaves.high[-1] == 0.75
    assert np.array_equal(leaves.high[:-1], leaves.low[1:])
    (jump,) = np.flatnonzero(leaves.jump)
    assert leaves.low[jump] <= at <= leaves.high[jump]
    # A panel that is 8 eps wide, at most, after 2 + log2(1/(8 eps)) bisections of one of 1/4.
    assert leaves.high[jump] - leaves.low[jump] <= 8 * np.finfo(float).eps
    assert leaves.scale.size <= 52


def test_a_smooth_panel_stays_whole():
    assert panels_of(np.exp).scale.size == 1


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
    assert few < 51 * 10 * 2 * (_series.POINTS + _series.FINER) * _series.N_PANELS


def hermite(at, terms):
    """h_k at points by their recurrence, (terms, points)."""
    rows = [np.ones_like(at), at]
    for k in range(1, terms - 1):
        rows.append((at * rows[k] - math.sqrt(k) * rows[k - 1]) / math.sqrt(k + 1))
    return np.array(rows[:terms])


def stairs(t):
    return np.floor(3 * t)


# Jumps of the stairs at scale s are at j/(3 s); those beyond 14 weigh less than 1e-40.
SCALES = np.array([0.3, 1.0, 1.7])


def edges(s):
    return np.arange(-int(42 * s), int(42 * s) + 1) / (3 * s)


def test_coefficients_of_stairs_are_those_of_their_steps():
    """E 1[g > u] h_k(g) = h_(k-1)(u) phi(u) / sqrt(k), where no panel and no rule is."""
    series = coefficients(stairs, SCALES)
    terms = 500
    for s, size, c, error in zip(SCALES, series.size, series.c.T, series.error, strict=True):
        u = edges(s)
        density = np.exp(-0.5 * u * u) / math.sqrt(math.tau)
        orders = np.sqrt(np.arange(1, terms))
        truth = hermite(u, terms - 1) @ density / orders
        # Of the truth: its terms sum to less than 3 s sqrt(2/pi) + 1 in absolute value.
        assert np.sum((size * c[1:terms] - truth) ** 2) ** 0.5 <= size * error + 1e-14 * (1 + 3 * s)
        # By symmetry, floor(t) + 1/2 has mean 0.
        assert abs(size * c[0] + 0.5) <= size * error + 1e-14 * (1 + 3 * s)


@pytest.mark.parametrize("low", [0.1, 0.3])
@pytest.mark.parametrize("function", [np.tanh, lambda t: t**3, lambda t: np.sin(3 * t)])
def test_many_scales_have_the_values_of_two(function, low):
    """400 scales: in batches, or interpolated if they are within a factor of 8."""
    s = np.linspace(low, 2.2, 400)
    rows = np.full((400, 1), 0.95), s[:, None], s[None, :]
    values, errors = activation_kernel(function, *rows), activation_kernel_error(function, *rows)
    for i, j in ((0, 399), (3, 230), (251, 250)):
        pair = 0.95, s[i], s[j]
        slack = errors[i, j] + activation_kernel_error(function, *pair)
        assert abs(values[i, j] - activation_kernel(function, *pair)) <= slack


def test_no_scales_have_no_values():
    assert activation_kernel("tanh", np.empty((0, 3)), np.empty((0, 1)), np.ones(3)).shape == (0, 3)
    assert activation_kernel("tanh", np.empty(0), np.empty(0), np.empty(0)).shape == (0,)


def test_scales_of_any_shape_broadcast():
    s, rho = np.linspace(1.0, 2.0, 5), np.full((5, 5), 0.5)
    for x, y in ((s[None], s[:, None]), (s[:, None], s[None]), (s[None], s[None])):
        flat = [a.ravel() for a in np.broadcast_arrays(rho, x, y)]
        square = activation_kernel("tanh", *flat).reshape(5, 5)
        assert np.abs(activation_kernel("tanh", rho, x, y) - square).max() < 1e-15


def test_many_jumps_at_many_scales_stay_small():
    """Jumps of 50 bisections each: with all parts in memory at once they would take 100 MiB."""
    tracemalloc.start()
    coefficients(stairs, np.linspace(0.5, 2.0, 30))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 40 * 2**20


@pytest.mark.parametrize("k", [0, 63, 511])
@pytest.mark.parametrize("panel", [0, 20])
def test_hermite_functions_are_their_interpolants_on_a_panel(k, panel):
    """At 24 points, to the error that is stated, in 50 digits: parts may go by their moments."""
    with mpmath.workdps(50):
        nodes = [_series.PANEL * (panel + mpmath.mpf(x)) for x in _series.points(_series.FINER)[0]]
        nodes = nodes[: _series.FINER - 2]

        def weighted(g):
            before, now = mpmath.mpf(0), mpmath.npdf(g)
            for order in range(k):
                root = mpmath.sqrt(order + 1)
                before, now = now, (g * now - mpmath.sqrt(order) * before) / root
            return now

        values = [weighted(g) for g in nodes]
        for share in (0.0, 0.03, 0.5, 1.0):
            at = _series.PANEL * (panel + mpmath.mpf(share))
            interpolant = sum(
                value * mpmath.fprod((at - h) / (g - h) for h in nodes if h != g)
                for g, value in zip(nodes, values, strict=True)
            )
            most = 4e-20 * mpmath.exp(-((_series.PANEL * panel) ** 2) / 4)
            assert abs(interpolant - weighted(at)) <= most
