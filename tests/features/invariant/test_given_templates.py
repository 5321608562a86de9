"""Templates of the user's: the map and its empirical kernel."""

import numpy as np
import pytest

import mehler
from mehler.features import groups

RNG = np.random.default_rng(2)
D, M = 4, 3
TEMPLATES = RNG.standard_normal((M, D))
X = RNG.standard_normal((3, D)) / 2
SHIFTS = groups.CyclicShifts(D)
RULES = ["paper", "trapezoid", "midpoint"]


def draw(seed=0, group=SHIFTS, templates=TEMPLATES, **options):
    return mehler.GroupInvariantFeatures.draw(
        D, group=group, templates=templates, n_bins=6, seed=seed, **options
    )


def by_hand(rows, phi):
    """Features from their definition, one orbit at a time."""
    columns = []
    for t in TEMPLATES:
        values = np.stack([rows @ np.roll(t, k) for k in range(D)], axis=1)
        below = values[:, :, None] <= phi.bins.thresholds
        columns.append(below.mean(axis=1) * np.sqrt(phi.bins.weights / M))
    return np.concatenate(columns, axis=1)


@pytest.mark.parametrize("rule", RULES)
def test_features_are_those_of_the_given_templates(rule):
    phi = draw(rule=rule)
    np.testing.assert_allclose(phi(X), by_hand(X, phi), atol=1e-14)
    assert phi.n_units == M
    np.testing.assert_allclose(phi(np.roll(X, 1, axis=1)), phi(X), atol=1e-14)


@pytest.mark.parametrize("rule", RULES)
def test_the_empirical_kernel_of_the_whole_group_is_the_gram(rule):
    phi = draw(rule=rule)
    np.testing.assert_allclose(phi.kernel(X), phi.gram(X), atol=1e-13)
    assert not np.any(phi.variance(X))
    assert not np.any(phi.gram_variance(X))


def test_random_templates_of_a_law_given_by_hand_are_the_same_map():
    law = mehler.GroupInvariantFeatures.draw(D, group=SHIFTS, n_templates=5, n_bins=6, seed=3)
    rows, _ = law._templates()
    given = draw(3, templates=rows, window=law.bins.window)
    np.testing.assert_allclose(given(X), law(X), atol=1e-14)
