"""The expansion in 1/width by blocks of rows: the values of the whole, and little memory."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from mehler.proofs_checks.experiments.depth import TangentFeatures, _width, finite_width

import mehler

X = np.random.default_rng(0).standard_normal((9, 4))
FAMILIES = [
    (mehler.DeepFeatures, {"activation": "maxout", "pool_size": 4}),
    (TangentFeatures, {"activation": "maxout", "pool_size": 4}),
    (mehler.DeepFeatures, {"activation": "relu"}),
]


@pytest.mark.parametrize("other", [None, X[2:7]])
@pytest.mark.parametrize(("family", "unit"), FAMILIES)
def test_blocks_of_two_rows_give_the_values_of_the_whole(family, unit, other, monkeypatch):
    phi = family.draw(4, (8, 8), seed=0, bias_variance=0.1, **unit)
    whole = finite_width(phi, X, other)
    columns = len(X if other is None else other)
    monkeypatch.setattr(_width, "_PAIRS", 2 * columns)
    parts = finite_width(phi, X, other)
    assert parts.bias == pytest.approx(whole.bias, rel=1e-9, abs=1e-12)
    assert parts.variance == pytest.approx(whole.variance, rel=1e-9)


def test_memory_is_that_of_a_block_and_the_result():
    """A pair of rows holds about 1.8 kB, of 160,000 pairs 280 MB."""
    rows = np.random.default_rng(1).standard_normal((400, 4))
    phi = TangentFeatures.draw(4, (8, 8), activation="relu", seed=0)
    finite_width(phi, rows[:2])
    tracemalloc.start()
    finite_width(phi, rows)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 60e6
