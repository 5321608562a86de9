"""check_variance on chains: units that depend on their neighbours, held against the whole law.

Unit l projects on the mean of apart consecutive Gaussian vectors times sqrt(apart), so vectors k
apart have correlation c_k = 1 - k/apart, and by Isserlis' theorem Cov(P_l, P_{l+k}) = c_k^2 V with
V = |x|^2|y|^2 + <x,y>^2. Squares of a Gaussian have kurtosis 15, other products less.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from mehler.verify import check_variance
from mehler.verify.checks._variance import (
    GroupVariances,
    m_dependent_variance_of_variance,
)
from mehler.verify.sampling._draws import Draws
from mehler.verify.sampling._pairs import pairs_without_claim
from mehler.verify.sampling._sources import unit_source
from tests.verify.toys import points, require_rate

X = points(2, 3)


@dataclass(frozen=True)
class Chain:
    seed: int
    m: int = 400
    apart: int = 2
    declares: int = 2
    gain: float = 1.0

    independent_units = False

    @property
    def units_apart(self) -> int:
        return self.declares

    def __call__(self, x: Any) -> Any:
        g = np.random.default_rng(self.seed).standard_normal((3, self.m + self.apart - 1))
        sums = sum(g[:, k : k + self.m] for k in range(self.apart))
        return self.gain * (x @ sums) / np.sqrt(self.apart * self.m)

    def products(self, x: Any, y: Any) -> Any:
        return self.m * self(x) * self(y)

    def variance(self, x: Any, y: Any) -> Any:
        return np.outer((x**2).sum(1), (y**2).sum(1)) + (x @ y.T) ** 2

    def lags(self) -> float:
        """1 + 2 sum (1 - k/m) c_k^2."""
        k = np.arange(1, self.apart)
        return float(1.0 + 2.0 * ((1.0 - k / self.m) * (1.0 - k / self.apart) ** 2).sum())

    def gram_variance(self, x: Any, y: Any) -> Any:
        return self.lags() * self.variance(x, y) / self.m

    def product_kurtosis(self, x: Any, y: Any) -> Any:
        return np.full((x.shape[0], y.shape[0]), 15.0)


class Unlabelled(Chain):
    product_kurtosis = None


def draw(kind=Chain, **change):
    return lambda seed: kind(seed, **change)


@pytest.mark.parametrize("apart", [2, 3, 5])
def test_a_sample_is_unbiased_and_scatters_no_more_than_its_bound(apart):
    pairs = pairs_without_claim(X, None)
    phi = Chain(0, m=600, apart=apart, declares=apart)
    base = unit_source(phi, pairs)
    declared = pairs.pick(phi.m * phi.gram_variance(X, X))
    spreads = GroupVariances(base, pairs, declared, apart)
    maps = Draws(draw(m=600, apart=apart, declares=apart), 7)
    x = np.concatenate([spreads.samples(maps[k], np.arange(pairs.n)) for k in range(300)])
    # Groups are independent: six standard errors of their mean.
    assert (np.abs(x.mean(axis=0) - 1.0) <= 6.0 * x.std(axis=0) / np.sqrt(len(x))).all()
    share = np.full(pairs.n, 1.0 / phi.lags())
    assert (
        x.var(axis=0) <= m_dependent_variance_of_variance(np.full(pairs.n, 15.0), share, 600, apart)
    ).all()


@pytest.mark.parametrize("apart", [2, 3])
def test_chains_hold_by_their_kurtosis(apart):
    verdict = check_variance(draw(m=2000, apart=apart, declares=apart), None, X, resolution=0.3)
    assert verdict.holds, str(verdict)
    assert verdict.method.startswith("declared kurtosis")
    assert "stretches" in verdict.method
    assert verdict.detectable <= 0.3


@pytest.mark.parametrize("m", [32, 400])
@pytest.mark.parametrize("kind", [Chain, Unlabelled])
@pytest.mark.sampled(1)
def test_covariances_of_neighbours_left_out_are_refuted(kind, m):
    """The variance of independent units is two thirds of the true one."""
    options = {"m": m, "kind": kind}
    verdict = check_variance(draw(**options), Chain.variance.__get__(Chain(0)), X)
    assert verdict.status == "refuted"
    assert check_variance(draw(**options), None, X).holds


def test_without_kurtosis_the_route_is_labelled():
    verdict = check_variance(draw(Unlabelled), None, X, resolution=0.4)
    assert verdict.holds
    assert verdict.method.startswith("bounded kurtosis")


def test_products_that_are_not_the_maps_own_are_not_believed():
    class Other(Chain):
        def products(self, x, y):
            return 2.0 * super().products(x, y)

    verdict = check_variance(draw(Other), None, X, resolution=0.6)
    assert verdict.holds
    assert "independent draws" in verdict.method


@dataclass(frozen=True)
class Line(Unlabelled):
    """The chain on one input."""

    m: int = 400

    def __call__(self, x: Any) -> Any:
        g = np.random.default_rng(self.seed).standard_normal((1, self.m + 1))
        return x @ (g[:, 1:] + g[:, :-1]) / np.sqrt(2 * self.m)


@pytest.mark.parametrize("n", [200, pytest.param(100_000, marks=pytest.mark.full)])
def test_alarms_of_stretches(n):
    """Without a kurtosis; of other groups `benchmarks/calibration.py` counts the alarms."""
    options = {"false_alarm": 1e-3, "miss": 0.01, "resolution": 0.9}

    def check(seed):
        return check_variance(draw(Line), None, np.ones((1, 1)), seed=seed, **options)

    require_rate(check, n, 1e-3)
