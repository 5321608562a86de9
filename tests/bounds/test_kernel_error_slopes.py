"""The uniform error of any map: against draws, another route, and known forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import special

from mehler import FourierFeatures
from mehler.bounds import kernel_error

# A circle of radius 1 in the plane, whose doubling dimension is 3, and frequencies of gamma = 1/2.
ANGLES = np.arange(48) * (2 * math.pi / 48)
CIRCLE = np.stack([np.cos(ANGLES), np.sin(ANGLES)], axis=1)
SLOPE = (math.sqrt(2) * special.gamma(1.5), 2.0)
SET = {"dimension": 3, "diameter": 2.0, "slope": SLOPE, "width": 2.0}


def largest_error(m: int, seed: int) -> float:
    phi = FourierFeatures.draw(2, 2 * m, gamma=0.5, seed=seed)
    return float(np.abs(phi(CIRCLE) @ phi(CIRCLE).T - phi.kernel(CIRCLE)).max())


@pytest.mark.parametrize("m", [50, 1000])
def test_draws_keep_it(m):
    """How far above what is seen it may be is held by its terms and by the known form, below."""
    found = [largest_error(m, seed) for seed in range(200)]
    bound = kernel_error.uniform(m, delta=0.05, **SET).value
    assert np.mean(np.array(found) > bound) == 0


def test_terms_by_hand():
    m, delta = 10**6, 0.01
    bound = kernel_error.uniform(m, delta=delta, **SET)
    sums = []
    for level in range(40):
        cells = 2.0 ** (3 * level)
        net = 2 * math.sqrt(math.log(2 * cells * (cells + 1) / delta) / (2 * m))
        spread = math.sqrt((SLOPE[1] - SLOPE[0] ** 2) / m * (1 - delta / 2) / (delta / 2))
        sums.append(net + 2 * 2 * min(1.0, 2.0 ** (1 - level)) * (2 * SLOPE[0] + spread))
    assert bound.value == pytest.approx(min(sums), rel=1e-12)


def rahimi_recht(m: int, delta: float, d: int = 2, length: float = 2.0) -> float:
    """Of Claim 1 with the constant of Sutherland and Schneider (66) for m frequencies."""
    second = 2.0  # E |w|^2 = 2 gamma d
    low, high = 1e-6, 1e3
    for _ in range(200):
        eps = math.sqrt(low * high)
        log_chance = math.log(66 * second * length**2 / eps**2) - m * eps**2 / (4 * (d + 2))
        low, high = (low, eps) if log_chance <= math.log(delta) else (eps, high)
    return high


@pytest.mark.parametrize("m", [1000, 10**5, 10**7])
def test_below_the_known_form(m):
    assert kernel_error.uniform(m, delta=0.01, **SET).value < rahimi_recht(m, 0.01)


def test_features_are_the_least():
    m = kernel_error.uniform_features(0.2, delta=0.01, **SET)
    assert kernel_error.uniform(m, delta=0.01, **SET).value <= 0.2
    assert kernel_error.uniform(m - 1, delta=0.01, **SET).value > 0.2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"slope": None}, "slope=None: give pool_size, or the two moments"),
        ({"slope": (2.0, 1.0)}, "less than the square"),
        ({"pool_size": 4}, "slope goes without pool_size"),
        ({"slope": None, "pool_size": 4}, "go with slope, not with pool_size"),
        ({"width": None}, "give exactly one of"),
        ({"diameter": 0.0}, "diameter=0.0 must be positive"),
    ],
)
def test_bad_input_is_named(change, message):
    with pytest.raises(ValueError, match=message):
        kernel_error.uniform(100, delta=0.01, **{**SET, **change})
