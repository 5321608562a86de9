"""10^5 independent checks of correct maps, for each interval: no more alarms than it allows.

At false alarm 1e-3 the alarms of right code are at most binomial with mean 100, and more than
`most_misses` = 165 of them have probability at most 1e-9, whatever the seed. Each check looks at
units of its own, so checks are independent; the units come from the maps' own code.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import mehler
from mehler.verify import check_kernel, intervals
from tests.corpus.fourier import ROWS, Cosines
from tests.verify import excluded
from tests.verify.excluded import BATCH, MAPS, RATE, UNITS, X
from tests.verify.toys import most_misses

CHECKS = 100_000
EVERY = tuple(MAPS)
FOURIER = ("cosines", "pairs")

ROUTES = {
    "known variance": (excluded.known_variance, EVERY),
    "betting": (excluded.betting, FOURIER),
    "bounded": (excluded.bounded, FOURIER),
    "binomial": (excluded.binomial, ("codes",)),
}


def batches(names, n):
    """n checks: maps of fresh seeds in turn, BATCH checks each."""
    return [MAPS[names[seed % len(names)]](seed) for seed in range(n // BATCH)]


def alarms(names, route, n=CHECKS):
    return sum(int(route(batch).sum()) for batch in batches(names, n))


@pytest.mark.parametrize("name", ROUTES)
@pytest.mark.sampled(1)
def test_alarms_are_no_more_than_allowed(name):
    route, maps = ROUTES[name]
    assert alarms(maps, route) <= most_misses(CHECKS, RATE)


def test_too_many_alarms_are_seen():
    """A quarter of the variance halves the interval, 3.9 standard errors: some 5 alarms in 100."""

    def too_narrow(batch):
        return excluded.known_variance(batch, share=0.25)

    n = 20_000
    assert alarms(FOURIER, too_narrow, n) > most_misses(n, RATE)


@pytest.mark.parametrize("name", ["known variance", "betting"])
def test_what_is_counted_is_what_the_interval_excludes(name):
    """Batches ask only whether the truth is excluded; here the intervals themselves are made.

    At a claim 3.5 standard errors off, so that both answers occur.
    """
    route, maps = ROUTES[name]
    answers = []
    for batch in batches(maps, len(maps) * BATCH):
        off = batch.shifted(3.5 * math.sqrt(batch.variance / UNITS)).first(100)
        whole = [not low <= off.exact <= high for low, high in off.intervals(name)]
        answers += whole
        assert np.array_equal(route(off), whole)
    assert 0.1 < np.mean(answers) < 0.9


@pytest.mark.full
def test_dkw_alarms_of_exact_laws():
    """Maxout units have the law Phi^q, cosines with an offset the arcsine law."""
    count = 0
    ranks = np.arange(UNITS)
    for batch in range(CHECKS // BATCH):
        u = excluded.uniforms(batch)
        u = np.sort(u, axis=1)
        above, below = (ranks + 1) / UNITS - u, u - ranks / UNITS
        gap = np.maximum(above.max(axis=1), below.max(axis=1))
        count += int((gap > intervals.dkw(UNITS, RATE)).sum())
    assert count <= most_misses(CHECKS, RATE)


@pytest.mark.full
def test_asymptotic_alarms_of_normal_features():
    """Only normal samples make it exact: features of a pool of one, whose mean is 0."""
    count = 0
    for seed in range(CHECKS // BATCH):
        phi = mehler.MaxoutFeatures.draw(3, BATCH * UNITS, 1, seed=seed)
        for row in phi(X)[0].reshape(BATCH, UNITS):
            low, high = intervals.asymptotic(row, RATE)
            count += not low <= 0.0 <= high
    assert count <= most_misses(CHECKS, RATE)


def kernel_alarms(repeats):
    """Whole checks of the Fourier map: three pairs share the rate by a union bound."""
    return sum(
        check_kernel(
            lambda seed: Cosines(seed, n_features=250),
            Cosines.kernel,
            ROWS[:2],
            resolution=0.9,
            false_alarm=RATE,
            seed=seed,
        ).status
        == "refuted"
        for seed in range(repeats)
    )


def test_whole_checks_sampled():
    assert kernel_alarms(500) <= most_misses(500, RATE)


@pytest.mark.full
def test_whole_checks():
    assert kernel_alarms(CHECKS) <= most_misses(CHECKS, RATE)


def test_the_bound_is_the_one_stated():
    assert most_misses(CHECKS, RATE) == 165
