"""Functions of correlations in Dask arrays: those of NumPy, and out of range refused by a chunk."""

from __future__ import annotations

import numpy as np
import pytest

from mehler import exact

da = pytest.importorskip("dask.array")

RHO = np.linspace(-1.0, 1.0, 7)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
@pytest.mark.parametrize("function", [exact.maxout_kernel, exact.collision_probability])
def test_chunks_give_what_the_whole_gives(function, dtype):
    rho = RHO.astype(dtype)
    found = function(da.from_array(rho, chunks=3), 4)
    expected = function(rho, 4)
    assert found.dtype == expected.dtype
    assert np.array_equal(found.compute(), expected)


@pytest.mark.parametrize("bad", [1.1, -4.0, np.nan])
def test_a_chunk_out_of_range_is_refused(bad):
    rho = da.from_array(np.append(RHO, bad), chunks=3)
    cause = "as do the rows" if np.isnan(bad) else "divide inner products"
    with pytest.raises(ValueError, match=rf"rho must lie in \[-1, 1\].*{cause}"):
        exact.maxout_kernel(rho, 4).compute()
