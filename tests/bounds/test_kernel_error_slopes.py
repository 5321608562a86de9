"""The uniform error of any map: against draws, sums by hand, and known forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from mehler.proofs_checks.features.uniform import known_before
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
    result = [largest_error(m, seed) for seed in range(200)]
    bound = kernel_error.uniform_by_slope(m, delta=0.05, **SET).value
    assert np.mean(np.array(result) > bound) == 0


def pairs(k: float, level: int) -> float:
    """Pairs of cells of a level, the equal ones too."""
    return 2.0 ** (k * level) * (2.0 ** (k * level) + 1) / 2


def chain(m: int, delta: float, level: int, stride: int, links: int, law: str = "width") -> float:
    """The sum of the page at J, a and n, one event after the other; k = 3, D = 2, b = 2.

    Events: the pairs of level J have half of delta, link i has 2^-(i + 2) of it, the slopes the
    rest.
    """
    left = delta - delta / 2
    total = 2 * math.sqrt(math.log(2 / (delta / 2 / pairs(3, level))) / (2 * m))
    for i in range(links):
        share = delta / 2 ** (i + 2)
        left -= share
        cost = (math.log(2 / share) + math.log(pairs(3, level + stride * (i + 1)))) / m
        moved = 2 * 2 * min(1.0, 2.0 ** (1 - level - stride * i))
        # Increments have the second moment moved^2 E G^2, and lie in [-2, 2]; or (2, 0.1) is told.
        tail = 2 / 3 if law == "width" else 0.1 * moved
        total += math.sqrt(2 * moved**2 * 2.0 * cost) + tail * cost
    last = 2 * 2 * min(1.0, 2.0 ** (1 - level - stride * links))
    spread = math.sqrt((SLOPE[1] - SLOPE[0] ** 2) / m * (1 - left) / left)
    return total + last * (2 * SLOPE[0] + spread)


@pytest.mark.parametrize("r", [0.01, 0.3, 2.0])
def test_exponent_of_increments_of_cosines(r):
    """Step 1 of the page, by a sum over the normal density: one column, frequencies N(0, 1)."""
    w = np.linspace(-12, 12, 24_001)
    weight = np.exp(-(w**2) / 2)
    weight /= weight.sum()
    nearest = math.inf
    for start in (0.0, 0.5, 1.5, 4.0):
        moved = np.cos(w * (start + 2 * r)) - np.cos(w * start)
        centred = moved - weight @ moved
        for share in (0.01, 0.3, 0.9, -0.01, -0.3, -0.9):
            # b = 2: share = t b/3.
            t = 1.5 * share
            exponent = math.log(weight @ np.exp(t * centred))
            bound = (2 * r * t) ** 2 * 1.0 / (2 * (1 - abs(share)))
            assert exponent <= bound
            nearest = min(nearest, bound / exponent)
    if r == 0.01:
        # Near rows move by 2r w sin(w z): all that is lost is the sine, and the mean of this.
        moves = [w * np.sin(w * start) for start in (0.5, 1.5, 4.0)]
        variance = max(weight @ entry**2 - (weight @ entry) ** 2 for entry in moves)
        assert nearest == pytest.approx(1 / variance, rel=0.05)


@pytest.mark.parametrize("m", [100, 10**4, 10**6])
def test_net_by_hand(m):
    tried = [chain(m, 0.01, level, 1, 0) for level in range(40)]
    result = kernel_error.uniform_by_slope(m, delta=0.01, method="net", **SET)
    assert result.value == pytest.approx(min(tried), rel=1e-12)


@pytest.mark.parametrize(("m", "law"), [(10**4, "width"), (10**7, "width"), (10**4, "both")])
def test_chaining_by_hand(m, law):
    tried = [
        chain(m, 0.01, level, stride, links, law)
        for level in range(20)
        for stride in (1, 2, 3, 4, 6, 8)
        for links in range(1, 18)
    ]
    arguments = {} if law == "width" else {"increments": (2.0, 0.1)}
    result = kernel_error.uniform_by_slope(m, delta=0.01, method="chaining", **SET, **arguments)
    assert result.value == pytest.approx(min(tried), rel=1e-12)


def test_the_smaller_method_is_taken():
    for m in (50, 10**6):
        values = [
            kernel_error.uniform_by_slope(m, delta=0.01, method=method, **SET).total
            for method in ("net", "chaining", None)
        ]
        assert values[2] == min(values[:2])


def test_chaining_has_no_logarithm_of_m():
    """The root of m times the bound does not grow from 10^8 to 10^16; by the net it does."""

    def value(m, method):
        return (
            math.sqrt(m) * kernel_error.uniform_by_slope(m, delta=0.01, method=method, **SET).value
        )

    assert value(10**16, "chaining") < value(10**8, "chaining")
    assert value(10**16, "net") > 1.2 * value(10**8, "net")


@pytest.mark.parametrize("m", [1000, 10**5, 10**7])
def test_below_the_known_form(m):
    setting = known_before(m, delta=0.01, n_inputs=2, diameter=2.0, second=2.0)
    assert kernel_error.uniform_by_slope(m, delta=0.01, **SET).value < setting.value


def test_one_level_is_left_where_others_leave_the_floats():
    bound = kernel_error.uniform_by_slope(
        10**6, delta=1e-300, method="net", **{**SET, "dimension": 500}
    )
    assert bound.total == pytest.approx(chain(10**6, 1e-300, 0, 1, 0), rel=1e-12)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"slope": None}, "slope=None: give the two moments"),
        ({"slope": (2.0, 1.0)}, "less than the square"),
        ({"pool_size": 4}, "unexpected keyword argument 'pool_size'"),
        ({"width": None}, "give exactly one of"),
        ({"width": None, "variance": 1.0, "method": "chaining"}, "needs width or increments"),
        ({"increments": 2.0}, "increments=2.0: give the two numbers"),
        ({"increments": (0.0, 1.0)}, "increments=0.0 must be positive"),
    ],
)
def test_bad_input_is_named(change, message):
    with pytest.raises((TypeError, ValueError), match=message):
        kernel_error.uniform_by_slope(100, delta=0.01, **{**SET, **change})


@pytest.mark.parametrize("slope", [(10.0, 200.0), (1e160, 1.7e308), (1e100, 1.7e308)])
def test_bounds_beyond_the_floats_are_named(slope):
    """One level is left, and all of its sums are infinite; or the square of a mean is."""
    setting = {"dimension": 1000, "delta": 0.01, "variance": 1.0, "slope": slope}
    with pytest.raises(ValueError, match="slope="):
        kernel_error.uniform_by_slope(100, diameter=1e308, **setting)
