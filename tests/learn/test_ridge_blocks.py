"""Sums made of several blocks of rows and several pieces of columns."""

import numpy as np
import pytest

from mehler import _arrays, learn
from mehler._arrays import _linear_algebra
from tests.learn.ridge_audit import Table, problem


@pytest.mark.parametrize("piece", [1, 7, 10, 19, 20])
def test_pieces_of_columns_make_one_gram(monkeypatch, piece):
    monkeypatch.setattr(_linear_algebra, "_TILE", piece)
    z, y = problem(0, 300, 20)
    sums = learn.RidgeSums(Table())
    for rows in np.array_split(np.arange(300), 3):
        sums.add(z[rows], y[rows])
    centred = z - z.mean(axis=0)
    exact = centred.T @ centred
    np.testing.assert_allclose(sums.gram, exact, atol=1e-11 * np.abs(exact).max())


@pytest.mark.parametrize("itemsize", [4, 8])
def test_blocks_of_rows_fit(itemsize):
    assert _arrays.block_rows_for_gram(10, itemsize) == 1024
    for m in (1, 1024, 1025, 5000, 30_000, 10**6):
        rows = _arrays.block_rows_for_gram(m, itemsize)
        assert rows * m * itemsize <= 32 << 20 or rows == 64
        assert rows <= 2048
