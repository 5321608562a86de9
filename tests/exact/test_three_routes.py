"""float64, mpmath and certified balls on a random grid of (q, rho), at the stated accuracy.

Three algorithms: a Chebyshev table from spectral integration (float64), a trapezoid sum over
wedges (mpmath), and the same integral with every error enclosed (balls, python-flint).
"""

from __future__ import annotations

import mpmath
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mehler import exact
from mehler.exact import certified

STATED = 1e-13
RHOS = st.one_of(
    st.floats(-0.95, 0.999),
    st.floats(0, 1e-12).map(lambda e: 1 - e),
)


def agree(q: int, rho: float) -> None:
    kappa = certified.collision_probability(rho, q, bits=96)
    kernel = certified.maxout_kernel(rho, q, bits=96)
    # The balls are far narrower than what float64 claims, so they can tell.
    assert kappa.radius < STATED / 100
    assert kernel.radius <= STATED / 100 * abs(kernel.value)
    assert abs(exact.collision_probability(rho, q) - kappa.value) <= STATED
    assert abs(exact.maxout_kernel(rho, q) - kernel.value) <= STATED * abs(kernel.value)
    with mpmath.workdps(40):
        # 20 digits asked for: absolute for kappa, relative for K; the balls add their radius.
        slack = mpmath.mpf(10) ** -20
        gap = exact.collision_probability(rho, q, dps=20) - kappa.value
        assert abs(gap) <= slack + kappa.radius
        gap = exact.maxout_kernel(rho, q, dps=20) - kernel.value
        assert abs(gap) <= slack * abs(kernel.value) + kernel.radius


@settings(max_examples=6)
@given(st.integers(1, 64), RHOS)
@example(64, 1 - 1e-12)
@example(3, -0.9)
@pytest.mark.full
def test_three_routes(q, rho):
    agree(q, rho)


@pytest.mark.full
@settings(max_examples=150)
@given(st.integers(1, 64), RHOS)
def test_three_routes_on_a_large_grid(q, rho):
    agree(q, rho)


@settings(max_examples=15)
@given(st.integers(1, 10**6), st.integers(0, 12))
@pytest.mark.full
def test_moments(q, k):
    ball = certified.max_moment(k, q, bits=128)
    assert abs(exact.max_moment(k, q) - ball.value) <= STATED * abs(ball.value) + ball.radius
    assert exact.max_moment(k, q, dps=25) in ball or ball.radius < mpmath.mpf(10) ** -25 * max(
        1, abs(ball.value)
    )
    ball = certified.hermite_moment(k, q, bits=128)
    bound = STATED * max(1, abs(ball.value)) + ball.radius
    assert abs(exact.hermite_moment(k, q) - ball.value) <= bound


@pytest.mark.parametrize("q", [1, 2, 3, 7, 20, 64])
def test_coefficients(q):
    balls = certified.collision_coefficients(q, 17)
    for ours, ball in zip(exact.collision_coefficients(q, 17), balls, strict=True):
        assert abs(ours - ball.value) <= STATED


def test_locally_linear_kernel_to_twenty_digits():
    ball = certified.locally_linear_kernel("0.3", 5, bits=76)
    gap = exact.locally_linear_kernel("0.3", 5, dps=20) - ball.value
    assert abs(gap) <= mpmath.mpf(10) ** -20 * 2 + ball.radius
    # A float is the number that it holds, which is not three tenths.
    assert exact.locally_linear_kernel(0.3, 5, dps=20) not in ball
