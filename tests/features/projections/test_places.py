"""Structured products of several cells and blocks on every library, against the dense matrix."""

from __future__ import annotations

import numpy as np
import pytest

import mehler
from mehler import _arrays
from mehler.features.projections import named
from tests.features.projections.test_laws import vectors
from tests.places import Place

D, M, Q = 100, 200, 2
ROWS = np.random.default_rng(3).standard_normal((150, D)) / 10


@pytest.fixture(scope="module")
def projected():
    """By the matrix of the products with coordinate vectors: D = 128, 4 cells, 2 blocks."""
    return np.stack([ROWS @ w for w in vectors(named("hadamard"), 5, Q, D, M)])


@pytest.mark.slow
def test_maxima(place: Place, projected):
    x = place.asarray(ROWS, "float32")
    phi = mehler.MaxoutFeatures.draw(D, M, Q, seed=5, projections="hadamard", like=x)
    z = _arrays.to_host(place.apply(phi, x))
    assert _arrays.dtype_name(z.dtype) == "float32"
    # Three transforms, each a sum of at most 16 numbers; all are below 10, and below 1 in the end.
    assert np.abs(z * np.sqrt(M) - projected.max(axis=0)).max() < 100 * 2.0**-23


def test_waves(place: Place, projected):
    dtype = "float64" if place.has_float64 else "float32"
    x = place.asarray(ROWS, dtype)
    phi = mehler.FourierFeatures.draw(D, 2 * M, seed=5, projections="hadamard", gamma=0.5, like=x)
    z = _arrays.to_host(place.apply(phi, x))
    # gamma = 1/2: frequencies are the vectors themselves. Theirs are the first piece of another
    # draw, as its pieces are drawn block by block.
    [w] = vectors(named("hadamard"), 5, 1, D, M)
    by_hand = np.hstack([np.cos(ROWS @ w), np.sin(ROWS @ w)]) / np.sqrt(M)
    assert np.abs(z - by_hand).max() * np.sqrt(M) < 100 * np.finfo(dtype).eps
