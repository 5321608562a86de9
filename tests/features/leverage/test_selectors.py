"""Selectors: what they keep, that sampling keeps the kernel exactly, and every library."""

from __future__ import annotations

import itertools
import json
import pickle

import numpy as np
import pytest

import mehler
from mehler import _arrays
from mehler.features import leverage
from mehler.features.leverage._selector import natural_groups
from tests.features.leverage.pools import POOLS, ROWS, SELECTORS, TARGETS, D
from tests.places import CPU

pools = pytest.mark.parametrize("kind", POOLS)
selectors = pytest.mark.parametrize("selector", SELECTORS)
places = pytest.mark.parametrize("place", CPU, ids=lambda place: place.name)


def chosen_from(kind, selector):
    draw, size = POOLS[kind]
    return SELECTORS[selector](draw(), 16 - 16 % size)


def fitted(kind, selector):
    return chosen_from(kind, selector).fit(ROWS, TARGETS)


@pools
@selectors
def test_features_are_columns_of_the_pool_times_gains(kind, selector):
    draw, size = POOLS[kind]
    psi = fitted(kind, selector)
    pool = draw()
    expected = pool(ROWS)[:, list(psi.columns)] * np.asarray(psi.gains)
    assert np.abs(psi(ROWS) - expected).max() < 1e-14
    assert psi.n_features <= 16
    # Whole groups, and one gain each.
    labels = natural_groups(pool)
    of_groups = np.bincount(labels[list(psi.columns)], minlength=labels.max() + 1)
    assert set(of_groups) <= {0, size}
    gains = dict(zip(labels[list(psi.columns)], psi.gains))
    assert all(gains[labels[c]] == g for c, g in zip(psi.columns, psi.gains))


@pools
@selectors
def test_kernels(kind, selector):
    psi = fitted(kind, selector)
    assert psi.unbiased is not chosen_from(kind, selector).changes_kernel
    kernel = psi.kernel(ROWS[:5], ROWS[5:9])
    if psi.unbiased:
        assert np.array_equal(kernel, psi.pool.kernel(ROWS[:5], ROWS[5:9]))
        assert np.all(psi.gram_variance(ROWS[:5], ROWS[5:9]) > 0)
    else:
        assert kernel == pytest.approx(psi.gram(ROWS[:5], ROWS[5:9]), rel=1e-13, abs=1e-15)
        assert not np.any(psi.variance(ROWS[:5]))
        # Masses sum to 1, so the scale is that of the pool.
        mass = np.square(psi.gains).sum() / psi.pool.n_features
        assert mass == pytest.approx(1, rel=1e-12)


@pools
def test_recipes_come_back(kind):
    psi = fitted(kind, "sampling")
    again = mehler.from_recipe(json.loads(json.dumps(psi.recipe())))
    assert np.array_equal(again(ROWS), psi(ROWS))
    assert again.variance_factors == psi.variance_factors
    assert np.array_equal(pickle.loads(pickle.dumps(psi))(ROWS), psi(ROWS))
    with pytest.raises(AttributeError, match="immutable"):
        psi.gains = (1.0,)


@places
@pytest.mark.parametrize("kind", ["pairs", "decoupled", "sinks"])
@pytest.mark.parametrize("selector", ["sampling", "eerf", "greedy", "top-variance"])
@pytest.mark.sampled(10)
def test_every_library(place, kind, selector):
    draw, _ = POOLS[kind]
    x = place.asarray(ROWS)
    pool = draw().to(x)
    psi = SELECTORS[selector](pool, 16).fit(x, place.asarray(TARGETS[:, None]))
    z = place.apply(psi, x)
    assert _arrays.array_namespace(z) is _arrays.array_namespace(x)
    close = 1e-12 if place.has_float64 else 1e-5
    values = _arrays.to_host(z)
    # The columns are its own: scores in float32 may order near ties otherwise.
    expected = draw()(ROWS)[:, list(psi.columns)] * np.asarray(psi.gains)
    assert np.abs(values - expected).max() < close
    kernel = _arrays.to_host(psi.kernel(x))
    assert kernel.shape == (30, 30)
    if place.has_float64:
        assert psi.columns == SELECTORS[selector](draw(), 16).fit(ROWS, TARGETS).columns
    assert np.abs(_arrays.to_host(psi.to(ROWS)(ROWS)) - expected).max() < 1e-5


# -- variance over draws of pool and selection -------------------------------------------------

POINTS = np.random.default_rng(9).standard_normal((3, D))


@pytest.mark.parametrize("draws", ["systematic", "iid", "without replacement"])
@pytest.mark.parametrize("kind", ["pairs", "orthogonal"])
@pytest.mark.sampled(2)
def test_the_variance_is_an_upper_bound(kind, draws):
    draw, size = POOLS[kind]

    def make(seed):
        how = {"lam": 0.01, "mix": 0.1, "draws": draws, "seed": seed}
        return leverage.LeverageSampling(draw(seed), 4 * size, **how).fit(ROWS)

    values = np.array([make(seed).gram(POINTS[:1], POINTS[1:]).ravel() for seed in range(300)])
    bound = make(0).gram_variance(POINTS[:1], POINTS[1:]).ravel()
    # The relative standard error of a variance of 300 draws is below 20 %.
    assert np.all(values.var(axis=0) < bound)


@pytest.mark.parametrize("kind", ["pairs", "offset", "maxout", "sinks"])
def test_plain_sampling_has_the_variance_of_fewer_features(kind):
    draw, size = POOLS[kind]
    psi = leverage.PlainSampling(draw(), 8 * size).fit(ROWS)
    small = type(psi.pool)(**{**psi.pool._arguments(), "n_features": 8 * size})
    assert psi.gram_variance(POINTS) == pytest.approx(small.gram_variance(POINTS), rel=1e-12)
    assert np.abs(psi(POINTS) - small(POINTS)).max() < 1e-14


# -- what is chosen ----------------------------------------------------------------------------


def test_top_leverage_takes_the_largest_scores():
    pool = POOLS["offset"][0]()
    tau = leverage.ridge_leverage_scores(pool(ROWS) * 24**0.5, 0.01).scores
    psi = leverage.TopLeverage(pool, 5, lam=0.01).fit(ROWS)
    assert set(psi.columns) == set(np.argsort(-tau)[:5])
    assert psi.gains == pytest.approx([(24 / 5) ** 0.5] * 5, rel=1e-14)


def test_top_variance_takes_the_largest_variances():
    pool = POOLS["maxout"][0]()
    psi = leverage.TopVariance(pool, 5).fit(ROWS)
    assert set(psi.columns) == set(np.argsort(-pool(ROWS).var(axis=0))[:5])


def test_eerf_takes_the_largest_correlations_and_centres_targets():
    pool = POOLS["offset"][0]()
    y = TARGETS - TARGETS.mean()
    aligned = np.abs(pool(ROWS).T @ y)
    chosen = leverage.EERF(pool, 5)
    assert set(chosen.fit(ROWS, TARGETS).columns) == set(np.argsort(-aligned)[:5])
    assert chosen.fit(ROWS, TARGETS + 100).columns == chosen.fit(ROWS, TARGETS).columns
    two = np.stack([TARGETS, -3 * TARGETS], axis=1)
    assert chosen.fit(ROWS, two).columns == chosen.fit(ROWS, TARGETS).columns


@pytest.mark.parametrize("kind", ["pairs", "offset", "maxout"])
def test_lkrf_and_eerf_choose_the_same_features(kind):
    """Wherever LKRF's support is large enough: its weights increase with the correlation."""
    for seed in range(10):
        pool = POOLS[kind][0](seed)
        lkrf = leverage.LKRF(pool, 8, rho=0.5, weighted=False).fit(ROWS, TARGETS)
        assert lkrf.n_features == 8
        eerf = leverage.EERF(pool, 8).fit(ROWS, TARGETS)
        assert (lkrf.columns, lkrf.gains) == (eerf.columns, eerf.gains)


def test_lkrf_with_a_small_support_keeps_less():
    pool = POOLS["offset"][0]()
    psi = leverage.LKRF(pool, 20, rho=20.0).fit(ROWS, TARGETS)
    assert psi.n_features < 20


@pytest.mark.parametrize("k", [1, 2, 5, 12])
def test_greedy_steps_keep_the_bound(k):
    from mehler.bounds import kitchen_sinks
    from mehler.features.leverage._labelled import steps

    phi = POOLS["offset"][0]()(ROWS) * 24**0.5
    size = np.sqrt(np.mean(phi**2, axis=0).max())
    y = (phi[:, 3] - 0.5 * phi[:, 7] + 0.2 * phi[:, 11]) / size
    chosen = steps(phi, y, 1.7, k)
    # The best signed equal-weight sum of the chosen features is at least as near.
    norm = float(np.sqrt(np.mean(y**2)))
    best = min(
        np.sqrt(np.mean((np.array(signs) * 1.7 / size / k @ phi[:, chosen].T - y) ** 2))
        for signs in itertools.product((-1, 1), repeat=k)
    )
    assert best <= kitchen_sinks.approximation_greedy(k, total_weight=1.7, norm=norm).value + 1e-12


def test_scores_say_whether_sampling_pays():
    pool = POOLS["offset"][0]()
    found = leverage.LeverageSampling(pool, 5, lam=0.01, seed=0).scores(ROWS)
    assert "fewer than twice" in found.no_gain
