"""Fourier features in blocks: variances below their bounds, and defects that must show.

Defects are planted below the declarations: of what is ours in the weights. Those of scales and of
offsets are in tests/verify/corpus. All checks run at their default false alarm, 1e-9.
"""

import math

import numpy as np
import pytest

import mehler
from mehler import verify
from tests.verify.corpus.registry import moved_weights

D = 5
_RNG = np.random.default_rng(0)
ROWS = _RNG.standard_normal((3, D)) * 0.6
ROWS = np.vstack([ROWS, ROWS[0] + 0.1 * ROWS[1]])

# Units that depend on each other give one sample a draw: fewer of them, in several blocks.
OPTIONS = {
    "pairs": {"gamma": 0.3},
    "orthogonal": {"gamma": 0.3, "projections": "orthogonal"},
    "orthogonal-matern": {"kernel": "matern", "length_scale": 1.5, "projections": "orthogonal"},
    "hadamard": {"gamma": 0.3, "projections": "hadamard"},
    "hadamard-matern": {"kernel": "matern", "length_scale": 1.5, "projections": "hadamard"},
}


def drawer(kind, defect=None, m=24):
    cls = mehler.FourierFeatures if defect is None else defect(mehler.FourierFeatures)
    return lambda seed: cls(D, m, seed=seed, **OPTIONS[kind])


def kernel_verdict(draw, **options):
    return verify.check_kernel(draw, draw(0).kernel, ROWS, **{"resolution": 0.1, **options})


@pytest.mark.parametrize("kind", ["hadamard", "orthogonal-matern", "hadamard-matern"])
@pytest.mark.sampled(1)
def test_the_variance_of_other_blocks_is_below_its_bound(kind, small_cells):
    """1500 draws know a variance to 3 standard errors of 1/27, for estimates that are nearly
    normal; the claims have room of more than that."""
    draw = drawer(kind)
    x, y = ROWS[:1], np.vstack([ROWS[1:2], ROWS[3:]])
    found = np.stack([draw(seed).gram(x, y)[0] for seed in range(1500)]).var(axis=0)
    claimed = draw(0).gram_variance(x, y)[0]
    assert (found < claimed).all()
    assert (found > 0.1 * claimed).all()


# -- defects ------------------------------------------------------------------------------------


@moved_weights
def lengths_of_coordinates(phi, w):
    """Lengths on the left axis: one for each coordinate of the block, not for each direction."""
    lengths = np.linalg.norm(w, axis=1)[0]
    unit = w / lengths
    blocks = [unit[0][:, k : k + D] * lengths[k : k + D, None] for k in range(0, 10, D)]
    return (np.concatenate([*blocks, w[0][:, 10:]], axis=1)[None],)


@moved_weights
def lengths_before_padding(phi, *parts):
    """chi of the row's dimension where the block has that of the padded one."""
    return *parts[:-1], parts[-1] * math.sqrt(D / 8)


# A defect, and the resolution: the first moves the kernel by 4 % only.
PLANTED = {"orthogonal": (lengths_of_coordinates, 0.03), "hadamard": (lengths_before_padding, 0.1)}


@pytest.mark.parametrize("kind", PLANTED)
def test_a_planted_defect_is_refuted(kind, small_cells):
    defect, resolution = PLANTED[kind]
    verdict = kernel_verdict(drawer(kind, defect), resolution=resolution)
    assert verdict.status == "refuted", str(verdict)
