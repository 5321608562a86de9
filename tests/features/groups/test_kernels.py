"""Distances and kernels of orbits against sums over all pairs of elements."""

import numpy as np
import pytest

from mehler.features import groups

RNG = np.random.default_rng(4)
CASES = {
    "permutations": groups.BlockPermutations(6, 3),
    "shifts": groups.CyclicShifts(6),
    "zero shifts": groups.ImageShifts(2, 3, max_shift=1, fill="zero"),
    "maps": groups.LinearMaps(RNG.standard_normal((4, 6, 6))),
    "some": groups.CyclicShifts(6).subset([[0], [2]]),
}
X, Z = RNG.standard_normal((3, 6)), RNG.standard_normal((2, 6))


def distances(group, x, z):
    a, b = group.transpose(x), group.transpose(z)
    return np.linalg.norm(a[:, None, :, None] - b[None, :, None], axis=-1).mean(axis=(0, 1))


@pytest.mark.parametrize("group", CASES.values(), ids=list(CASES))
def test_mean_and_energy_distances(group):
    np.testing.assert_allclose(
        groups.mean_distance(group, X, Z), distances(group, X, Z), rtol=1e-12
    )
    diagonals = [np.diag(distances(group, rows, rows)) for rows in (X, Z)]
    expected = 2 * distances(group, X, Z) - diagonals[0][:, None] - diagonals[1][None]
    np.testing.assert_allclose(groups.energy_distance(group, X, Z), expected, atol=1e-12)


@pytest.mark.parametrize("group", CASES.values(), ids=list(CASES))
@pytest.mark.parametrize("moves_along", [True, False])
def test_haar_kernel(group, moves_along):
    def gaussian(a, b):
        return np.exp(-0.3 * ((a[:, None] - b[None]) ** 2).sum(axis=-1))

    value = groups.haar_kernel(gaussian, group, X, Z, moves_along=moves_along)
    expected = np.mean([gaussian(a, b) for a in group.apply(X) for b in group.apply(Z)], axis=0)
    np.testing.assert_allclose(value, expected, rtol=1e-12)


def test_haar_kernel_of_no_distances_needs_both_averages():
    """A kernel with a preferred axis does not move along."""
    group = groups.CyclicShifts(6)

    def first(a, b):
        return np.outer(a[:, 0], b[:, 0])

    both = groups.haar_kernel(first, group, X, Z, moves_along=False)
    np.testing.assert_allclose(both, np.outer(X.mean(axis=1), Z.mean(axis=1)), rtol=1e-12)
    assert np.abs(groups.haar_kernel(first, group, X, Z) - both).max() > 0.01


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_no_overflow(scale):
    group = groups.CyclicShifts(6)
    for function in (groups.mean_distance, groups.energy_distance):
        value = function(group, scale * X, scale * Z) / scale
        np.testing.assert_allclose(value, function(group, X, Z), rtol=1e-9)
    assert groups.mean_distance(group, 0 * X).tolist() == np.zeros((3, 3)).tolist()
