"""check_reproducible: seeds that are ignored, unset or related are found; ours are not."""

from __future__ import annotations

import numpy as np
import pytest

import mehler
from mehler.verify import check_reproducible
from tests.verify.toys import most_misses, points

X = points(3, 4)


def signs(seed, m=40):
    rng = np.random.default_rng(seed)
    w = rng.standard_normal((4, m))
    return lambda x: np.sign(x @ w) / np.sqrt(m)


def gaussian(seed, m=40, *, sign=1.0):
    w = np.random.default_rng(seed).standard_normal((4, m))
    return lambda x: sign * (x @ w) / np.sqrt(m)


def unit_seeds(seed):
    """Unit l from seed + l: the next seed has all units but one in common."""
    w = np.stack([np.random.default_rng(seed + l).standard_normal(4) for l in range(30)], axis=1)
    return lambda x: x @ w / np.sqrt(30)


_GLOBAL = np.random.default_rng(0)


GOOD = {
    "gaussian": gaussian,
    "signs": signs,
    "maxout": lambda s: mehler.MaxoutFeatures.draw(4, 40, 3, seed=s),
    "decoupled": lambda s: mehler.DecoupledMaxoutFeatures.draw(4, 40, 3, seed=s),
    "codes": lambda s: mehler.MaxoutCodes.draw(4, 40, 3, seed=s),
}
BAD = {
    "ignored": lambda s: gaussian(5),
    "unset": lambda s: gaussian(None),
    "global state": lambda s: gaussian(_GLOBAL.integers(2**31)),
    "codes of one seed": lambda s: mehler.MaxoutCodes.draw(4, 40, 3, seed=5),
    "codes of halved seeds": lambda s: mehler.MaxoutCodes.draw(4, 40, 3, seed=s // 2),
    "halved": lambda s: gaussian(s // 2),
    "modulo 50": lambda s: gaussian(s % 50),
    "units of neighbours": unit_seeds,
    "scaled by parity": lambda s: gaussian(s // 2, sign=1.0 + s % 2),
    "mirrored": lambda s: gaussian(s // 2, sign=1.0 - 2.0 * (s % 2)),
    "ten bits": lambda s: gaussian(s % 2**10),
}


@pytest.mark.parametrize("name", GOOD)
def test_correct_maps_are_reproducible(name):
    verdict = check_reproducible(GOOD[name], X)
    assert verdict.holds
    assert verdict.detectable <= 0.5


@pytest.mark.parametrize("name", BAD)
def test_defects_of_seeding_are_refuted(name):
    verdict = check_reproducible(BAD[name], X)
    assert verdict.status == "refuted"
    assert verdict.reason
    assert verdict.where


def test_few_draws_are_inconclusive():
    assert check_reproducible(gaussian, X, max_draws=200).status == "inconclusive"


def test_it_raises_no_more_alarms_than_it_says():
    """Signs of independent draws are fair coins exactly, so this needs no large numbers."""
    repeats, rate = 300, 0.2
    alarms = sum(
        check_reproducible(gaussian, X, false_alarm=rate, resolution=1.2, seed=seed).status
        == "refuted"
        for seed in range(repeats)
    )
    assert alarms <= most_misses(repeats, rate)


def test_a_resolution_that_says_nothing_is_refused():
    with pytest.raises(ValueError, match="vacuous"):
        check_reproducible(gaussian, X, resolution=2.0)
