"""Rows whose claimed kernel is 0 have features of 0 in every draw, whatever is known of a map."""

from __future__ import annotations

import numpy as np
import pytest

from mehler.verify import check_kernel

ROWS = np.array([[0.0, 0.0, 0.0], [0.6, 0.0, 0.8], [0.0, 1.0, 0.0]])
M = 200


def linear(left, right):
    return left @ right.T


def drawn(at_zero):
    """<w, x> with standard normal w, whose kernel is <x, y>; at_zero(signs) in a row of zeros."""

    def draw(seed):
        rng = np.random.default_rng(seed)
        weights = rng.standard_normal((3, M))
        constant = at_zero(rng.choice([-1.0, 1.0], M))

        def phi(rows):
            features = rows @ weights
            return np.where(rows.any(axis=1)[:, None], features, constant) / np.sqrt(M)

        return phi

    return draw


@pytest.mark.parametrize(
    "at_zero",
    [
        pytest.param(lambda signs: 0.5 * signs, id="of random sign"),  # k(0, 0) = 0.25, k(0, y) = 0
        pytest.param(lambda signs: 0.5 + 0.0 * signs, id="constant"),
    ],
)
def test_other_features_are_refuted(at_zero):
    """Nothing is known of the tails: bets on |u + v|^2, whose claim is |v|^2 alone, decide."""
    assert check_kernel(drawn(at_zero), linear, ROWS, resolution=0.2).status == "refuted"


@pytest.mark.parametrize("rounded", [5.6e-33, -1e-18])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.sampled(2)
def test_a_claim_that_is_0_but_for_rounding_is_0(rounded, dtype):
    """Features of a null space are rounding too: in units of the claim they would be anything."""
    rng = np.random.default_rng(3)
    noise = 1e-8 * rng.standard_normal(M) if dtype == "float32" else 1e-17 * np.ones(M)

    def claimed(left, right):
        value = linear(left, right)
        zero = ~left.any(axis=1)[:, None] & ~right.any(axis=1)[None, :]
        return np.where(zero, rounded, value)

    draw = drawn(lambda signs: signs * noise)
    assert check_kernel(draw, claimed, ROWS, resolution=0.2).status == "holds"
