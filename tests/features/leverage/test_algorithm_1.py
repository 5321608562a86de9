"""Algorithm 1 to the letter: independent draws by the scores alone."""

import json

import numpy as np
import pytest

import mehler
from mehler.features import leverage

ROWS = np.random.default_rng(5).standard_normal((40, 2))
LETTER = {"lam": 0.01, "draws": "iid", "mix": 0.0}


def pool(seed=0, m=12):
    return mehler.FourierFeatures.draw(2, m, form="offset", seed=seed)


def test_the_law_is_that_of_the_scores():
    sampler = leverage.LeverageSampling(pool(), 4, seed=0, **LETTER)
    scores = sampler.scores(ROWS)
    np.testing.assert_array_equal(sampler.law(scores), scores.probabilities)


def test_no_variance_is_promised():
    chosen = leverage.LeverageSampling(pool(), 4, seed=0, **LETTER).fit(ROWS)
    assert chosen.unbiased
    for method in (chosen.variance, chosen.gram_variance):
        with pytest.raises(ValueError, match="mix > 0"):
            method(ROWS[:2])
    again = mehler.from_recipe(json.loads(json.dumps(chosen.recipe())))
    assert again.variance_factors is None
    assert np.array_equal(again(ROWS), chosen(ROWS))


def steps(m=12):
    """A pool of steps, some of which are 0 on all rows that point one way."""
    return mehler.KitchenSinks.draw(2, m, activation="step", seed=0)


FEW = np.array([[1.0, 0.0], [2.0, 0.0]])


def test_features_of_score_0_are_never_drawn_and_nothing_is_claimed():
    sampler = leverage.LeverageSampling(steps(), 4, seed=0, **LETTER)
    q = sampler.law(sampler.scores(FEW))
    assert 0 < np.count_nonzero(q) < 12
    chosen = sampler.fit(FEW)
    assert not chosen.unbiased
    assert set(chosen.columns) <= set(np.flatnonzero(q))
    assert np.all(np.isfinite(chosen.gains))


def test_too_few_scores_are_refused():
    how = {**LETTER, "draws": "without replacement"}
    with pytest.raises(ValueError, match=r"mix=0.0 draws from .* groups of 12"):
        leverage.LeverageSampling(steps(), 11, seed=0, **how).fit(FEW)
