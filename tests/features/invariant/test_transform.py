"""Features by their definition: every layout against moved templates and comparisons."""

import json

import numpy as np
import pytest
from mehler.proofs_checks.group_invariant.image_rotations import SteerableRotations, image_rotations

import mehler
from mehler.exact import orbits
from mehler.features import groups
from mehler.features.invariant import _draws as draws
from mehler.verify import check_invariance

LAYOUTS = {
    "blocks": {"group": groups.BlockPermutations(12, 3)},
    "blocks, sampled": {"group": groups.BlockPermutations(12, 3), "n_elements": 4},
    "blocks, drawn": {"group": groups.BlockPermutations(12, 3).drawn(4, seed=1)},
    "shifts": {"group": groups.CyclicShifts(80)},
    "image shifts": {"group": groups.ImageShifts(8, 9)},
    "moved": {"group": groups.Dihedral(6)},
    "moved with signs": {"group": groups.SignFlips(6, 3)},
    "moved with zeros": {"group": groups.ImageShifts(3, 4, max_shift=1, fill="zero")},
    "orbit": {"group": image_rotations(4, 4, [-20, 0, 20])},
    "orbit, steerable": {"group": SteerableRotations(4, 4, 5)},
    "orbit of its own": {"group": groups.CyclicShifts(6), "n_elements": 3, "own_elements": True},
    "many elements": {"group": groups.BlockPermutations(12, 6)},
}


def draw(seed=0, *, n_templates=6, n_bins=3, window=1.2, **options):
    d = options["group"].n_inputs
    return mehler.GroupInvariantFeatures.draw(
        d, n_templates=n_templates, n_bins=n_bins, window=window, seed=seed, **options
    )


def rows(d, n=5):
    x = np.random.default_rng(11).standard_normal((n, d))
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def projections(phi, x):
    """<g_i t_j, x> for each template, shape (m, r, n), and which templates count."""
    if isinstance(phi.templates, list):
        templates, scales = np.array(phi.templates), np.ones(phi.n_units)
    else:
        templates, scales = draws.templates(phi.law, phi.seed, phi.n_units)
    elements = phi._elements()
    columns = []
    for j, t in enumerate(templates):
        parts = elements[j] if elements.ndim == 3 else elements
        columns.append(phi.group.apply(t[None], parts)[:, 0] @ x.T)
    return np.array(columns), scales


def by_definition(phi, x):
    values, scales = projections(phi, x)
    thresholds = np.tile(phi.bins.thresholds, (phi.n_units, 1))
    if phi.bins.rule == "dither":
        offsets = draws.offsets(phi.seed, phi.n_units)
        assert (offsets >= 0).all()
        assert (offsets < 1).all()
        thresholds = thresholds + phi.bins.step * offsets[:, None]
    shares = (values[:, :, :, None] <= thresholds[:, None, None, :]).mean(axis=1)
    shares *= np.sqrt(phi.bins.weights / phi.n_units) * scales[:, None, None]
    return np.moveaxis(shares, 0, 1).reshape(len(x), -1)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("rule", orbits.RULES)
def test_every_layout_is_the_definition(layout, rule):
    phi = draw(rule=rule, **LAYOUTS[layout])
    assert phi._layout == layout.partition(",")[0].partition(" ")[0].replace(
        "image", "shifts"
    ).replace("many", "moved")
    x = rows(phi.n_inputs)
    # Counts over r, times a root: rounding of one product.
    np.testing.assert_allclose(phi(x), by_definition(phi, x), rtol=0, atol=1e-15)


@pytest.mark.parametrize("templates", orbits.LAWS)
def test_templates_have_their_law(templates):
    phi = draw(templates=templates, group=groups.Trivial(5), n_templates=200, epsilon=0.2)
    t, scales = draws.templates(phi.law, 0, 20_000)
    lengths = np.linalg.norm(t, axis=1)
    if templates == "sphere":
        np.testing.assert_allclose(lengths, 1.0, rtol=1e-15)
    if templates == "redraw":
        assert lengths.max() < np.sqrt(1.2)
    expected = phi.law.mass
    assert scales.mean() == pytest.approx(expected, abs=6 * np.sqrt(0.25 / 20_000))
    if templates == "zero":
        assert (lengths[scales == 1] < np.sqrt(1.2)).all()
        assert (lengths[scales == 0] >= np.sqrt(1.2)).all()
    # The mean size of a coordinate, over templates that are kept: six standard errors.
    sizes = np.abs(t[scales == 1]).ravel()
    assert sizes.mean() == pytest.approx(
        phi.law.mean_absolute, abs=6 * sizes.std() / len(sizes) ** 0.5
    )


def test_the_papers_columns():
    """Dimension (2n + 1) m, first column 0, last one 1, rows that never fall."""
    phi = draw(rule="paper", group=groups.BlockPermutations(12, 3), n_bins=4, window=1.0)
    assert phi.n_features == (2 * 4 + 1) * 6
    z = phi(rows(12)).reshape(5, 6, 9) / np.sqrt(phi.bins.step / 6)
    assert (z[:, :, 0] == 0).all()
    np.testing.assert_allclose(z[:, :, -1], 1.0, rtol=1e-15)
    assert (np.diff(z, axis=2) >= 0).all()
    # Multiples of one count.
    np.testing.assert_allclose(6 * z, np.round(6 * z), atol=1e-13)


@pytest.mark.parametrize(
    "layout", ["blocks", "shifts", "image shifts", "moved", "moved with signs"]
)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_whole_groups_leave_the_features_alone(layout, dtype):
    group = LAYOUTS[layout]["group"]
    x = rows(group.n_inputs, 3).astype(dtype)

    def act(element):
        return lambda x: group.apply(x, element[None])[0].astype(dtype)

    parts = [act(element) for element in group.elements()[1:4]]
    verdict = check_invariance(lambda seed: draw(seed, n_templates=50, group=group), parts, x)
    assert verdict.holds, str(verdict)


def test_templates_and_elements_are_prefixes():
    for options in ({}, {"n_elements": 2, "own_elements": True}, {"rule": "dither"}):
        few = draw(n_templates=3, group=groups.CyclicShifts(6), **options)
        many = draw(n_templates=150, group=groups.CyclicShifts(6), **options)
        x = rows(6)
        first = many(x)[:, : few.n_features] * np.sqrt(150 / 3)
        np.testing.assert_allclose(first, few(x), rtol=1e-14)


def test_large_groups_are_sampled_and_their_kernel_is_refused():
    large = groups.BlockPermutations(24, 12)
    phi = draw(group=large, n_elements=30)
    assert phi(rows(24)).shape == (5, 36)
    with pytest.raises(ValueError, match=r"too many to list; take some of them: group\.drawn"):
        phi.kernel(rows(24))
    with pytest.raises(ValueError, match="too many to list"):
        draw(group=large)
    fixed = draw(group=large.drawn(30, seed=0))
    assert fixed.kernel(rows(24)).shape == (5, 5)


def test_a_group_may_come_as_its_recipe():
    group = groups.CyclicShifts(6)
    recipe = json.loads(json.dumps(group.recipe()))
    assert (
        draw(group=group).recipe()
        == mehler.GroupInvariantFeatures.draw(
            6, n_templates=6, n_bins=3, window=1.2, seed=0, group=recipe
        ).recipe()
    )


@pytest.mark.parametrize("rule", ["paper", "trapezoid", "midpoint"])
def test_given_templates_are_used_and_their_empirical_kernel_is_the_gram(rule):
    x, templates = rows(4), np.random.default_rng(2).standard_normal((3, 4))
    phi = draw(n_templates=3, rule=rule, templates=templates, group=groups.CyclicShifts(4))
    assert np.array_equal(phi.templates, templates)
    np.testing.assert_allclose(phi(x), by_definition(phi, x), rtol=0, atol=1e-15)
    np.testing.assert_allclose(phi.kernel(x), phi.gram(x), atol=1e-13)
    assert not np.any(phi.variance(x))
    assert not np.any(phi.gram_variance(x))


def test_templates_of_a_law_given_by_hand_are_the_same_map():
    law = draw(group=groups.CyclicShifts(4))
    templates, _ = draws.templates(law.law, law.seed, law.n_units)
    by_hand = draw(group=law.group, templates=templates)
    np.testing.assert_allclose(by_hand(rows(4)), law(rows(4)), atol=1e-14)
