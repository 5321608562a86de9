"""The uniform bound: its budget of probability, its sums, and its inverse."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mehler.bounds import kernel_error
from mehler.bounds.kernel_error import _exponent, _uniform

CIRCLE = {"pool_size": 4, "dimension": 3, "diameter": 2.0, "delta": 0.05}


def by_hand(m: int, q: int, k: float, diameter: float, delta: float, level: int) -> float:
    """The sum of the docstring at one level J, 300 levels summed one by one."""

    def pairs(j):
        return 2 ** (k * j) * (2 ** (k * j) + 1) / 2

    # Every event has probability 2 exp(-m cost) a pair; the budget is delta/2 and then halves.
    cost = math.log(2 * pairs(level) / (delta / 2)) / m
    total = float(_exponent.any_correlation(q).deviation(cost))
    for j in range(level, level + 300):
        share = delta / 2 / 2 ** (j - level + 1)
        # Logarithms, as the counts leave the floats.
        log_pairs = math.log(2) * (2 * k * (j + 1) - 1) + math.log1p(2.0 ** (-k * (j + 1)))
        cost = (math.log(2 / share) + log_pairs) / m
        length = diameter * min(1.0, 2.0 ** (1 - j))
        total += 2 * length * float(_exponent.increments(q).deviation(cost))
    return total


@pytest.mark.parametrize(("q", "k", "m"), [(1, 1, 100), (4, 3, 2000), (16, 7.5, 10**5), (2, 0, 50)])
def test_chaining_by_hand(q, k, m):
    result = kernel_error.uniform(m, pool_size=q, dimension=k, diameter=1.5, delta=0.03)
    tried = [by_hand(m, q, k, 1.5, 0.03, level) for level in range(_uniform._TRIED)]
    assert result.value == pytest.approx(min(tried), rel=1e-9)
    # The rest that is summed in closed form is an upper bound, and small.
    assert result.value >= min(tried) * (1 - 1e-13)


@pytest.mark.parametrize("method", ["chaining", "net"])
def test_grows_with_the_set_and_the_confidence(method):
    def value(**change):
        return kernel_error.uniform(3000, **{**CIRCLE, "method": method, "n_inputs": 5, **change})

    here = value().value
    assert value(dimension=4).value > here
    assert value(diameter=1.0).value < here
    assert value(delta=0.01).value > here
    assert value().probability == 0.95


def test_is_above_the_bound_of_any_one_pair():
    entry = kernel_error.one_pair(3000, delta=0.05, pool_size=4).value
    assert kernel_error.uniform(3000, **{**CIRCLE, "dimension": 0}).value > entry


def test_chaining_knows_no_dimension_of_the_space():
    values = {kernel_error.uniform(3000, n_inputs=d, **CIRCLE).value for d in (2, 784)}
    assert len(values) == 1
    nets = [kernel_error.uniform(3000, n_inputs=d, method="net", **CIRCLE).value for d in (2, 784)]
    assert nets[0] < nets[1]


@pytest.mark.parametrize("q", [1, 2, 8])
def test_exponent_of_increments_bounds_that_of_simulated_ones(q):
    """log E exp(t (G - E G)) <= excess at 2 r t, on a pair of near rows and their partners."""
    rng = np.random.default_rng(q)
    n, r = 400_000, 0.3
    rows = rng.standard_normal((4, 3))
    x, z = rows[0] / np.linalg.norm(rows[0]), rows[1] / np.linalg.norm(rows[1])
    ends = []
    for start, away in ((x, rows[2]), (z, rows[3])):
        away = away - (away @ start) * start
        angle = 2 * math.asin(r / 2)
        ends.append(math.cos(angle) * start + math.sin(angle) * away / np.linalg.norm(away))
    w = rng.standard_normal((n, q, 3))
    maxima = [(w @ entry).max(axis=1) for entry in (x, z, *ends)]
    gain = maxima[2] * maxima[3] - maxima[0] * maxima[1]
    exponents = _exponent.increments(q)
    for at in (0.05, 0.1, 0.2):
        i = int(np.searchsorted(exponents.at, at))
        t = exponents.at[i] / (2 * r)
        for sign in (1, -1):
            sample = math.log(np.exp(sign * t * (gain - gain.mean())).mean())
            assert sample < exponents.upper[i]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"diameter": 2.5}, "exceeds 2"),
        ({"method": "net"}, "needs n_inputs"),
        ({"dimension": 1e301}, "dimension of no set"),
    ],
)
def test_bad_input_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        kernel_error.uniform(100, **{**CIRCLE, **change})


def test_levels_that_are_tried_reach_far_enough():
    """The best level for the largest useful m is not the last one tried."""
    last = _uniform._TRIED - 1
    for k in (0.5, 3, 30):
        costs = _uniform.log_pairs(k, np.arange(_uniform._TRIED)) / 1e12
        net = _exponent.any_correlation(4).deviation(costs)
        between = _uniform.by_chaining(10**12, 4, k, np.arange(_uniform._TRIED), 2.0, 0.01)
        assert int(np.argmin(net + between)) < last
