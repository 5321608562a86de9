"""10^5 independent checks of correct maps, for each interval: no more alarms than it allows.

At false alarm 1e-3 the alarms of right code are at most binomial with mean 100, and more than
`most_misses` = 165 of them have probability at most 1e-9, whatever the seed. Each check looks at
units of its own, so checks are independent; the units come from the maps' own code.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from mehler.verify import check_kernel, intervals
from tests.corpus.fourier import ROWS, Cosines
from tests.verify import excluded
from tests.verify.excluded import BATCH, MAPS, RATE, UNITS
from tests.verify.toys import most_misses, require_rate

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


@pytest.mark.parametrize("n", [500, pytest.param(CHECKS, marks=pytest.mark.full)])
def test_whole_checks(n):
    """Of the Fourier map: three pairs share the rate by a union bound."""
    options = {"resolution": 0.9, "false_alarm": RATE}

    def check(seed):
        draw = lambda word: Cosines(word, n_features=250)  # noqa: E731
        return check_kernel(draw, Cosines.kernel, ROWS[:2], seed=seed, **options)

    require_rate(check, n, RATE)


def test_the_bound_is_the_one_stated():
    assert most_misses(CHECKS, RATE) == 165
