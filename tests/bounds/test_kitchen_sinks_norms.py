"""Norms of representations, and their inequalities."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from mehler.proofs_checks.kitchen_sinks.norms import norm_h, norm_pi


def test_a_representation_of_zero_has_positive_norms():
    """alpha = cos(2b)/(2 pi) on features cos(b + t): f is 0, its norms are 1 and 1/sqrt 2."""
    b = np.linspace(0, 2 * np.pi, 16, endpoint=False)
    step = b[1] - b[0]
    density = np.full(16, 1 / (2 * np.pi))
    alpha = np.cos(2 * b) * density
    for t in (0.0, 0.3, 2.0):
        # Equal steps integrate trigonometric polynomials of degree below 16 exactly.
        assert abs(step * np.sum(alpha * np.cos(b + t))) < 1e-15
    assert norm_pi(alpha, density) == pytest.approx(1.0, rel=1e-14)
    assert norm_h(alpha, density, np.full(16, step)) == pytest.approx(math.sqrt(0.5), rel=1e-14)


def test_of_powers_of_two_by_hand():
    a, p, w = np.array([[0.5, -0.25, 0.0], [0.5, 0.125, 0.375], [1.0, 0.5, 7.0]])
    assert norm_pi(a, p) == 2.0
    assert norm_h(a, p) == pytest.approx(1.0, rel=1e-14)
    assert norm_h(a, p, w) == pytest.approx(math.sqrt(0.75), rel=1e-14)


@given(st.lists(st.tuples(st.floats(-5, 5), st.floats(0.01, 1.0)), min_size=1, max_size=8))
# The norm is 1e-323; in products with the smallest number its half was found.
@example([(5e-324, 1.0), (5e-324, 1.0)])
@example([(5e-324, 1.0), (1.0, 0.01)])
def test_the_weights_sum_below_both_norms(points):
    alpha = np.array([a for a, _ in points])
    density = np.array([p for _, p in points])
    density /= density.sum()
    total = float(np.abs(alpha).sum())
    # Cauchy-Schwarz twice; the factor is for roundings.
    assert total <= norm_h(alpha, density) * (1 + 1e-12)
    assert norm_h(alpha, density) <= norm_pi(alpha, density) * (1 + 1e-12)


def test_weight_where_nothing_is_drawn_is_infinite():
    alpha, density = np.array([1.0, 1.0]), np.array([1.0, 0.0])
    assert norm_pi(alpha, density) == norm_h(alpha, density) == math.inf
    assert norm_pi(np.array([1.0, 0.0]), density) == norm_h(np.array([1.0, 0.0]), density) == 1.0
    assert norm_h(alpha, density, np.array([1.0, 0.0])) == 1.0


def test_what_has_no_weight_sets_no_scale():
    """In units of 1e300 the other one would be 0."""
    norm = norm_h(np.array([1e300, 1e-200]), np.ones(2), weights=np.array([0.0, 1.0]))
    assert norm == pytest.approx(1e-200, rel=1e-15)
