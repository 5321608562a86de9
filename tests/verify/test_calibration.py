"""10^5 independent checks of correct maps, for each interval: no more alarms than it allows.

At false alarm 1e-3 the alarms of right code are at most binomial with mean 100, and more than
`most_misses` = 165 of them have probability at most 1e-9, whatever the seed. Each check looks at
units of its own, from the maps' own code. Whether an interval excludes a value is written from the
formula in its docstring, for many checks at once.
"""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

import mehler
from mehler.verify._sources import power_sums
from mehler.verify.intervals._range import Wealth
from tests.verify.corpus.fourier import ROWS, Cosines, Pairs
from tests.verify.toys import most_misses

RATE, UNITS, CHECKS = 1e-3, 60, 100_000
# Checks that one drawn map serves.
BATCH = 1000
COST = math.log(2.0 / RATE)
X, Y = np.array([[0.9, -0.3, 0.5]]), np.array([[0.4, 0.7, 1.1]])


@dataclass(frozen=True)
class Batch:
    """Samples of shape (checks, UNITS) of products whose mean is `exact`."""

    samples: Any
    exact: float
    variance: float
    reach: float


def batch(phi: Any, x: Any, y: Any, reach: float = math.inf) -> Batch:
    products = np.asarray(phi.products(x, y), dtype=float).reshape(BATCH, UNITS)
    # Pairs of columns make one sample, of half the variance that is declared a column.
    variance = float(phi.variance(x, y)[0, 0]) * products.size / phi.n_features
    return Batch(products, float(phi.kernel(x, y)[0, 0]), variance, reach)


def maxout(cls: Any = mehler.MaxoutFeatures, q: int = 4, **options: Any) -> Any:
    return lambda seed: batch(cls.draw(3, BATCH * UNITS, q, seed=seed, **options), X, Y)


def fourier(cls: Any, columns: int, reach: float) -> Any:
    x, y = ROWS[:1], ROWS[1:2]
    return lambda seed: batch(cls(seed, n_features=columns * BATCH * UNITS), x, y, reach)


BOUNDED = {"cosines": fourier(Cosines, 1, 2.0), "pairs": fourier(Pairs, 2, 1.0)}
MAPS = {
    "maxout": maxout(),
    "maxout, pool of 2": maxout(q=2),
    "centred": maxout(centred=True),
    "decoupled": maxout(mehler.DecoupledMaxoutFeatures, directions="fresh"),
    "codes": maxout(mehler.MaxoutCodes),
    **BOUNDED,
}


def known_variance(checks: Batch, share: float = 1.0) -> Any:
    """|sum psi(a (X_i - theta))| > n a^2 V/2 + log(2/alpha)."""
    n, variance = checks.samples.shape[1], share * checks.variance
    a = math.sqrt(2.0 * COST / (n * variance))
    u = a * (checks.samples - checks.exact)
    score = np.sign(u) * np.log(1.0 + np.abs(u) + 0.5 * u * u)
    return np.abs(score.sum(axis=1)) > n * a * a * variance / 2.0 + COST


def betting(checks: Batch) -> Any:
    """Either capital reaches 2/alpha at the last sample, at this mean."""
    x = (checks.samples + checks.reach) / (2.0 * checks.reach)
    m = (checks.exact + checks.reach) / (2.0 * checks.reach)
    n = x.shape[1]
    numbers = np.arange(1, n + 1)
    means = (0.5 + np.cumsum(x, axis=1)) / (numbers + 1)
    variances = (0.25 + np.cumsum((x - means) ** 2, axis=1)) / (numbers + 1)
    before = np.hstack([np.full((len(x), 1), 0.25), variances[:, :-1]])
    stakes = np.sqrt(2.0 * COST / (n * before))
    up = np.log(1.0 + np.minimum(stakes, 0.75 / m) * (x - m)).sum(axis=1)
    down = np.log(1.0 - np.minimum(stakes, 0.75 / (1.0 - m)) * (x - m)).sum(axis=1)
    return np.maximum(up, down) >= COST


def wealth(checks: Batch) -> Any:
    """Either wealth by power sums reaches 2/alpha at one of three inspections."""
    bets = Wealth(np.full(BATCH, -checks.reach), np.full(BATCH, checks.reach), 0.0)
    out = np.zeros(len(checks.samples), dtype=bool)
    for part in np.split(checks.samples.T, 3):
        bets.add(len(part), power_sums(part))
        out |= np.maximum(*(bets.log_wealth(checks.exact, s) for s in (1.0, -1.0))) >= COST
    return out


ROUTES = {
    "known variance": (known_variance, MAPS),
    "betting": (betting, BOUNDED),
    "wealth": (wealth, BOUNDED),
}


def batches(maps, n):
    """n checks: maps of fresh seeds in turn, BATCH checks each."""
    makers = list(maps.values())
    return [makers[seed % len(makers)](seed) for seed in range(n // BATCH)]


def alarms(maps, route, n=CHECKS, shift=0.0):
    """Checks that exclude the truth, or a claim off by so many standard errors."""
    count = 0
    for batch in batches(maps, n):
        off = shift * math.sqrt(batch.variance / UNITS)
        count += int(route(replace(batch, exact=batch.exact + off)).sum())
    return count


@pytest.mark.slow
@pytest.mark.parametrize("name", ROUTES)
@pytest.mark.sampled(1)
def test_alarms_are_no_more_than_allowed(name):
    route, maps = ROUTES[name]
    assert alarms(maps, route) <= most_misses(CHECKS, RATE) == 165
