"""What a check says, and does, when features run short."""

from __future__ import annotations

import numpy as np

import mehler
from mehler import verify

ROWS = np.random.default_rng(3).standard_normal((2, 3))


def test_too_few_samples_for_any_interval_are_said_in_words():
    def draw(seed):
        return mehler.MaxoutFeatures.draw(3, 10, 4, seed=seed)

    verdict = verify.check_kernel(draw, draw(0).kernel, ROWS, max_features=10)
    assert verdict.status == "inconclusive"
    assert "unbounded at so few samples" in verdict.reason
    assert "inf" not in verdict.reason


def test_draws_larger_than_a_target_do_not_end_the_looks():
    """One draw of 20,000 bounded samples covers several planned sizes; more draws decide."""

    def draw(seed):
        signs = np.random.default_rng(seed).choice([-1.0, 1.0], size=(3, 20_000))
        return lambda X: np.cos(X @ signs) / np.sqrt(20_000)

    # E cos(<s, x>) cos(<s, y>) over random signs: half the cosines of sum and difference.
    def kernel(X, Y):
        plus = np.prod(np.cos(X[:, None, :] + Y[None, :, :]), axis=2)
        minus = np.prod(np.cos(X[:, None, :] - Y[None, :, :]), axis=2)
        return (plus + minus) / 2

    verdict = verify.check_kernel(
        draw, kernel, ROWS, bounds=(-1.0, 1.0), independent_features=True, resolution=0.05
    )
    assert verdict.status == "holds", str(verdict)
    assert verdict.n_draws > 1
