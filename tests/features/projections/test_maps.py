"""Maxout maps and codes under every projection: the same kernel, variances below their bounds."""

import functools

import numpy as np
import pytest
from scipy import stats

import mehler
from mehler.features import projections

D, M, Q = 5, 12, 3
_RNG = np.random.default_rng(0)
ROWS = _RNG.standard_normal((3, D))
ROWS = np.vstack([ROWS, ROWS[0] + 0.2 * ROWS[1]])

MAPS = {
    "maxout": mehler.MaxoutFeatures.draw,
    "centred": functools.partial(mehler.MaxoutFeatures.draw, centred=True),
    "decoupled": functools.partial(mehler.DecoupledMaxoutFeatures.draw, directions="fresh"),
    "codes": mehler.MaxoutCodes.draw,
}


pytestmark = pytest.mark.usefixtures("small_cells")


def drawer(name, projection):
    return lambda seed: MAPS[name](D, M, Q, seed=seed, projections=projection)


def student(samples):
    """Student's interval at 1e-9, right in the limit of many samples."""
    return stats.t.interval(1 - 1e-9, len(samples) - 1, samples.mean(), stats.sem(samples))


@pytest.mark.slow
@pytest.mark.parametrize("projection", ["orthogonal", "hadamard", "sobol"])
@pytest.mark.parametrize("name", MAPS)
@pytest.mark.sampled(3)
def test_variances_are_below_their_bounds(name, projection):
    """800 draws know a variance to some 15 % at three standard errors, more for heavy tails."""
    draw = drawer(name, projection)
    variances = np.stack([draw(seed).gram(ROWS) for seed in range(800)]).var(axis=0)
    claimed = draw(0).gram_variance(ROWS)
    assert (variances <= 1.3 * claimed + 1e-12).all()
    independent = MAPS[name](D, M, Q, seed=0).gram_variance(ROWS)
    assert (claimed >= independent * (1 - 1e-12)).all()


@pytest.mark.slow
def test_a_pool_from_one_block_has_another_kernel():
    """The defect that independent stacks avoid: orthogonal directions differ more, so the larger
    of two projections is larger on average than h_1(2)."""
    n = 40_000
    x = np.array([[0.6, 0.8]])
    for projection, same in (("gaussian", True), ("orthogonal", False)):
        (weights,) = projections.named(projection).draw(0, 1, 2, 2 * n, "float64")
        largest = (x @ weights[0]).reshape(n, 2).max(axis=1)
        low, high = student(largest)
        mean = mehler.exact.max_moment(1, 2)
        assert low <= mean <= high if same else mean < low


def test_recipes_name_other_projections_only():
    phi = mehler.MaxoutFeatures.draw(D, M, Q, seed=0)
    assert "projections" not in phi.recipe()
    hadamard = mehler.MaxoutFeatures.draw(D, M, Q, seed=0, projections="hadamard")
    assert hadamard.recipe()["projections"] == "hadamard"
    assert "projections='hadamard'" in repr(hadamard)
    assert np.array_equal(mehler.from_recipe(hadamard.recipe())(ROWS), hadamard(ROWS))
    shared = mehler.MaxoutFeatures.draw(D, M, Q, seed=0, n_projections=7)
    assert "projections" not in shared.recipe()
