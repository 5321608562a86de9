"""Refutations of means that are too small: what unseen events would have to carry."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy.stats import binom

from mehler import recheck, verify
from mehler.verify.nonparametric._unseen import Unseen
from mehler.verify.sampling._draws import Draws
from mehler.verify.sampling._sources import power_sums
from tests.verify.toys import most_misses

X = np.random.default_rng(0).standard_normal((2, 3))
RARE = "mehler.verify.nonparametric._unseen.SECONDS"


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


@pytest.mark.parametrize("level", [2.0, 5.0, 24.0])
@pytest.mark.parametrize("n", [100, 4000, 10**6])
def test_a_count_of_mean_l_exceeds_e_times_l_as_seldom_as_stated(n, level):
    assert binom.sf(math.ceil(math.e * level) - 1, n, level / n) <= math.exp(-level)


@pytest.mark.parametrize("p", [1e-4, 1e-3, 0.05])
def test_unseen_events_carry_what_is_stated(p):
    """Two values of mean 0: where n p is below L the rarer one is cut off, and E Y' is known."""
    n, rate, repeats = 2000, 0.05, 200
    small, level = -0.25, math.log(5.0 / rate)
    large = -small * (1.0 - p) / p
    # Sizes above q have probability L/n or less.
    truth = abs(small) * (1.0 - p) if p <= level / n else 0.0
    rng, misses = np.random.default_rng(3), 0
    for _ in range(repeats):
        y = np.where(rng.random(n) < p, large, small)
        misses += Unseen.of(n, power_sums(y[:, None]), rate).least[0] > truth
    assert misses <= most_misses(repeats, rate)


def test_the_statement_is_close_where_nothing_is_rare():
    """Normal gaps of mean -1 and deviation 0.1: nearly all of the mean is seen."""
    y = np.random.default_rng(4).normal(-1.0, 0.1, (20_000, 1))
    unseen = Unseen.of(20_000, power_sums(y), 1e-9)
    # M is (20,000)^(1/4) = 12, so that (e + 14/3) L M/n is 0.1, and the rest below 0.02.
    assert 0.88 < unseen.least[0] < 1.0
    assert unseen.one_in == pytest.approx(20_000 / math.log(5e9))


def test_draws_that_are_seen_are_inconclusive(monkeypatch):
    monkeypatch.setattr(RARE, 1e-9)
    verdict = verify.check_kernel(with_rare_draws(2e-3), rbf, X)
    assert verdict.status == "inconclusive"


def test_draws_that_are_not_seen_are_named_with_what_they_carry(monkeypatch):
    """A map whose kernel is exact is refuted, as no test can avoid: the words say unless what."""
    monkeypatch.setattr(RARE, 1e-9)
    verdict = verify.check_kernel(with_rare_draws(1e-9), rbf, X)
    assert verdict.status == "refuted"
    text = "draws rarer than 1 in "
    assert verdict.reason.startswith(f"Unless {text}")
    assert verdict.assumptions[1].startswith(f"not that {text}")
    words = verdict.reason.split()
    one_in, carried = int(words[6].replace(",", "")), float(words[10])
    # The truth is what was stated: draws of 1 in 10^9 carry a quarter.
    assert 0.125 <= carried <= 0.25
    level = math.log(5.0 / (0.5e-9 / 3.0))
    assert one_in <= verdict.n_draws / 2 / level * 2
    with pytest.raises(AssertionError) as failure:
        verify.require(verdict)
    assert "Unless draws rarer" in str(failure.value)


def test_fresh_draws_that_do_not_agree_refute_nothing(monkeypatch):
    """The first 5,000 draws are a quarter too small, all others right."""
    monkeypatch.setattr(RARE, 1e-9)
    draws = Draws(lambda seed: None, 0)
    first = {draws.seed(k) for k in range(5_000)}

    def draw(seed):
        return cosines(seed, math.sqrt(0.75) if seed in first else 1.0)

    verdict = verify.check_kernel(draw, rbf, X)
    assert verdict.status == "inconclusive"
    assert "fresh draws do not confirm it" in verdict.reason


@pytest.mark.parametrize("budget", [70_000, 1_000_000])
def test_a_budget_without_fresh_draws_refutes_nothing(monkeypatch, budget):
    monkeypatch.setattr(RARE, 1e-9)
    verdict = verify.check_kernel(
        lambda seed: cosines(seed, math.sqrt(0.5)), rbf, X, max_features=budget
    )
    assert verdict.status == ("refuted" if budget == 1_000_000 else "inconclusive")


def test_a_certificate_says_that_it_was_confirmed(monkeypatch):
    monkeypatch.setattr(RARE, 1e-9)
    verdict = verify.check_kernel(lambda seed: cosines(seed, math.sqrt(0.5)), rbf, X)
    content = json.loads(json.dumps(verdict.certificate()))
    assert recheck.decide(content)[0] == 0
    for test in content["statistics"][0]["tests"]:
        test["confirmed"] = 0
    del content["digest"]
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    digest = "sha256:" + recheck.hashlib.sha256(text.encode()).hexdigest()
    assert recheck.decide({**content, "digest": digest})[0] == 1
