"""What refutes when nothing is declared: two inequalities, rates on every tail, power."""

import importlib
import math
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq

import mehler
from mehler.verify import check_kernel, intervals
from mehler.verify.intervals._range import Excess
from mehler.verify.intervals._undeclared import COARSE, FINE, LEAST, kurtosis_limit, shortfall
from tests.verify.toys import most_misses

ROOT = Path(__file__).parents[2]


@pytest.fixture
def benchmarks(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return {name: importlib.import_module(name) for name in ("_unknown_laws", "_undeclared")}


def test_the_exponential_inequality_holds_everywhere():
    """log(1 + z + z^2/3) - z + z^2/6 >= 0; its derivative is z^3/(3(3 + 3z + z^2))."""
    z = np.concatenate([np.linspace(-60.0, 60.0, 200_001), np.geomspace(1e-6, 1e6, 1000)])
    for value in (z, -z):
        gap = np.log1p(value + value**2 / 3.0) - value + value**2 / 6.0
        # Near 0 it is z^4/36: what is left of it there is rounding.
        assert (gap >= -4e-16 * (1.0 + np.abs(value))).all()


@pytest.mark.parametrize("t", [COARSE, FINE])
@pytest.mark.parametrize("kurtosis", [2.0, 20.0])
def test_sums_of_squares_fall_short_as_seldom_as_stated(t, kurtosis):
    """The extremal law, kappa s^2 with probability 1/kappa, has an exact binomial tail."""
    from scipy.stats import binom

    for n in (50, 500, 2000):
        exact = binom.cdf(math.floor((1.0 - t) * n / kurtosis), n, 1.0 / kurtosis)
        assert exact <= math.exp(-n * shortfall(t) / kurtosis) * (1 + 1e-12)
    # And the limit is that inequality, turned round.
    rate = math.exp(-1000 * shortfall(t) / kurtosis)
    assert kurtosis_limit(1000, rate, t) == pytest.approx(kurtosis, rel=1e-9)


def test_ends_are_where_the_capital_reaches_the_level():
    """The interval by bisection on a grid against a root of the formula, written out anew."""
    x = np.random.default_rng(2).exponential(size=3000)
    rate, n = 1e-3, x.size
    low, high = intervals.self_normalised(x, rate)
    level = math.log(2.0 / (0.875 * rate)) + math.log(29)
    bets = 2.0 ** np.arange(-20, 9)

    def excess(m, sign):
        gaps = x - m
        log = sign * bets * gaps.sum() - bets**2 * (5.0 / 6.0) * (gaps**2).sum()
        return float(np.logaddexp.reduce(log)) - level

    mean = float(x.mean())
    assert low == pytest.approx(brentq(excess, mean - 1, mean, args=(1.0,)), abs=1e-6)
    assert high == pytest.approx(brentq(excess, mean, mean + 1, args=(-1.0,)), abs=1e-6)
    # Normal samples of known variance would give sqrt(2 L/n): less than half as wide is wrong.
    assert high - low > 2.0 * math.sqrt(2.0 * math.log(2.0 / rate) * x.var() / n)


def test_wealth_is_the_mean_of_products():
    rng = np.random.default_rng(4)
    samples = rng.exponential(size=(37, 5)) * np.array([1.0, 2.0, 1e-40, 1e40, 0.0])
    claims = np.array([1.0, 1.0, 1.0, 1.0, 1.0])
    bets = Excess(claims)
    for sample in samples:
        bets.add(sample)
    stakes = 0.96 * 0.5 ** np.arange(11)
    logs = np.log1p(stakes[:, None, None] * (samples - 1.0)).sum(axis=1)
    assert bets.log_wealth == pytest.approx(np.logaddexp.reduce(logs) - math.log(11), rel=1e-12)
    # Lower ends are claims at which the wealth is just the level.
    level = 5.0
    for k in (1, 3):
        again = Excess(bets.lower_ends(level))
        again.add(samples)
        assert again.log_wealth[k] >= level - 1e-9


LAWS = range(21)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.sampled(3)
def test_no_kind_of_tail_is_refuted_too_often(benchmarks, law):
    """100 repetitions at 5 %; the table of 1,000 is `python benchmarks/heavy_tails.py`."""
    maps, check = benchmarks["_unknown_laws"].LAWS, benchmarks["_undeclared"]
    assert len(maps) == len(LAWS)
    alarms = check.alarms(maps[law], 1, 0.05, 100, seed=7)
    assert alarms.sum() <= most_misses(100, 0.05)


def heavy(m, spread):
    """Features of one random length a draw, lognormal: E|u|^2 = 1, of any kurtosis."""

    def draw(seed):
        rng = np.random.default_rng(seed)
        w = rng.standard_normal((3, m)) * np.exp(spread * rng.standard_normal() - spread**2)
        return lambda x: x @ w / np.sqrt(m)

    return draw


ROWS = np.array([[1.0, 0.0, 0.5], [0.3, -1.0, 0.2]])


def linear(x, y):
    return x @ y.T


@pytest.mark.parametrize("spread", [1.5, 2.5])
@pytest.mark.parametrize("factor", [1.0, 4.0])
@pytest.mark.sampled(2)
def test_heavy_tails_are_inconclusive_and_say_what_to_declare(spread, factor):
    """Claims that are far too large cannot be told from a rare event: the truth is not refuted."""
    verdict = check_kernel(
        heavy(20, spread), lambda x, y: factor * linear(x, y), ROWS, false_alarm=1e-3
    )
    assert verdict.status == "inconclusive", str(verdict)
    assert any("few large samples decide" in line for line in verdict.assumptions)
    if factor > 1.0:
        assert "declare variance= or bounds=" in verdict.reason


@pytest.mark.slow
def test_draws_that_agree_but_for_rare_ones_are_not_refuted_before_these_are_looked_for():
    """Signs at a row of an axis: products of all draws seen have the same bits, and are small."""

    def draw(seed):
        rng = np.random.default_rng(seed)
        size = 0.25e9 if rng.random() < 1e-9 else 0.75
        w = rng.choice([-1.0, 1.0], size=(3, 4))
        return lambda x: math.sqrt(size / 4) * x @ w

    row = np.array([[1.0, 0.0, 0.0]])
    verdict = check_kernel(draw, linear, row, max_features=4 * (LEAST - 1))
    assert verdict.status == "inconclusive"
    assert "never varied" in verdict.reason


@pytest.mark.parametrize("options", [{}, {"variance": lambda x, y: np.full((len(x), len(y)), 1.0)}])
def test_rounding_is_no_deviation(options):
    """Features in float32 that are returned as float64, and a claim off by half the floor."""

    def draw(seed):
        w = np.random.default_rng(seed).standard_normal((3, 200)).astype(np.float32)

        def phi(x):
            p = x.astype(np.float32) @ w
            return np.hstack([np.cos(p), np.sin(p)]).astype(np.float64) / np.sqrt(200)

        return phi

    def rbf(x, y):
        return np.exp(-0.5 * ((x[:, None] - y[None]) ** 2).sum(axis=2))

    verdict = check_kernel(draw, rbf, ROWS, resolution=0.1, **options)
    assert verdict.status == "holds", str(verdict)
    near = check_kernel(
        draw, lambda x, y: (1 + 0.0025) * rbf(x, y), ROWS, resolution=0.1, **options
    )
    assert near.status == "holds", str(near)


@pytest.mark.slow
def test_a_suspicion_takes_many_fresh_draws():
    """Events of probability 1e-4 are seen in them, but for a chance of a tenth."""
    tiny = lambda seed: lambda x: 0.5 * x * np.random.default_rng(seed).uniform(0.9, 1.1)  # noqa: E731
    verdict = check_kernel(tiny, linear, ROWS)
    assert verdict.status == "refuted"
    assert math.exp(-1e-4 * LEAST) <= 0.1
    assert LEAST < verdict.n_draws < 1.5 * LEAST


def test_the_last_interval_is_as_wide_as_catonis():
    """sqrt(2 log(2/rate) V/n) at three quarters of the rate, but for 1/n."""
    x, y = np.array([[0.0]]), np.array([[1.0]])

    def draw(seed):
        return mehler.FourierFeatures.draw(1, 100, gamma=0.5, form="offset", seed=seed)

    phi = draw(0)
    verdict = check_kernel(draw, phi.kernel, x, y, resolution=0.05)
    low, high = verdict.interval
    cost = 2 * math.log(2 / 0.75e-9) * float(phi.variance(x, y)[0, 0])
    assert (high - low) / 2 == pytest.approx(math.sqrt(cost / verdict.n_features), rel=0.01)
