"""Fourier features in blocks: variances below their bounds; faults are in tests/verify/corpus."""

import functools

import numpy as np
import pytest

import mehler
from tests.verify.corpus.fourier_cases import FIVE


@pytest.mark.parametrize("kind", ["hadamard", "orthogonal-matern", "hadamard-matern"])
@pytest.mark.sampled(1)
def test_the_variance_of_other_blocks_is_below_its_bound(kind, small_cells):
    """1500 draws know a variance to 3 standard errors of 1/27, for estimates that are nearly
    normal; the claims have room of more than that."""
    projections, _, matern = kind.partition("-")
    options = {"kernel": "matern", "length_scale": 1.5} if matern else {"gamma": 0.3}
    make = functools.partial(mehler.FourierFeatures.draw, 5, 24, projections=projections)
    draw = lambda seed: make(seed=seed, **options)  # noqa: E731
    x, y = FIVE[:1], np.vstack([FIVE[1:2], FIVE[3:]])
    variance = np.stack([draw(seed).gram(x, y)[0] for seed in range(1500)]).var(axis=0)
    claimed = draw(0).gram_variance(x, y)[0]
    assert (variance < claimed).all()
    assert (variance > 0.1 * claimed).all()
