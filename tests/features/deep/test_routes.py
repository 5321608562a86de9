"""float64 within its stated error of 30 digits."""

import re
from fractions import Fraction
from pathlib import Path

import mpmath
import numpy as np
import pytest

import mehler
from mehler import exact
from mehler.features.deep import critical_weight_variance

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
# Kinks make 1e-60 of an angle that is rounded in the 120th digit of its cosine.
WORKING = 120


def products(unit, q, p, r, c, digits):
    """E a(u) a(v) and E a'(u) a'(v) for Gaussians of variances p, r and covariance c."""
    if unit == "maxout" and q == 1:
        return c, mpmath.mpf(1)
    if unit == "erf":
        inner = (1 + 2 * p) * (1 + 2 * r)
        slope = 4 / (mpmath.pi * mpmath.sqrt(inner - 4 * c * c))
        return 2 * mpmath.asin(2 * c / mpmath.sqrt(inner)) / mpmath.pi, slope
    if unit in ("sin", "cos"):
        decay = mpmath.exp(-(p + r) / 2)
        odd, even = decay * mpmath.sinh(c), decay * mpmath.cosh(c)
        return (odd, even) if unit == "sin" else (even, odd)
    size = mpmath.sqrt(p * r)
    rho = min(max(c / size, mpmath.mpf(-1)), mpmath.mpf(1))
    if unit == "maxout" and q > 2:
        collision = exact.collision_probability(rho, q, dps=digits)
        return size * exact.maxout_kernel(rho, q, dps=digits), collision
    theta = mpmath.acos(rho)
    half = (mpmath.pi - theta) / (2 * mpmath.pi)
    ahead = mpmath.sin(theta) / (2 * mpmath.pi) + half * rho
    if unit == "relu2":
        square = 3 * mpmath.sin(theta) * rho / (2 * mpmath.pi) + half * (1 + 2 * rho**2)
        return size**2 * square, 4 * size * ahead
    times = 2 if unit == "maxout" else 1
    return times * size * ahead, times * half


def digits_of(unit, q, depth, x, z, *, bias, weight, digits):
    """Both kernels of a pair of rows, by the recursion of covariances."""
    with mpmath.workdps(WORKING):
        w, b = mpmath.mpf(weight), mpmath.mpf(bias)
        rows = [[mpmath.mpf(float(entry)) for entry in row] for row in (x, z)]
        p, r, c = (
            w * mpmath.fdot(rows[i], rows[j]) / len(x) + b for i, j in ((0, 0), (1, 1), (0, 1))
        )
        theta = c
        for _ in range(depth):
            value, slope = products(unit, q, p, r, c, digits)
            p, r = (w * products(unit, q, s, s, s, digits)[0] + b for s in (p, r))
            c = w * value + b
            theta = c + w * slope * theta
        return c, theta


def check(unit, q, depth, bias, rows, digits=30, w=0.8):
    kernel = mehler.DeepKernel(unit, depth, pool_size=q, weight_variance=w, bias_variance=bias)
    pairs = [compute(rows, return_error=True) for compute in (kernel.nngp, kernel.ntk)]
    for i, x in enumerate(rows):
        for j, z in enumerate(rows[: i + 1]):
            truth = digits_of(unit, q, depth, x, z, bias=bias, weight=w, digits=digits)
            for exactly, (value, error) in zip(truth, pairs, strict=True):
                for k, column in ((i, j), (j, i)):
                    off = abs(exactly - mpmath.mpf(float(value[k, column])))
                    assert off <= error[k, column]
    # Stated errors promise something: 1e-9 of the largest, twelve digits in ordinary cases.
    for value, error in pairs:
        assert error.max() <= 1e-9 * np.abs(value).max()


@pytest.mark.parametrize("bias", [0.0, 0.1])
@pytest.mark.parametrize(("activation", "pool", "depth"), CASES)
def test_float64_is_within_its_error(activation, pool, depth, bias):
    check(activation, pool, depth, bias, ROWS if pool == 3 else CLOSE)


PAGE = Path(__file__).resolve().parents[3] / "docs" / "depth.md"


def table():
    cells = re.findall(r"(\d+) \| (\d\.\d{10}) \|", PAGE.read_text(encoding="utf-8"))
    return {int(q): value for q, value in cells}


def test_the_table_has_ten_digits_of_balls():
    certified = pytest.importorskip("flint") and exact.certified
    rows = table()
    assert sorted(rows) == list(range(1, 65))
    for q, printed in rows.items():
        ball = certified.sigma2(q, bits=64)
        low, high = (Fraction(printed) + side * Fraction(1, 2 * 10**10) for side in (-1, 1))
        # 1/high <= sigma^2 <= 1/low
        assert 1 / high <= Fraction(str(ball.value)) <= 1 / low
        assert ball.radius < 1e-18
        assert round(critical_weight_variance(q), 10) == float(printed)
