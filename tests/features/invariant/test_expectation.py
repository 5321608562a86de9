"""Kernels and variances at finite bins and samples: against the theory, and against draws."""

import itertools
import math

import numpy as np
import pytest
from mehler.proofs_checks.group_invariant.image_rotations import image_rotations

import mehler
from mehler import verify
from mehler.exact import orbits
from mehler.features import groups
from mehler.features.groups import mean_distance


def rows(d, n=3, low=0.5):
    rng = np.random.default_rng(2)
    x = rng.standard_normal((n, d))
    return x / np.linalg.norm(x, axis=1, keepdims=True) * rng.uniform(low, 1.0, (n, 1))


def draw(seed=0, *, n_templates=400, **options):
    d = options["group"].n_inputs
    return mehler.GroupInvariantFeatures.draw(d, n_templates=n_templates, seed=seed, **options)


# Each law, rule, way to sample and kind of list at least once; window None cuts nothing off up
# to 16 dimensions.
SETTINGS = {
    "whole group, the paper's rule": {
        "group": groups.BlockPermutations(12, 3), "rule": "paper", "n_bins": 2,
    },
    "one bin": {"group": groups.CyclicShifts(7), "rule": "paper", "n_bins": 1},
    "one trapezoid": {"group": groups.CyclicShifts(7), "rule": "trapezoid", "n_bins": 1},
    "one dithered bin": {"group": groups.CyclicShifts(7), "rule": "dither", "n_bins": 1},
    "redraw": {"group": groups.CyclicShifts(6), "templates": "redraw", "window": 1.2},
    "zero": {"group": groups.CyclicShifts(6), "templates": "zero", "rule": "paper", "epsilon": 0.1},
    "gaussian, dithered": {
        "group": groups.CyclicShifts(6), "templates": "gaussian", "rule": "dither",
    },
    "distinct elements": {"group": groups.Dihedral(6), "n_elements": 3, "own_elements": True},
    "independent elements": {
        "group": groups.Dihedral(6), "n_elements": 3, "own_elements": True, "replacement": True,
    },
    "clipped": {"group": groups.SignFlips(5, 1), "window": 0.6, "rule": "midpoint"},
    "maps of no group": {
        "group": groups.LinearMaps(np.random.default_rng(0).standard_normal((4, 5, 5)) / 2),
        "window": 1.5,
    },
    "some of the maps": {
        "group": groups.LinearMaps(np.random.default_rng(0).standard_normal((4, 5, 5)) / 2),
        "n_elements": 2, "own_elements": True, "window": 1.5,
    },
    "interpolated rotations": {"group": image_rotations(4, 4, [-20, 0, 20])},
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.sampled(2)
def test_gram_has_the_kernel_within_one_per_cent(setting):
    options = SETTINGS[setting]
    phi = draw(**options)
    verdict = verify.check_kernel(
        lambda seed: draw(seed, n_templates=2000, **options),
        phi.kernel,
        rows(phi.n_inputs, 2, low=0.8),
        resolution=0.01,
    )
    assert verdict.holds, str(verdict)


@pytest.mark.parametrize("n_bins", [1, 2])
@pytest.mark.parametrize("rule", ["paper", "trapezoid", "midpoint"])
def test_e5_binning_at_one_and_two_bins(n_bins, rule):
    """d = 2: max(<t, x>, <t, g z>) at 200,000 angles of t, and the ceiling of it."""
    group = groups.SignFlips(2, 1)
    x = rows(2, 2)
    phi = draw(group=group, rule=rule, n_bins=n_bins, window=1.0, n_templates=1)
    angle = 2 * np.pi * (np.arange(200_000) + 0.5) / 200_000
    t = np.stack([np.cos(angle), np.sin(angle)])
    h = phi.bins.step
    for i, j in itertools.product(range(2), repeat=2):
        largest = np.concatenate(
            [np.maximum(x[i] @ t, moved @ t) for moved in group.apply(x[j][None])[:, 0]]
        )
        ceiling = np.ceil(largest / h) - largest / h
        exact = 1.0 - largest.mean()
        bias = {
            "paper": h * (1 - ceiling.mean()),
            "trapezoid": h * (0.5 - ceiling.mean()),
            "midpoint": h * np.mean(largest / h - np.round(largest / h)),
        }[rule]
        # A jump of the joint law lies within one of 400,000 angles: 2 h n / 200,000.
        assert phi.kernel(x)[i, j] - exact == pytest.approx(bias, abs=1e-4)
        limit = draw(group=group, rule="dither", window=1.0, n_templates=1).kernel(x)[i, j]
        assert limit == pytest.approx(exact, abs=1e-8)


@pytest.mark.parametrize("replacement", [True, False])
@pytest.mark.parametrize("r", [1, 2, 5, 10])
def test_e6_and_e7_samples_of_elements(r, replacement):
    group = groups.Dihedral(5)
    x = rows(5)
    phi = draw(group=group, n_elements=r, replacement=replacement, rule="dither", window=1.0)
    w = 1 / r if replacement else (10 - r) / (r * 9)
    D = mean_distance(group, x)
    plain = np.linalg.norm(x[:, None] - x[None], axis=2)
    kappa = math.gamma(2.5) / (2 * math.sqrt(math.pi) * math.gamma(3))
    expected = 1.0 - kappa * ((1 - w) * D + w * plain)
    np.testing.assert_allclose(phi.kernel(x), expected, atol=1e-8)
    images = group.actions[3](x)
    change = 2 * kappa * w * np.linalg.norm(x - images, axis=1)
    defect = np.diag(phi.kernel(x) + phi.kernel(images) - 2.0 * phi.kernel(x, images))
    np.testing.assert_allclose(defect, change, atol=1e-7)


SINGLE = {
    "trivial": {"group": groups.Trivial(4), "rule": "paper", "n_bins": 3},
    "one element": {"group": groups.CyclicShifts(4), "n_elements": 1, "own_elements": True},
    "one map": {"group": groups.LinearMaps([np.diag([1.0, 0.5, 0.2, 0.0])]), "n_bins": 2},
    "zero": {"group": groups.Trivial(4), "templates": "zero", "rule": "trapezoid", "epsilon": 0.2},
}


@pytest.mark.parametrize("setting", SINGLE)
def test_the_variance_of_single_elements_is_exact(setting):
    options = SINGLE[setting]
    verdict = verify.check_variance(lambda seed: draw(seed, **options), None, rows(4, 2))
    assert verdict.holds, str(verdict)


@pytest.mark.parametrize("setting", [s for s in SETTINGS if s not in SINGLE])
@pytest.mark.sampled(3)
def test_the_variance_is_a_bound_that_is_not_idle(setting):
    """Of 100,000 templates: the sample variance has a relative error of about 1 per cent."""
    options = SETTINGS[setting]
    phi = draw(n_templates=50_000, **options)
    x = rows(phi.n_inputs, 2)
    products = phi.products(np.repeat(x, 2, axis=0), np.tile(x, (2, 1)))
    variance = products.var(axis=1).reshape(2, 2) * phi.bins.columns
    bound = phi.variance(x)
    assert (variance <= 1.05 * bound).all()
    assert (bound <= 60 * variance).all()


def test_shared_elements_of_any_list_by_enumeration():
    """Var over samples, from the mean given each sample."""
    maps = groups.LinearMaps(np.random.default_rng(1).standard_normal((3, 4, 4)) / 2)
    x = rows(4, 2)
    whole = draw(group=maps, n_elements=2, n_bins=2, window=1.5)
    expected = np.array(
        [
            draw(group=maps.subset(list(pair)), n_bins=2, window=1.5).kernel(x)
            for pair in itertools.combinations(maps.elements().tolist(), 2)
        ]
    )
    np.testing.assert_allclose(expected.mean(axis=0), whole.kernel(x), atol=1e-12)
    variance = whole._moments.shared_variance(x, x)
    np.testing.assert_allclose(variance, expected.var(axis=0), atol=1e-12)


def test_rows_of_no_length_and_of_any_length():
    phi = draw(group=groups.CyclicShifts(3), n_bins=2, rule="paper", window=1.0)
    x = np.array([[0.0, 0.0, 0.0], [1e-200, 0, 0], [1e200, 1e200, -1e200], [0.3, 0.2, 0.1]])
    k, z = phi.kernel(x), phi(x)
    assert np.isfinite(k).all()
    # A zero row has all projections 0, at or below three of five thresholds.
    assert k[0, 0] == pytest.approx(3 * phi.bins.step)
    np.testing.assert_allclose(z[0] @ z[0], k[0, 0])
    # The long row is never inside the window, the short one always.
    signs = orbits.expected_product(
        phi.law, phi.bins, np.full(3, 1e9), np.full(3, 1e9), 1e18 * np.array([1.0, -1 / 3, -1 / 3])
    )
    assert k[2, 2] == pytest.approx(signs.mean(), abs=1e-8)
    assert np.isfinite(phi.variance(x)).all()
