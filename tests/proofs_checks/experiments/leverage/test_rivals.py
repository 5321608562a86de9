"""Rivals of leverage scores: what they keep, and how it is weighted."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from mehler.proofs_checks.experiments.leverage import rivals
from mehler.proofs_checks.experiments.leverage.rivals import largest_mean

import mehler
from mehler.features.leverage._selector import natural_groups
from tests.features.leverage.pools import POOLS, ROWS, D
from tests.golden import _maps
from tests.verify.map_kinds import SCORED

TARGETS = np.sin(2 * ROWS[:, 0]) + ROWS[:, 1]
# Of a pool, n_features and y.
RIVALS = {
    "top-variance": lambda pool, m, y: rivals.TopVariance(pool, m),
    "eerf": lambda pool, m, y: rivals.EERF(pool, m, y=y),
    "lkrf": lambda pool, m, y: rivals.LKRF(pool, m, y=y, rho=1.0),
    "greedy": lambda pool, m, y: rivals.Greedy(pool, m, y=y, total_weight=4.0),
}
# Features, chosen by versions before 0.4 from the same pool and rows.
GOLDEN = json.loads(Path(__file__).with_name("rivals.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("kind", POOLS)
@pytest.mark.parametrize("rival", RIVALS)
def test_features_are_columns_of_the_pool_times_gains(kind, rival) -> None:
    draw, size = POOLS[kind]
    pool = draw()
    psi = RIVALS[rival](pool, 16 - 16 % size, TARGETS).fit(ROWS)
    expected = pool(ROWS)[:, list(psi.columns)] * np.asarray(psi.gains)
    assert np.abs(psi(ROWS) - expected).max() < 1e-14
    assert not psi.unbiased
    # Whole groups, and one gain each; masses sum to 1, so the scale is that of the pool.
    labels = natural_groups(pool)
    of_groups = np.bincount(labels[list(psi.columns)], minlength=labels.max() + 1)
    assert set(of_groups) <= {0, size}
    gains = dict(zip(labels[list(psi.columns)], psi.gains))
    assert all(gains[labels[c]] == g for c, g in zip(psi.columns, psi.gains))
    assert np.square(psi.gains).sum() / pool.n_features == pytest.approx(1, rel=1e-12)


@pytest.mark.parametrize("kind", GOLDEN)
def test_the_choice_is_that_of_earlier_versions(kind) -> None:
    recipe = GOLDEN[kind]["recipe"]
    pool = mehler.FourierFeatures.draw(D, 48, gamma=0.3, form="offset", seed=26)
    psi = RIVALS[kind](pool, 12, np.sin(2 * SCORED[:, 0])).fit(SCORED)
    assert list(psi.columns) == recipe["columns"]
    np.testing.assert_allclose(psi.gains, recipe["gains"], rtol=1e-11)
    for phi in (psi, mehler.from_recipe(recipe)):
        for dtype in _maps.DTYPES:
            golden = {f"{kind}/features/float64": GOLDEN[kind]["features/float64"]}
            close = _maps.tolerance(kind, "features", dtype, golden)
            off = np.abs(phi(_maps.ROWS.astype(dtype)) - GOLDEN[kind][f"features/{dtype}"])
            assert np.all(off <= close)


def columns(selector, pool, n, y, **options):
    return selector(pool, n, y=y, **options).fit(ROWS).columns


def test_eerf_takes_the_largest_correlations_and_centres_targets() -> None:
    pool = POOLS["offset"][0]()
    aligned = np.abs(pool(ROWS).T @ (TARGETS - TARGETS.mean()))
    chosen = columns(rivals.EERF, pool, 5, TARGETS)
    assert set(chosen) == set(np.argsort(-aligned)[:5])
    two = np.stack([TARGETS, -3 * TARGETS], axis=1)
    for targets in (TARGETS + 100, two):
        assert columns(rivals.EERF, pool, 5, targets) == chosen


@pytest.mark.parametrize("kind", ["pairs", "offset", "maxout"])
def test_lkrf_and_eerf_choose_the_same_features(kind) -> None:
    """Wherever LKRF's support is large enough: its weights increase with the correlation."""
    for seed in range(10):
        pool = POOLS[kind][0](seed)
        lkrf = rivals.LKRF(pool, 8, y=TARGETS, rho=0.5, weighted=False).fit(ROWS)
        assert lkrf.n_features == 8
        eerf = rivals.EERF(pool, 8, y=TARGETS).fit(ROWS)
        assert (lkrf.columns, lkrf.gains) == (eerf.columns, eerf.gains)


@pytest.mark.parametrize("seed", range(20))
def test_conditions_of_optimality(seed):
    """On the support q = a + gamma v with one gamma >= 0, elsewhere a + gamma v <= 0."""
    rng = np.random.default_rng(seed)
    v = rng.standard_normal(25) ** 2
    q = largest_mean(v, 3.0)
    inside = q > 0
    gamma, a = np.polyfit(v[inside], q[inside], 1)
    assert gamma > 0
    assert q[inside] == pytest.approx(a + gamma * v[inside], abs=1e-12)
    assert np.all(a + gamma * v[~inside] <= 1e-12)
    assert 25 * np.sum((q - 1 / 25) ** 2) == pytest.approx(3.0, rel=1e-12)
