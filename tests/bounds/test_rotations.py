"""The mean over n turns beside that over all angles: by hand, by quadrature, and as the page says.

The other route: distances of random images of few frequencies on a fine grid of angles, which no
formula of the bound enters.
"""

from __future__ import annotations

import numpy as np
import pytest
from mehler.proofs_checks.group_invariant.image_rotations import SteerableRotations, image_rotations
from mehler.proofs_checks.group_invariant.kernel.rotations import kernel_change_turns

from mehler.exact.orbits import TemplateLaw

FINE = 1 << 12
ANGLES = 2 * np.pi * np.arange(FINE) / FINE


def pairs(count: int):
    """Yield frequencies and two images by their complex coefficients: equal, near or apart."""
    rng = np.random.default_rng(7)
    for k in range(count):
        most = int(rng.integers(1, 7))
        kinds = np.concatenate([[most], rng.integers(0, most + 1, size=rng.integers(0, 5))])
        weights = 10 ** rng.uniform(-2, 0, size=len(kinds))
        x, z = weights * (rng.standard_normal((2, len(kinds))) + 1j)
        yield kinds, x, (x, x + 10 ** rng.uniform(-4, 0) * z, z)[k % 3]


@pytest.mark.parametrize("n", [1, 2, 4, 8, 16, 64])
@pytest.mark.sampled(3)
def test_no_mean_over_turns_is_further_off(n):
    slope, worst = TemplateLaw("sphere", 20).slope, 0.0
    for kinds, x, z in pairs(400):
        turned = np.exp(1j * np.outer(kinds, ANGLES)) * z[:, None]
        far = np.sqrt((np.abs(x[:, None] - turned) ** 2).sum(axis=0))
        moves = min(float(np.linalg.norm(kinds * entry)) for entry in (x, z))
        arguments = kernel_change_turns(
            n, n_inputs=20, frequency=int(kinds.max()), moves=moves
        ).value
        for start in (0, FINE // n // 2, FINE // n // 3):
            mean = far[start :: FINE // n].mean()
            worst = max(worst, slope * abs(float(mean - far.mean())) / arguments)
    assert worst < 1
    # Not by much more than the page says that is lost.
    assert worst > (0.75 if n <= 4 else 0.3)


def test_the_slope_of_a_distance_varies_by_at_most_eight_times_the_frequency():
    """The step of the proof that counts zeros; half of it is the most that is seen."""
    worst = 0.0
    for kinds, x, z in pairs(400):
        turned = np.exp(1j * np.outer(kinds, ANGLES)) * z[:, None]
        far = np.sqrt((np.abs(x[:, None] - turned) ** 2).sum(axis=0))
        slopes = np.diff(far, append=far[:1]) * FINE / (2 * np.pi)
        moves = min(float(np.linalg.norm(kinds * entry)) for entry in (x, z))
        varies = np.abs(np.diff(slopes, append=slopes[:1])).sum()
        worst = max(worst, float(varies) / (8 * kinds.max() * moves))
    assert 0.4 < worst < 1


def test_the_kernel_of_splines_is_so_near_that_of_all_rotations():
    """Features of a list of interpolated rotations, by their exact kernel."""
    from mehler import GroupInvariantFeatures

    n, side = 12, 6
    x = np.random.default_rng(3).standard_normal((4, side**2))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    group = SteerableRotations(side, side, n)
    splines = image_rotations(side, side, 360 / n * np.arange(n))

    def kernel(of):
        phi = GroupInvariantFeatures.draw(
            side**2, group=of, n_templates=1, seed=0, rule="dither", window=2.0
        )
        return phi.kernel(x)

    slips = np.linalg.norm(splines.transpose(x) - group.transpose(x), axis=2).mean(axis=0).max()
    moves = np.linalg.norm(group.generator(x), axis=1).max()
    arguments = kernel_change_turns(
        n, n_inputs=side**2, frequency=group.frequency, moves=float(moves), slips=float(slips)
    )
    exact = kernel(SteerableRotations(side, side, 512))
    assert np.abs(kernel(group) - exact).max() <= arguments["turns"]
    gap = np.abs(kernel(splines) - exact).max()
    assert arguments["turns"] < gap <= arguments.value
