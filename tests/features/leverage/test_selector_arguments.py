"""What selectors refuse, before any work."""

import functools

import numpy as np
import pytest

import mehler
from mehler.features import leverage
from tests.features.leverage.pools import POOLS, ROWS, D

POOL = POOLS["pairs"][0]()
CODES = mehler.MaxoutCodes.draw(D, 8, 3, seed=0)
PLAIN = functools.partial(leverage.PlainSampling, POOL)
SAMPLING = functools.partial(leverage.LeverageSampling, POOL, 4)


@pytest.mark.parametrize(
    ("make", "kind", "words"),
    [
        (lambda: leverage.PlainSampling(None, 4), TypeError, "pool must be a map"),
        (lambda: leverage.PlainSampling(CODES, 4), TypeError, "real features"),
        (lambda: PLAIN(5), ValueError, "not a multiple of 2"),
        (lambda: PLAIN(26), ValueError, "exceeds the pool's 24"),
        (lambda: PLAIN(0), ValueError, "n_features"),
        (lambda: PLAIN(4, groups=np.arange(24)), ValueError, "groups split a unit"),
        (lambda: SAMPLING(lam=0.0, seed=0), ValueError, "must be positive and finite"),
        (lambda: SAMPLING(lam=0.1, mix=-0.1, seed=0), ValueError, "mix=-0.1"),
        (lambda: SAMPLING(lam=0.1, draws="random", seed=0), ValueError, "draws='random' is not"),
        (lambda: SAMPLING(lam=0.1, seed=None), TypeError, "seed"),
        (lambda: leverage.TopLeverage(POOL, 4, lam=0.1).fit(ROWS[:, :2]), ValueError, "columns"),
    ],
)
def test_bad_input(make, kind, words):
    with pytest.raises(kind, match=words):
        make()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"columns": [1, 0]}, "ascending"),
        ({"columns": [0, 24]}, "below the pool's 24"),
        ({"gains": [1.0]}, "one of each a feature"),
        ({"gains": [1.0, 0.0]}, "positive"),
        ({"variance_factors": [0.0]}, "three numbers"),
    ],
)
def test_a_selected_map_checks_its_parts(changes, words):
    parts = {"pool": POOL, "columns": [0, 12], "gains": [1.0, 1.0], "unbiased": False}
    with pytest.raises(ValueError, match=words):
        mehler.features.SelectedFeatures(D, 2, seed=0, **{**parts, **changes})
