"""Draws have the mean they claim, and the Gram matrix of their pool, over every outcome."""

import itertools
import json
from typing import get_args

import numpy as np
import pytest

import mehler
from mehler.features import leverage
from mehler.features.leverage import _sampling
from mehler.features.leverage._sampling import Draws, draw_counts, inclusion, points_in
from tests.features.leverage.pools import POOLS, ROWS

RNG = np.random.default_rng(0)
LAWS = [RNG.dirichlet(np.full(n, a)) for n, a in ((5, 1.0), (9, 0.3), (30, 0.2), (8, 50.0))]
laws = pytest.mark.parametrize("q", LAWS, ids=lambda q: str(q.size))


def counts_of(expected, n):
    """Probability and counts of each outcome: they change where an edge is a whole number."""
    ends = np.unique(np.concatenate([[0.0, 1.0], np.cumsum(expected) % 1.0]))
    for low, high in itertools.pairwise(ends):
        yield high - low, points_in(expected, n, (low + high) / 2)


def mean_counts(expected, n):
    return sum(chance * counts for chance, counts in counts_of(expected, n))


@laws
@pytest.mark.parametrize("n", [1, 4, 5])
def test_systematic_draws_are_right_on_average_and_within_one_of_it(q, n):
    assert mean_counts(n * q, n) == pytest.approx(n * q, abs=1e-13)
    for start in (0.0, 0.3, 0.999):
        counts = points_in(n * q, n, start)
        assert counts.sum() == n
        assert np.all(np.abs(counts - n * q) < 1)


@laws
@pytest.mark.parametrize("n", [1, 4, 5])
def test_without_replacement(q, n):
    included = inclusion(q, n)
    assert included.sum() == pytest.approx(n, rel=1e-13)
    assert included.max() <= 1
    # In proportion to q, except those that are certain.
    rest = included < 1
    if rest.any():
        ratio = included[rest] / q[rest]
        assert ratio == pytest.approx(ratio[0], rel=1e-12)
        assert np.all(q[~rest] >= q[rest].max())
    assert mean_counts(included, n) == pytest.approx(included, abs=1e-13)
    for start in (0.0, 0.5, 0.99):
        assert points_in(included, n, start).max() <= 1


@laws
@pytest.mark.parametrize("draws", get_args(Draws))
def test_as_many_draws_as_asked(q, draws):
    counts, expected = draw_counts(draws, np.random.default_rng(1), q, 3)
    assert counts.sum() == 3
    assert counts.dtype.kind == "i"
    assert expected.sum() == pytest.approx(3, rel=1e-13)


def outcomes_of(draws, q, n):
    """Probability, counts and expected counts of each outcome of n draws."""
    if draws == "iid":
        for outcome in itertools.product(range(q.size), repeat=n):
            yield np.prod(q[list(outcome)]), np.bincount(outcome, minlength=q.size), n * q
        return
    # One number is drawn, and counts change where an edge is whole.
    expected = n * q if draws == "systematic" else inclusion(q, n)
    for chance, counts in counts_of(expected, n):
        yield chance, counts, expected


@pytest.mark.parametrize(
    ("draws", "n"),
    [pytest.param("iid", 2, marks=pytest.mark.slow), ("systematic", 5), ("without replacement", 5)],
)
@pytest.mark.parametrize("kind", ["pairs", "offset", "orthogonal"])
def test_draws_are_unbiased(kind, draws, n, monkeypatch):
    """The mean of the Gram matrix over all outcomes is that of the pool."""
    draw, size = POOLS[kind]
    sampler = leverage.LeverageSampling(draw(), n * size, lam=0.01, draws=draws, seed=0)
    q = sampler.law(sampler.scores(ROWS))
    mean, whole = 0.0, 0.0
    for chance, counts, expected in outcomes_of(draws, q, n):
        monkeypatch.setattr(_sampling, "draw_counts", lambda *_, c=counts, e=expected: (c, e))
        mean = mean + chance * sampler.fit(ROWS).gram(ROWS[:4])
        whole += chance
    assert whole == pytest.approx(1, rel=1e-13)
    assert mean == pytest.approx(draw().gram(ROWS[:4]), abs=1e-13)


PLANE = np.random.default_rng(5).standard_normal((40, 2))
LETTER = {"lam": 0.01, "draws": "iid", "mix": 0.0}


def pool(seed=0, m=12):
    return mehler.FourierFeatures.draw(2, m, form="offset", seed=seed)


def test_the_law_is_that_of_the_scores():
    sampler = leverage.LeverageSampling(pool(), 4, seed=0, **LETTER)
    scores = sampler.scores(PLANE)
    np.testing.assert_array_equal(sampler.law(scores), scores.probabilities)
    gram = pool()(PLANE).T @ pool()(PLANE) / len(PLANE)
    tau = np.diag(np.linalg.solve(gram + 0.01 * np.eye(12), gram))
    assert tau == pytest.approx(scores.scores, abs=1e-12)  # 12 * 201 eps, as abs(phi)^2 <= 2


def test_no_variance_is_promised():
    phi = leverage.LeverageSampling(pool(), 4, seed=0, **LETTER).fit(PLANE)
    assert phi.unbiased
    for method in (phi.variance, phi.gram_variance):
        with pytest.raises(ValueError, match="mix > 0"):
            method(PLANE[:2])
    again = mehler.from_recipe(json.loads(json.dumps(phi.recipe())))
    assert again.variance_factors is None
    assert np.array_equal(again(PLANE), phi(PLANE))


def steps(m=12):
    """A pool of steps, some of which are 0 on all rows that point one way."""
    return mehler.KitchenSinks.draw(2, m, activation="step", seed=0)


FEW = np.array([[1.0, 0.0], [2.0, 0.0]])


def test_features_of_score_0_are_never_drawn_and_nothing_is_claimed():
    sampler = leverage.LeverageSampling(steps(), 4, seed=0, **LETTER)
    q = sampler.law(sampler.scores(FEW))
    assert 0 < np.count_nonzero(q) < 12
    phi = sampler.fit(FEW)
    assert not phi.unbiased
    assert set(phi.columns) <= set(np.flatnonzero(q))
    assert np.all(np.isfinite(phi.gains))
