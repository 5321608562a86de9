"""Bets by power sums: never more than the capital itself, hardly less, and valid at every look."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mehler.verify import check_kernel
from mehler.verify._bets import STAKE, Bets, _kappa
from mehler.verify._sources import power_sums
from tests.corpus.fourier import ROWS, Cosines
from tests.verify.excluded import BATCH, MAPS, RATE
from tests.verify.toys import most_misses

CHECKS = 100_000
LEVEL = math.log(2.0 / RATE)
STAGES = (20, 40, 60)


def closed_form(c):
    """(-log(1 - c) - c - c^2/2 - c^3/3) / c^4, which cancels for small c only."""
    return (-math.log1p(-c) - c - c * c / 2.0 - c**3 / 3.0) / c**4


@pytest.mark.parametrize("c", [0.1, 0.3, STAKE])
def test_kappa_is_its_closed_form(c):
    assert _kappa(np.array([c]))[0] == pytest.approx(closed_form(c), rel=1e-9)


def placed(samples, low, high, variance, aim, level=LEVEL):
    """Bets on samples of shape (n, pairs) in STAGES' proportions, and their stakes."""
    pairs = samples.shape[1]
    bets = Bets(np.full(pairs, low), np.full(pairs, high), 0.0)
    start = 0
    for n in STAGES:
        part = samples[start : start + n]
        bets.add(n, power_sums(part), np.full(pairs, variance), level, aim)
        start += n
    return bets


def capital(samples, low, high, variance, aim, m, sign, level=LEVEL):
    """The capital of the two accounts itself, from its definition."""
    accounts = np.zeros((2, samples.shape[1]))
    start = 0
    for n in STAGES:
        part, seen = samples[start : start + n], start + n
        for k, until in enumerate((max(aim, seen), 4 * seen)):
            stake = min(STAKE / (high - low), math.sqrt(2.0 * level / (until * variance)))
            accounts[k] += np.log1p(sign * stake * (part - m)).sum(axis=0)
        start = seen
    return np.logaddexp(*accounts) - math.log(2.0)


LAWS = {
    "coin": lambda rng, shape: 1.0 * (rng.random(shape) < 0.3),
    "rare": lambda rng, shape: 1.0 * (rng.random(shape) < 0.03),
    "skewed": lambda rng, shape: rng.beta(0.2, 3.0, shape),
    "narrow": lambda rng, shape: 0.7 + 0.02 * rng.random(shape),
}


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("aim", [60, 1000])
def test_no_more_than_the_capital(law, sign, aim):
    """At stakes from small to the largest, and at every mean in the range."""
    x = LAWS[law](np.random.default_rng(3), (sum(STAGES), 50))
    bets = placed(x, 0.0, 1.0, 0.05, aim)
    for m in np.linspace(0.0, 1.0, 41):
        certain = bets.log_capital(m, sign)
        assert (certain <= capital(x, 0.0, 1.0, 0.05, aim, m, sign) + 1e-9).all()


def test_at_small_stakes_hardly_less_than_the_capital():
    rng, n = np.random.default_rng(5), 40_000
    x = rng.beta(2.0, 5.0, (n, 20))
    bets = Bets(np.zeros(20), np.ones(20), 0.0)
    bets.add(n, power_sums(x), np.full(20, x.var()), LEVEL, n)
    low, high = bets.ends(LEVEL)
    stake = math.sqrt(2.0 * LEVEL / (n * x.var()))
    for end, sign in ((low, 1.0), (high, -1.0)):
        patient = np.log1p(sign * stake * (x - end)).sum(axis=0)
        # The level itself, and log 2 for the share of the other account.
        assert np.allclose(patient, LEVEL + math.log(2.0), rtol=1e-3)


def alarms(n, names=("cosines", "pairs"), shift=0.0, *, ends=False):
    """Checks whose truth is excluded at any of three looks; stakes of the known variance."""
    count = 0
    for seed in range(n // BATCH):
        batch = MAPS[names[seed % len(names)]](seed)
        x = np.concatenate([batch.samples, MAPS[names[seed % len(names)]](seed + 10**6).samples], 1)
        x = x.T[: sum(STAGES)]
        bets = Bets(np.full(BATCH, -batch.reach), np.full(BATCH, batch.reach), 0.0)
        out, start = np.zeros(BATCH, dtype=bool), 0
        truth = batch.exact + shift * math.sqrt(batch.variance / x.shape[0])
        for size in STAGES:
            part = x[start : start + size]
            bets.add(size, power_sums(part), np.full(BATCH, batch.variance), LEVEL, 120)
            if ends:
                low, high = bets.ends(LEVEL)
                out |= (truth < low) | (truth > high)
            else:  # what the ends are made of
                out |= np.maximum(*(bets.log_capital(truth, s) for s in (1.0, -1.0))) >= LEVEL
            start += size
        count += int(out.sum())
    return count


def test_alarms_at_any_look_are_no_more_than_allowed():
    assert alarms(CHECKS) <= most_misses(CHECKS, RATE)


def test_alarms_of_the_ends_are_those_of_the_capital():
    n = 4000
    assert alarms(n, ends=True) <= most_misses(n, RATE)
    assert alarms(n, shift=4.0, ends=True) == alarms(n, shift=4.0) > 0


def test_claims_that_are_off_raise_alarms():
    """Seven standard errors: most are excluded, so that the test above is not idle."""
    n = 4000
    assert alarms(n, shift=7.0) > 0.5 * n


def whole_checks(repeats):
    """Three pairs, pilot and looks, of the Fourier map told its range only."""
    return sum(
        check_kernel(
            lambda seed: Cosines(seed, n_features=250).__call__,
            Cosines.kernel,
            ROWS[:2],
            bounds=(-2.0, 2.0),
            independent_features=True,
            resolution=0.9,
            false_alarm=RATE,
            seed=seed,
        ).status
        == "refuted"
        for seed in range(repeats)
    )


def test_whole_checks_sampled():
    assert whole_checks(200) <= most_misses(200, RATE)


@pytest.mark.full
def test_whole_checks():
    assert whole_checks(CHECKS) <= most_misses(CHECKS, RATE)


def test_bets_take_fewer_features_than_shares_of_the_rate():
    """At k = 0.956, by the range alone: variance 0.504, six standard errors wide at least.

    2 log(2/alpha) V / (0.01)^2 = 216,000 at the least; with an eighth of the rate a look, the
    empirical Bernstein interval's 2 log(48/alpha) V/h^2 + 14 log(48/alpha) span/(3 h) and its pilot
    inflation took 343,000.
    """
    y = ROWS[:1] + np.array([[0.8, 0.6, 0.0, 0.0]]) * math.sqrt(-math.log(0.956) / 0.3)
    verdict = check_kernel(
        lambda seed: Cosines(seed, n_features=500).__call__,
        Cosines.kernel,
        ROWS[:1],
        y,
        bounds=(-2.0, 2.0),
        independent_features=True,
        resolution=0.02,
    )
    assert verdict.status == "holds", str(verdict)
    assert 216_000 <= verdict.n_features <= 290_000
    assert verdict.n_looks == 1
