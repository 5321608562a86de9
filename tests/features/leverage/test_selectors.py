"""Selectors: what they keep, that sampling keeps the kernel exactly, and every library."""

import numpy as np
import pytest

import mehler
from mehler import _arrays
from mehler.features import leverage
from mehler.features.leverage._selector import natural_groups
from tests.features.leverage.pools import POOLS, ROWS, SELECTORS, D
from tests.places import CPU

pools = pytest.mark.parametrize("kind", POOLS)
selectors = pytest.mark.parametrize("selector", SELECTORS)
places = pytest.mark.parametrize("place", CPU, ids=lambda place: place.name)


def chosen_from(kind, selector):
    draw, size = POOLS[kind]
    return SELECTORS[selector](draw(), 16 - 16 % size)


def fitted(kind, selector):
    return chosen_from(kind, selector).fit(ROWS)


@pools
@selectors
def test_columns_of_the_pool_times_gains_and_kernels(kind, selector):
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


@pytest.mark.slow
@places
@pytest.mark.parametrize("kind", ["pairs", "decoupled", "sinks"])
@pytest.mark.parametrize("selector", ["sampling", "once", "top-leverage"])
@pytest.mark.sampled(8)
def test_every_library(place, kind, selector):
    draw, _ = POOLS[kind]
    x = place.asarray(ROWS)
    pool = draw().to(x)
    psi = SELECTORS[selector](pool, 16).fit(x)
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
        assert psi.columns == SELECTORS[selector](draw(), 16).fit(ROWS).columns
    assert np.abs(_arrays.to_host(psi.to(ROWS)(ROWS)) - expected).max() < 1e-5


# -- variance over draws of pool and selection -------------------------------------------------

POINTS = np.random.default_rng(9).standard_normal((3, D))


@pytest.mark.slow
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


DASK = [place for place in CPU if place.name == "dask"]
BY_SCORES = [name for name in SELECTORS if name != "plain"]


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("kind", ["pairs", "maxout", "steps"])
@pytest.mark.parametrize("selector", BY_SCORES)
@pytest.mark.parametrize("place", DASK, ids=lambda place: place.name)
@pytest.mark.filterwarnings("ignore:invalid value")
def test_chunks_that_are_not_finite_raise_when_they_are_computed(place, selector, kind, value):
    """Steps of NaN are 0: features alone would not show it."""
    rows = ROWS.copy()
    rows[23, 1] = value
    x = place.asarray(rows)
    steps = mehler.KitchenSinks.draw(D, 24, activation="step", seed=0)
    pool = steps if kind == "steps" else POOLS[kind][0]()
    choice = SELECTORS[selector](pool, 8)
    for act in (choice.fit, choice.scores):
        with pytest.raises(ValueError, match="a chunk of X holds NaN or infinity, first in row"):
            act(x)
    with pytest.raises(ValueError, match="a chunk of Phi holds NaN or infinity"):
        leverage.ridge_leverage_scores(x, 0.01)


@pytest.mark.parametrize("selector", BY_SCORES)
@pytest.mark.parametrize("place", DASK, ids=lambda place: place.name)
def test_chunks_of_unknown_size_are_refused(place, selector):
    x = place.asarray(ROWS)
    x = x[x[:, 0] > -1.0]
    choice = SELECTORS[selector](POOLS["pairs"][0](), 8)
    with pytest.raises(ValueError, match="unknown sizes; call its compute_chunk_sizes"):
        choice.fit(x)
    assert choice.fit(x.compute_chunk_sizes()).columns == choice.fit(_arrays.to_host(x)).columns
