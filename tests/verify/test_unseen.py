"""Refutations of means that are too small, and the fraction that unseen events would carry."""

import math
from functools import cache

import numpy as np
import pytest

from mehler import verify
from mehler.verify._maps import Draws
from mehler.verify._sources import power_sums
from mehler.verify.intervals._undeclared import LEAST, contribution
from tests.verify.toys import most_misses

X = np.random.default_rng(0).standard_normal((2, 3))


def rbf(x, y):
    return np.exp(-0.5 * ((x[:, None] - y[None]) ** 2).sum(axis=2))


def cosines(seed, size, m=16):
    rng = np.random.default_rng(seed)
    w, b = rng.standard_normal((3, m)), rng.uniform(0.0, 2.0 * np.pi, m)
    return lambda x: size * np.sqrt(2.0 / m) * np.cos(x @ w + b)


def with_rare_draws(p, carried=0.25):
    """The kernel is exact; draws of probability p carry a quarter of it."""

    def draw(seed):
        rare = np.random.default_rng([seed, 1]).random() < p
        return cosines(seed, math.sqrt(carried / p if rare else (1.0 - carried) / (1.0 - p)))

    return draw


@pytest.mark.parametrize("p", [1e-4, 1e-3, 0.05])
@pytest.mark.parametrize("with_range", [False, True])
def test_unseen_events_carry_what_is_stated(p, with_range):
    """Two values of mean 0: where p is below L/n the rarer one is cut off, and carries 1/4."""
    n, rate, repeats = 2000, 0.05, 200
    small, level = -0.25, math.log(4.0 / rate)
    large = -small * (1.0 - p) / p
    rng, misses = np.random.default_rng(3), 0
    for _ in range(repeats):
        y = np.where(rng.random(n) < p, large, small)
        truth = abs(small) if p <= level / n and y.sum() < 0.0 else 0.0
        endpoints = (y.min(), y.max()) if with_range else None
        misses += contribution(n, power_sums(y[:, None]), rate, 0.1, endpoints)[0] > truth
    assert misses <= most_misses(repeats, rate)


@pytest.mark.slow
def test_draws_that_are_not_seen_are_named_with_what_they_carry():
    """A map whose kernel is exact is refuted, as no test can avoid: the words say unless what."""
    verdict = verify.check_kernel(with_rare_draws(1e-9), rbf, X)
    assert verdict.status == "refuted"
    text = "draws rarer than 1 in "
    assert verdict.reason.startswith(f"Unless {text}")
    assert verdict.assumptions[1].startswith(f"not that {text}")
    words = verdict.reason.split()
    one_in, carried = int(words[6].replace(",", "")), float(words[10])
    # The truth is what was stated: draws of 1 in 10^9 carry a quarter.
    assert 0.125 <= carried <= 0.25
    level = math.log(4.0 / (0.5e-9 / 3.0))
    assert one_in <= verdict.n_draws / 2 / level * 2
    with pytest.raises(AssertionError) as failure:
        verify.require(verdict)
    assert "Unless draws rarer" in str(failure.value)


@pytest.mark.slow
def test_fresh_draws_that_do_not_agree_refute_nothing():
    """The first 300 draws are a half too small, all others right, also together with these."""
    draws = Draws(lambda seed: None, 0)
    first = {draws.seed(k) for k in range(300)}

    def draw(seed):
        return cosines(seed, math.sqrt(0.5) if seed in first else 1.0)

    assert verify.check_kernel(draw, rbf, X).status != "refuted"
    for most, reason in ((4_000, "too few draws are allowed"), (26_000, "do not confirm it")):
        few = verify.check_kernel(draw, rbf, X, resolution=0.01, max_features=16 * most)
        assert few.status == "inconclusive"
        assert reason in few.reason


def projections(seed, size, m=200):
    w = np.random.default_rng(seed).standard_normal((3, m))
    return lambda x: size * x @ w / math.sqrt(m)


def plain(seed):
    return projections(seed, 1.0)


@cache
def with_rare_projections(p, power, carried=0.25):
    """Draws of probability p carry a quarter of the mean of the features' power."""

    def draw(seed):
        rare = np.random.default_rng([seed, 1]).random() < p
        return projections(seed, (carried / p if rare else (1 - carried) / (1 - p)) ** (1 / power))

    return draw


def variance(x, y):
    return (x**2).sum(axis=1)[:, None] * (y**2).sum(axis=1) + (x @ y.T) ** 2


def of_variances(draw, factor=1.0):
    return verify.check_variance(
        draw, lambda x, y: factor * variance(x, y), X, independent_features=True
    )


@cache
def two_features(draw):
    z = np.array([draw(seed)(X[:1])[0, :2] for seed in range(20_000)])
    return z * math.sqrt(200) / np.linalg.norm(X[0])


def of_samples(draw, factor=1.0):
    return verify.check_mean(two_features(draw)[:, 0] ** 2, factor, resolution=0.1)


def of_products(draw, factor=1.0):
    claim = factor * np.eye(2)
    return verify.check_mean(two_features(draw), claim, mean=[0, 0], resolution=0.1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("check", "power", "events", "carried"),
    [
        (of_variances, 4, "groups of 8 features", 0.25),
        (of_samples, 2, "samples", 0.25),
        (of_products, 2, "rows", 0.25),
    ],
)
def test_means_of_every_check_say_unless_what(check, power, events, carried):
    """Draws of 1 in 10^9 carry a quarter, which the words state; means a third off are refuted."""
    for draw, factor in ((with_rare_projections(1e-9, power), 1.0), (plain, 1.5)):
        verdict = check(draw, factor)
        assert verdict.status == "refuted", str(verdict)
        assert verdict.reason.startswith(f"Unless {events} rarer than 1 in ")
        assert verdict.assumptions[1].startswith(f"not that {events} rarer than 1 in ")
        stated = float(verdict.reason.split("at least ")[1].split()[0])
        # A group of 8 features counts as so many events.
        events_seen = verdict.n_draws * (200 if check is of_variances else 1)
        assert events_seen >= LEAST or check in (of_samples, of_products)
        if factor == 1.0:
            assert 0.3 * carried <= stated <= carried
    assert check(plain).status != "refuted"
    larger = check(plain, 0.6)
    assert larger.status == "refuted"
    assert ("nothing else" in larger.assumptions[1]) == (check is not of_samples)
