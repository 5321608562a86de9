"""float64 with its stated error, 30 digits, and balls."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

import mehler

ROWS = np.random.default_rng(1).standard_normal((2, 5))
# Parallel, opposite, a small angle, and orthogonal to nothing.
CLOSE = np.stack([ROWS[0], 2 * ROWS[0], -ROWS[0], ROWS[0] + 1e-7 * ROWS[1], ROWS[1]])
CASES = [
    ("relu", None, 8),
    ("relu2", None, 2),
    ("erf", None, 4),
    ("sin", None, 4),
    ("cos", None, 4),
    ("maxout", 1, 8),
    ("maxout", 2, 8),
    ("maxout", 3, 2),
]
SLOW = [("maxout", 4, 1), ("maxout", 4, 8), ("maxout", 16, 1), ("maxout", 16, 3)]


def check(activation, pool, depth, bias, rows, digits=30, w=0.8):
    kernel = mehler.DeepKernel(
        activation, depth, pool_size=pool, weight_variance=w, bias_variance=bias
    )
    for name in ("nngp", "ntk"):
        compute = getattr(kernel, name)
        value, error = compute(rows, return_error=True)
        exactly = compute(rows, dps=digits)
        off = np.vectorize(lambda a, b: float(abs(a - mpmath.mpf(float(b)))))(exactly, value)
        assert np.all(off <= error), name
        # Stated errors promise something: 1e-9 of the largest, twelve digits in ordinary cases.
        assert error.max() <= 1e-9 * np.abs(value).max()


@pytest.mark.parametrize("bias", [0.0, 0.1])
@pytest.mark.parametrize(("activation", "pool", "depth"), CASES)
@pytest.mark.sampled(8)
def test_float64_is_within_its_error(activation, pool, depth, bias):
    check(activation, pool, depth, bias, ROWS if pool == 3 else CLOSE)


@pytest.mark.full
@pytest.mark.parametrize(("activation", "pool", "depth"), SLOW)
def test_large_pools_are_within_their_error(activation, pool, depth):
    check(activation, pool, depth, 0.1, ROWS)


@pytest.mark.full
def test_pool_of_four_is_within_its_error():
    check("maxout", 4, 1, 0.1, ROWS, digits=18)


@pytest.mark.parametrize(("activation", "pool", "depth"), [c for c in CASES if c[1] != 3])
def test_balls_contain_the_digits(activation, pool, depth):
    pytest.importorskip("flint")
    kernel = mehler.DeepKernel(activation, depth, pool_size=pool, bias_variance=0.1)
    for compute in (kernel.nngp, kernel.ntk):
        balls, digits = compute(ROWS, bits=100), compute(ROWS, dps=20)
        for ball, value in zip(balls.ravel(), digits.ravel(), strict=True):
            assert ball.proved
            assert ball.radius < 1e-20 * (1 + abs(value))
            assert abs(ball.value - value) <= 1e-19 * (1 + abs(value))


def test_what_has_no_closed_form_is_refused():
    with pytest.raises(ValueError, match="no closed form"):
        mehler.DeepKernel("tanh", 1).nngp(ROWS, dps=20)
    with pytest.raises(ValueError, match="one of return_error, dps and bits"):
        mehler.DeepKernel("relu", 1).nngp(ROWS, dps=20, return_error=True)
    with pytest.raises(TypeError, match="dps"):
        mehler.DeepKernel("relu", 1).nngp(ROWS, dps=2.5)
